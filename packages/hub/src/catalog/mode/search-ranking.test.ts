import { expect, test } from 'vitest'
import { SearchIndex } from './search/search-index.ts'
import { toSearchDocument } from './search/search-document.ts'

// server: name(parameters) description
const tools = `
files: read_file(path, head, tail) Read the complete contents of a file from the file system as text.
files: write_file(path, content) Create a new file or completely overwrite an existing file with new content.
files: edit_file(path, edits, dryRun) Make line-based edits to a text file and return a diff of the changes.
files: create_directory(path) Create a new directory or ensure that one exists.
files: list_directory(path) Get a detailed listing of all files and directories in a specified path.
files: directory_tree(path) Get a recursive tree view of files and directories as JSON.
files: move_file(source, destination) Move or rename files and directories.
files: search_files(path, pattern, excludePatterns) Recursively search for files and directories matching a pattern.
files: get_file_info(path) Retrieve detailed metadata about a file: size, creation time, permissions.
github: create_issue(owner, repo, title, body, labels) Create a new issue in a GitHub repository.
github: list_issues(owner, repo, state, labels) List issues in a GitHub repository with filtering options.
github: update_issue(owner, repo, issue_number, state) Update an existing issue: title, labels, or close it.
github: add_issue_comment(owner, repo, issue_number, body) Add a comment to an existing issue.
github: search_issues(q, sort) Search for issues and pull requests across GitHub repositories.
github: create_pull_request(owner, repo, head, base, title) Create a new pull request.
github: list_pull_requests(owner, repo, state) List and filter pull requests of a repository.
github: merge_pull_request(owner, repo, pull_number, merge_method) Merge a pull request.
github: get_pull_request_files(owner, repo, pull_number) Get the list of files changed in a pull request.
github: create_branch(owner, repo, branch, from_branch) Create a new branch in a repository.
github: list_commits(owner, repo, sha) Get the commits of a branch.
github: get_file_contents(owner, repo, path, branch) Get the contents of a file or directory from a repository.
github: push_files(owner, repo, branch, files, message) Push multiple files in a single commit.
github: fork_repository(owner, repo) Fork a repository to your account.
github: search_code(q) Search for code across repositories.
browser: browser_navigate(url) Navigate to a URL.
browser: browser_click(element, ref) Perform a click on a web page.
browser: browser_type(element, text, submit) Type text into an editable element.
browser: browser_take_screenshot(filename, fullPage) Take a screenshot of the current page.
browser: browser_snapshot() Capture the accessibility snapshot of the current page.
browser: browser_evaluate(function) Evaluate a JavaScript expression on the page.
browser: browser_fill_form(fields) Fill multiple form fields.
browser: browser_network_requests() Return all network requests since loading the page.
browser: browser_close() Close the page.
memory: create_entities(entities) Create multiple new entities in the knowledge graph.
memory: create_relations(relations) Create multiple new relations between entities in the knowledge graph.
memory: add_observations(observations) Add new observations to existing entities in the knowledge graph.
memory: delete_entities(entityNames) Delete entities and their relations from the knowledge graph.
memory: read_graph() Read the entire knowledge graph.
memory: search_nodes(query) Search for nodes in the knowledge graph based on a query.
postgres: query(sql) Run a read-only SQL query against the database.
postgres: list_tables(schema) List the tables of a database schema.
postgres: describe_table(table) Describe the columns and indexes of a table.
slack: post_message(channel, text) Post a message to a Slack channel.
slack: reply_to_thread(channel, thread_ts, text) Reply to a message thread in Slack.
slack: list_channels(limit, cursor) List public channels in the workspace.
slack: get_users(limit) Get a list of all users in the workspace with their profiles.
slack: add_reaction(channel, timestamp, emoji) Add an emoji reaction to a message.
mail: send_email(to, subject, body, attachments) Send an email with optional attachments.
mail: search_emails(query, maxResults) Search the mailbox with a query.
mail: read_email(id) Read one email with its headers.
calendar: create_event(title, start, end, attendees) Create an event in the calendar and invite people.
calendar: list_events(from, to) List the events between two dates.
calendar: delete_event(id) Delete an event.
weather: get_forecast(latitude, longitude) Get the weather forecast for a location.
weather: get_alerts(state) Get weather alerts for a US state.
maps: geocode(address) Convert an address into coordinates: latitude and longitude.
maps: directions(origin, destination, mode) Get directions between two places.
maps: search_places(query, location, radius) Search for places such as restaurants nearby.
docker: list_containers(all) List containers.
docker: container_logs(id, tail) Fetch the logs of a container.
docker: restart_container(id) Restart a container.
stripe: create_refund(charge, amount) Refund a payment.
stripe: list_customers(limit, email) List customers.
`
  .trim()
  .split('\n')
  .map((line) => /^(\w+): (\w+)\((.*?)\) (.*)$/.exec(line)!)
  .map(([, server = '', name = '', parameters = '', description = '']) => {
    const names = parameters.split(', ').filter((each) => each !== '')
    const inputSchema = { properties: Object.fromEntries(names.map((each) => [each, { type: 'string' }])) }
    return { server, descriptor: { name, description, inputSchema } }
  })

const index = new SearchIndex()
for (const server of new Set(tools.map((tool) => tool.server))) {
  const own = tools.filter((tool) => tool.server === server)
  index.setSegment(
    server,
    own.map(({ descriptor }) => toSearchDocument(`${server}__${descriptor.name}`, descriptor, server, [])),
  )
}

test.each([
  ['read a file', 'files__read_file'],
  ['open a new issue on github', 'github__create_issue'],
  ['create github issue', 'github__create_issue'],
  ['close an issue', 'github__update_issue'],
  ['comment on issue', 'github__add_issue_comment'],
  ['merge pr pull request', 'github__merge_pull_request'],
  ['what files changed in a pull request', 'github__get_pull_request_files'],
  ['screenshot of a web page', 'browser__browser_take_screenshot'],
  ['run javascript in the page', 'browser__browser_evaluate'],
  ['fill in a form', 'browser__browser_fill_form'],
  ['sql database', 'postgres__query'],
  ['columns of a table', 'postgres__describe_table'],
  ['send slack message', 'slack__post_message'],
  ['send an email with attachment', 'mail__send_email'],
  ['emoji', 'slack__add_reaction'],
  ['invite people to a meeting event', 'calendar__create_event'],
  ['weather tomorrow forecast', 'weather__get_forecast'],
  ['address to coordinates', 'maps__geocode'],
  ['restaurants nearby', 'maps__search_places'],
  ['container logs', 'docker__container_logs'],
  ['restart docker', 'docker__restart_container'],
  ['refund', 'stripe__create_refund'],
  ['rename directory', 'files__move_file'],
  ['find files by pattern', 'files__search_files'],
  ['knowledge graph search', 'memory__search_nodes'],
  ['remember entities', 'memory__create_entities'],
  ['list commits', 'github__list_commits'],
  ['who is in the workspace users', 'slack__get_users'],
  ['latitude longitude', 'weather__get_forecast'],
  ['files__read_file', 'files__read_file'],
  ['screensh', 'browser__browser_take_screenshot'],
  ['pull requests list', 'github__list_pull_requests'],
])('%j finds %s among the first three', (query, expected) => {
  expect(index.search(query, { limit: 3 }).map(({ key }) => key)).toContain(expected)
})

test('the first answer is the right one for every tool that is asked for by its own name', () => {
  const misses = tools.filter(({ server, descriptor }) => {
    const words = `${server} ${descriptor.name.replaceAll('_', ' ')}`
    return index.search(words, { limit: 1 })[0]?.key !== `${server}__${descriptor.name}`
  })
  expect(misses.map(({ descriptor }) => descriptor.name)).toEqual([])
})
