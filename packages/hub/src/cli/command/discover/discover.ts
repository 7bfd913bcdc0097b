import { readFile } from 'node:fs/promises'
import type {
  ClientConfigView,
  ConnectorDraft,
  DiscoveredServer,
  DiscoveryOption,
  ImportAnswer,
  NamedValue,
  PasteReport,
  RegistryPage,
} from '@herma/contract'
import { Command } from 'commander'

import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { addIsolationFlags, readIsolation, type IsolationFlags } from '../../flag/isolation-flags.ts'
import { addStoreSecretsFlag, describeStoring } from '../../flag/store-secrets.ts'
import { cleanText } from '../../terminal/clean-text.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { formatFields, formatTable } from '../../terminal/format-table.ts'
import { describeNeeds, installCommand, removeCommand } from './install.ts'

/** In the order of `herma discover --help`. */
const commands = [
  searchCommand,
  showCommand,
  installCommand,
  removeCommand,
  clientsCommand,
  importCommand,
  parseCommand,
  registryCommand,
]

/** Finding servers, and bringing them here. */
export function discoverCommand(cli: Cli): Command {
  const discover = new Command('discover')
    .description('find servers: in registries, in the configurations of your clients, in what you paste')
    .addHelpText('after', `\n${examples}`)
  for (const create of commands) discover.addCommand(create(cli))
  return discover
}

const examples = `Examples:
  herma discover search github                              look in the registry
  herma discover show io.github.someone/weather             what it needs
  herma discover install io.github.someone/weather --plan   what would be done
  herma discover install io.github.someone/weather --value env:API_KEY=@key.txt
  herma discover clients                                    what your clients have
  herma discover import cursor github                       take one over
  pbpaste | herma discover parse -                          what would this be here?`

function searchCommand(cli: Cli): Command {
  return new Command('search')
    .description('search a registry of MCP servers by their names')
    .argument('[words...]', 'a part of the name; absent: all')
    .option('--registry <url>', 'one of: herma discover registry; absent: the first')
    .option('--cursor <cursor>', 'the next page')
    .action(async (words: string[], { registry, cursor }: { registry?: string; cursor?: string }) => {
      const { api } = await connectHub(cli)
      const page = await api.searchRegistry({
        query: words.join(' '),
        registry: registry || undefined,
        cursor: cursor || undefined,
      })
      cli.terminal.answer(page, () => describePage(cli, page))
    })
}

function describePage({ terminal }: Cli, { servers, nextCursor, registry }: RegistryPage): string {
  if (servers.length === 0) return `Nothing in ${registry} has this in its name. Try a shorter word.`
  const rows = servers.map(({ name, version, options, connectors, description }) => [
    name,
    version,
    [...new Set(options.map(({ kind }) => kind))].join(' ') || '-',
    connectors.length === 0 ? '' : `here: ${connectors.join(' ')}`,
    description,
  ])
  const table = formatTable([['NAME', 'VERSION', 'AS', '', 'WHAT'], ...rows], terminal.columns)
  const [head = '', ...lines] = table.split('\n')
  const next = nextCursor === null ? [] : ['', `More: herma discover search … --cursor '${nextCursor}'`]
  return [terminal.style('bold', head), ...lines, ...next, '', 'See what one needs: herma discover show NAME'].join(
    '\n',
  )
}

function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('show a server of a registry: how it can be had, and what it needs')
    .argument('<name>', 'as herma discover search prints it')
    .option('--registry <url>', 'one of: herma discover registry; absent: the first')
    .action(async (name: string, { registry }: { registry?: string }) => {
      const { api } = await connectHub(cli)
      const { servers } = await api.searchRegistry({ query: name, registry: registry || undefined })
      const server = servers.find((each) => each.name === name)
      if (server === undefined)
        throw new CliError(
          exitCodes.notFound,
          `The registry has no '${name}'. Search for it: herma discover search WORDS`,
        )
      cli.terminal.answer(server, () => describeServer(cli, server))
    })
}

function describeServer({ terminal }: Cli, server: DiscoveredServer): string {
  const { name, title, description, version, status, statusMessage, repository, connectors } = server
  const fields: [string, string][] = [
    ['name', name],
    ['title', title],
    ['version', status === 'active' ? version : `${version} (${status}) ${statusMessage}`],
    ['what', description],
    ['source', repository ?? '-'],
    ['here as', connectors.join(', ') || '-'],
  ]
  const options = server.options.map((option) => describeOption(option, (text) => terminal.style('bold', text)))
  return [formatFields(fields), ...options, '', `Install it: herma discover install ${name} [--option ID]`].join('\n')
}

function describeOption({ id, command, url, needs, whyNot }: DiscoveryOption, bold: (text: string) => string): string {
  const lines = ['', bold(id), whyNot === null ? `  ${command ?? url ?? ''}` : `  cannot be installed: ${whyNot}`]
  return needs.length === 0 ? lines.join('\n') : [...lines, describeNeeds(needs)].join('\n')
}

function clientsCommand(cli: Cli): Command {
  return new Command('clients')
    .description('list the MCP clients on the machine of the hub, and the servers that they have')
    .action(async () => {
      const { api } = await connectHub(cli)
      const answer = await api.listClientConfigs()
      cli.terminal.answer(answer, () => describeClients(cli, answer.clients))
    })
}

const words = { new: 'new', same: 'here already', herma: 'this hub', unreadable: 'cannot be read' }

function describeClients({ terminal }: Cli, clients: readonly ClientConfigView[]): string {
  const found = clients.filter(({ exists }) => exists)
  if (found.length === 0)
    return `No client has a configuration here. Looked for: ${clients.map(({ file }) => file).join(', ')}`
  const parts = found.map(({ id, file, problem, servers }) => {
    const rows = servers.map(({ name, state, sameAs, command, url, problem: reason }) => [
      `  ${name}`,
      sameAs === null ? words[state] : `here as ${sameAs}`,
      reason ?? command ?? url ?? '',
    ])
    const head = `${terminal.style('bold', id)}  ${file}`
    if (problem !== null) return `${head}\n  ${problem}`
    return rows.length === 0 ? `${head}\n  no servers` : `${head}\n${formatTable(rows, terminal.columns)}`
  })
  return [...parts, 'Take servers over: herma discover import CLIENT NAME…'].join('\n\n')
}

interface ImportFlags extends IsolationFlags {
  readonly storeSecrets?: boolean
}

function importCommand(cli: Cli): Command {
  return addIsolationFlags(addStoreSecretsFlag(new Command('import')))
    .description('add servers that a client on the machine of the hub has')
    .argument('<client>', 'as herma discover clients prints it')
    .argument('<names...>', 'names of servers, as the client calls them')
    .action(async (client: string, names: string[], { storeSecrets = false, ...flags }: ImportFlags) => {
      const isolation = readIsolation(flags)
      const { api } = await connectHub(cli)
      const body = { client, names, storeSecrets, ...(isolation && { isolation }) }
      const answer = await api.importFromClient({ body })
      if (!cli.terminal.isMachine)
        for (const { name, text } of answer.warnings) cli.terminal.note(`Warning: ${name}: ${cleanText(text)}`)
      if (answer.failed.length > 0) cli.exitCode = exitCodes.failed
      cli.terminal.answer(answer, () => describeImport(answer))
    })
}

function describeImport({ added, skipped, failed, remarks, storedSecrets }: ImportAnswer): string {
  const remarksOf = (wanted: string) => remarks.filter(({ name }) => name === wanted).map(({ text }) => text)
  const table = formatTable([
    ...added.map((name) => ['added', name, remarksOf(name).join(' ')]),
    ...skipped.map(({ name, reason }) => ['skipped', name, reason]),
    ...failed.map(({ name, reason }) => ['failed', name, reason]),
  ])
  return storedSecrets.length === 0 ? table : `${table}\n\n${describeStoring(storedSecrets)}`
}

const limitBytes = 1_000_000

function parseCommand(cli: Cli): Command {
  return new Command('parse')
    .description('show which connectors a text would make: client JSON or TOML, a command, curl, a URL, a link, a .env')
    .argument('<file>', 'a file, or - for standard input')
    .action(async (file: string) => {
      const text = await readText(cli, file)
      const { api } = await connectHub(cli)
      const report = await api.parsePaste({ body: { text } })
      cli.terminal.answer(report, () => describeReport(report))
    })
}

async function readText(cli: Cli, file: string): Promise<string> {
  try {
    return file === '-' ? await cli.terminal.readInput(limitBytes) : await readFile(file, 'utf8')
  } catch (cause) {
    throw new CliError(exitCodes.usage, `${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

function describeReport({ connectors, env, notes }: PasteReport): string {
  return [
    ...connectors.map((draft) => `${formatFields(fieldsOf(draft))}\n`),
    ...(env.length === 0 ? [] : [`${env.map(describeValue).join('\n')}\n`]),
    ...notes.map((note) => `Note: ${note}`),
  ]
    .join('\n')
    .trimEnd()
}

function fieldsOf({
  name,
  transport,
  baseUrl,
  cmd,
  args,
  headers,
  env,
  workingDir,
}: ConnectorDraft): [string, string][] {
  const fields: [string, string | undefined][] = [
    ['name', name],
    ['transport', transport],
    ['url', baseUrl],
    ['command', cmd === undefined ? undefined : [cmd, ...args].join(' ')],
    ['folder', workingDir],
    ['headers', headers.map(describeValue).join('\n')],
    ['env', env.map(describeValue).join('\n')],
  ]
  return fields.flatMap(([field, value]) => (value === undefined || value === '' ? [] : [[field, value]]))
}

/** The terminal keeps what it shows, so a secret is not shown. */
function describeValue({ name, value, secret }: NamedValue): string {
  if (value === undefined) return `${name} (needs a value)`
  return secret === true ? `${name} (secret)` : `${name}=${value}`
}

function registryCommand(cli: Cli): Command {
  return new Command('registry')
    .description('show or set which registries are asked; the first is asked unless another is named')
    .option('--add <url>', 'ask this one too')
    .option('--remove <url>', 'do not ask this one any more')
    .action(async ({ add, remove }: { add?: string; remove?: string }) => {
      const { api } = await connectHub(cli)
      const before = await api.getDiscoverySettings()
      const kept = before.registries.filter((url) => url !== remove?.replace(/\/+$/, ''))
      const registries = add === undefined ? kept : [...kept, add]
      const isChanged = add !== undefined || remove !== undefined
      const settings = isChanged ? await api.setDiscoverySettings({ body: { registries } }) : before
      cli.terminal.answer(settings, () => settings.registries.join('\n'))
    })
}
