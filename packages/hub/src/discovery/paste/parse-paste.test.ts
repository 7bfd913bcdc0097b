import { ConnectorInput, HubError, type ConnectorDraft } from '@herma/contract'
import { expect, test } from 'vitest'
import { parsePaste } from './parse-paste.ts'

const secret = (name: string, value: string) => ({ name, value, secret: true })
const open = (name: string, value: string) => ({ name, value, secret: false })

/** What differs from an empty draft. */
const stdio = (name: string, cmd: string, args: string[], more: Partial<ConnectorDraft> = {}) => [
  { name, description: '', enabled: true, transport: 'stdio', headers: [], cmd, args, env: [], ...more },
]
const remote = (name: string, baseUrl: string, more: Partial<ConnectorDraft> = {}) => [
  { name, description: '', enabled: true, transport: 'stream', baseUrl, headers: [], args: [], env: [], ...more },
]

const files = { command: 'npx', args: ['-y', 'files'], env: { API_TOKEN: 'x', LEVEL: 'info' } }
const filesDraft = stdio('files', 'npx', ['-y', 'files'], { env: [secret('API_TOKEN', 'x'), open('LEVEL', 'info')] })
const json = (value: unknown) => JSON.stringify(value, null, 2)

test.each([
  ['Claude and Cursor', 'json', json({ mcpServers: { files } })],
  ['VS Code', 'json', json({ inputs: [], servers: { files: { type: 'stdio', ...files } } })],
  ['settings of VS Code', 'json', json({ 'a.b': 1, mcp: { servers: { files } } })],
  ['Zed', 'json', json({ theme: 'x', context_servers: { files: { source: 'custom', ...files } } })],
  [
    'an older Zed',
    'json',
    json({ context_servers: { files: { command: { path: 'npx', args: files.args, env: files.env } } } }),
  ],
  [
    'Codex',
    'toml',
    '[mcp_servers.files]\ncommand = "npx" # runs\nargs = ["-y",\n  "files"]\nenv = { API_TOKEN = "x", LEVEL = \'info\' }',
  ],
  [
    'Codex, env as a table',
    'toml',
    'model = "o4"\n\n[mcp_servers.files]\ncommand = "npx"\nargs = ["-y", "files"]\n[mcp_servers.files.env]\nAPI_TOKEN = "x"\nLEVEL = "info"\n',
  ],
  ['a bare map', 'json', json({ files })],
  ['one server', 'json', json(files)],
  ['one server with its name', 'json', json({ name: 'files', ...files })],
  ['a piece out of a file', 'json', `"files": ${json(files)},`],
  [
    'JSON with comments in a fence',
    'json',
    `\`\`\`jsonc\n// mine\n{"mcpServers": {"files": ${json(files)},},}\n\`\`\``,
  ],
])('%s is read as %s', (_name, kind, text) => {
  expect(parsePaste(text)).toEqual({ kind, connectors: filesDraft, env: [], notes: [], warnings: [] })
})

test.each<[string, unknown[]]>([
  [
    'npx -y @scope/server-files@1.2.3 --flag "two words"',
    stdio('files', 'npx', ['-y', '@scope/server-files@1.2.3', '--flag', 'two words']),
  ],
  ['$ uvx mcp-server-git --repository ./a', stdio('git', 'uvx', ['mcp-server-git', '--repository', './a'])],
  [
    'uvx --from git+https://example.com/x weather-mcp',
    stdio('weather', 'uvx', ['--from', 'git+https://example.com/x', 'weather-mcp']),
  ],
  ['node build/index.mjs', stdio('index', 'node', ['build/index.mjs'])],
  ['python -m weather_server', stdio('weather', 'python', ['-m', 'weather_server'])],
  [
    'API_KEY=k env LEVEL=1 ./bin/my-server --log info',
    stdio('my', './bin/my-server', ['--log', 'info'], { env: [secret('API_KEY', 'k'), open('LEVEL', '1')] }),
  ],
  ['cmd /c npx -y files-mcp', stdio('files', 'npx', ['-y', 'files-mcp'])],
  ['npx \\\n  -y \\\n  files-mcp', stdio('files', 'npx', ['-y', 'files-mcp'])],
  [
    'claude mcp add files -e TOKEN=x -- npx -y files-mcp --flag',
    stdio('files', 'npx', ['-y', 'files-mcp', '--flag'], { env: [secret('TOKEN', 'x')] }),
  ],
  [
    'claude mcp add --transport http docs https://a.example/mcp --header "X-Api-Key: k" -s user',
    remote('docs', 'https://a.example/mcp', { headers: [secret('X-Api-Key', 'k')] }),
  ],
  [
    'claude mcp add --transport=sse docs https://a.example/events',
    remote('docs', 'https://a.example/events', { transport: 'sse' }),
  ],
  [`claude mcp add-json docs '{"type":"http","url":"https://a.example/mcp"}'`, remote('docs', 'https://a.example/mcp')],
  ['codex mcp add docs --url https://a.example/mcp', remote('docs', 'https://a.example/mcp')],
  ['gemini mcp add files npx -y files-mcp', stdio('files', 'npx', ['-y', 'files-mcp'])],
  [`code --add-mcp '{"name":"files","command":"npx","args":["-y","x"]}'`, stdio('files', 'npx', ['-y', 'x'])],
  [
    `curl -X POST -H 'Authorization: Bearer t' -H "Content-Type: application/json" -d '{}' https://mcp.acme.com/mcp`,
    remote('acme', 'https://mcp.acme.com/mcp', { headers: [secret('Authorization', 'Bearer t')] }),
  ],
  [
    'curl -sS --header=X-Team:7 https://a.example/sse | jq .',
    remote('a', 'https://a.example/sse', { transport: 'sse', headers: [open('X-Team', '7')] }),
  ],
  ['https://mcp.context7.com/mcp', remote('context7', 'https://mcp.context7.com/mcp')],
  ['http://localhost:8080/mcp', remote('local-8080', 'http://localhost:8080/mcp')],
  [
    `cursor://anysphere.cursor-deeplink/mcp/install?name=files&config=${Buffer.from(json({ command: 'npx', args: ['x'] })).toString('base64')}`,
    stdio('files', 'npx', ['x']),
  ],
  [
    `cursor://anysphere.cursor-deeplink/mcp/install?name=web&config=${Buffer.from(json({ command: 'npx -y "@a/web" --head' })).toString('base64')}`,
    stdio('web', 'npx', ['-y', '@a/web', '--head']),
  ],
  [
    `https://cursor.com/install-mcp?name=docs&config=${Buffer.from('{"url":"https://a.example/mcp"}').toString('base64')}`,
    remote('docs', 'https://a.example/mcp'),
  ],
  [
    `vscode:mcp/install?${encodeURIComponent('{"name":"files","command":"npx","args":["x"]}')}`,
    stdio('files', 'npx', ['x']),
  ],
  [
    `https://insiders.vscode.dev/redirect?url=${encodeURIComponent(`vscode:mcp/install?${encodeURIComponent('{"name":"docs","url":"https://a.example/mcp"}')}`)}`,
    remote('docs', 'https://a.example/mcp'),
  ],
  [
    'npx -y mcp-remote https://a.example/mcp --header "X-Key: 1"',
    remote('a', 'https://a.example/mcp', { headers: [secret('X-Key', '1')] }),
  ],
])('%s', (text, connectors) => {
  expect(parsePaste(text).connectors).toEqual(connectors)
})

test('every draft that lacks nothing can be stored as it is', () => {
  for (const text of [json({ mcpServers: { files } }), 'npx -y a', 'https://a.example/mcp'])
    for (const draft of parsePaste(text).connectors) expect(ConnectorInput.safeParse(draft).error).toBeUndefined()
})

test('values of docker leave the command line, and what it lacks is added', () => {
  const report = parsePaste(
    'docker run --rm -e GITHUB_TOKEN=abc -e LEVEL -v /a:/b --name x ghcr.io/acme/github-mcp:2 stdio',
  )
  expect(report.connectors).toEqual(
    stdio(
      'github',
      'docker',
      [
        'run',
        '-i',
        '--rm',
        '-e',
        'GITHUB_TOKEN',
        '-e',
        'LEVEL',
        '-v',
        '/a:/b',
        '--name',
        'x',
        'ghcr.io/acme/github-mcp:2',
        'stdio',
      ],
      {
        env: [secret('GITHUB_TOKEN', 'abc'), { name: 'LEVEL' }],
      },
    ),
  )
  expect(report.notes.join(' ')).toMatch(/LEVEL needs a value.*list of processes.*-i was added/)
})

test('npx without -y would wait for an answer that nobody gives', () => {
  const { connectors, notes } = parsePaste('npx files-mcp')
  expect([connectors[0]?.args, notes]).toEqual([['-y', 'files-mcp'], [expect.stringContaining('-y was added')]])
})

test('a .env file becomes rows, with quotes, comments and several lines', () => {
  const text =
    '# mine\nexport API_KEY="a b" # why\nPEM="-----BEGIN\\nEND"\nLONG=\'one\ntwo\'\n\nPORT = 80 # here\nEMPTY='
  expect(parsePaste(text)).toEqual({
    kind: 'env',
    connectors: [],
    env: [
      secret('API_KEY', 'a b'),
      open('PEM', '-----BEGIN\nEND'),
      open('LONG', 'one\ntwo'),
      open('PORT', '80'),
      open('EMPTY', ''),
    ],
    notes: [],
    warnings: [],
  })
})

test('what only the client has is left for the person, with the reason', () => {
  const text = json({
    inputs: [{ id: 'key', type: 'promptString', description: 'Your key', password: true }],
    servers: {
      a: { url: 'https://a.example/mcp', headers: { 'X-Thing': 'Bearer ${input:key}' }, gallery: true },
      b: { command: 'npx', args: ['${workspaceFolder}/x'] },
    },
  })
  const { connectors, notes } = parsePaste(text)
  expect(connectors[0]?.headers).toEqual([{ name: 'X-Thing', secret: true }])
  expect(notes).toEqual([
    expect.stringContaining('gallery'),
    'X-Thing needs a value (Your key): only the client has it. It has the form: Bearer <value>.',
    'b: only the client knows ${workspaceFolder}. Write the value in its place.',
  ])
})

test('Codex takes headers from its environment, so they come without a value', () => {
  const text =
    '[mcp_servers."my docs"]\nurl = "https://a.example/mcp"\nbearer_token_env_var = "DOCS"\nhttp_headers = { Team = "7" }'
  const { connectors, notes } = parsePaste(text)
  expect(connectors).toEqual(
    remote('my-docs', 'https://a.example/mcp', {
      headers: [open('Team', '7'), { name: 'Authorization', secret: true }],
    }),
  )
  expect(notes.join(' ')).toContain('Bearer <value>')
})

test('a bad server is named and the others are read', () => {
  const { connectors, notes } = parsePaste(json({ mcpServers: { bad: { args: [] }, files } }))
  expect([connectors, notes]).toEqual([filesDraft, ['bad was left out. It has neither "command" nor "url".']])
})

test.each([
  ['', /no text/],
  ['{\n  "mcpServers": {\n    "a": { "command": hunter2 }\n  }\n}', /line 3, column 23: expected a value/],
  ['{"a": {"command": "npx"}', /line 1, column 25: expected a comma or }/],
  ['{"mcpServers": {"a": {"command": "npx" "args": []}}}', /line 1, column 40: expected a comma/],
  ['[mcp_servers.a]\ncommand = "npx"\nargs = ["x"', /not TOML: line 3, column \d+: /],
  ['[mcp_servers.a]\ncommand npx', /not TOML: line 2, column \d+: /],
  ['{"a": 1}', /no configuration of an MCP client/],
  ['npx -y "files', /Line 1: the quote " is not closed/],
  ['KEY="a\nb', /Line 1: the quote " is not closed/],
  ['KEY=a\nnot an assignment', /Line 2: expected NAME=value/],
  ['curl -H "A: b"', /Line 1: expected an address/],
  ['claude mcp add', /expected the name/],
  ['claude mcp add docs', /expected an address or a command/],
  ["code --add-mcp 'x'", /line 1, column 1: expected a value/],
  ['cursor://anysphere.cursor-deeplink/mcp/install?name=x', /expected a server in the link/],
  ['Hello, how are you?', /does not look like a command/],
  [`[`.repeat(1000), /nested more than 100 deep/],
])('%j is refused with the line and what was expected', (text, message) => {
  const parse = () => parsePaste(text)
  expect(parse).toThrow(message)
  expect(parse).toThrow(HubError)
  expect(parse).not.toThrow(/hunter2/)
})
