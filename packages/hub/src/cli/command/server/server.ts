import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ConnectorInput, ConnectorPatch, ServerPatch, ServerView, TestReport } from '@herma/contract'
import { Command, Option } from 'commander'

import { readPlace } from '../../flag/connector-flags.ts'
import { readCommandLine } from '../../flag/read-command-line.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import type { Cli } from '../../terminal/cli.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { formatTestReport, testStored } from '../connector/test.ts'
import { switchCommand, type Switched } from '../switch-command.ts'
import { describeServer, describeServers, showCommand, testCommand, toolsCommand } from './show.ts'

const facade = 'facade'

export function serverCommand(cli: Cli): Command {
  return addServerFlags(new Command('server'))
    .description('show the MCP servers that Herma serves, change one, add one, remove one')
    .argument('[name]', `name of a server; absent: all, or the ${facade} to change`)
    .addHelpText('after', `\n${examples}`)
    .addCommand(addCommand(cli))
    .addCommand(showCommand(cli))
    .addCommand(toolsCommand(cli))
    .addCommand(testCommand(cli))
    .addCommand(enableCommand(cli))
    .addCommand(disableCommand(cli))
    .addCommand(removeCommand(cli))
    .action(async (name: string | undefined, flags: ServerFlags) => {
      const hub = await connectHub(cli)
      const patch = readServerFlags(flags)
      const isChange = Object.keys(patch).length > 0
      if (name === undefined && !isChange) {
        const answer = await hub.api.listServers()
        return cli.terminal.answer(answer, () => describeServers(cli, answer.servers, hub.url))
      }
      const place = { name: name ?? facade }
      const server = await (isChange ? hub.api.updateServer({ ...place, body: patch }) : hub.api.getServer(place))
      cli.terminal.answer({ servers: [server] }, () => describeServer(server, hub.url))
      await noteMissingView(cli, hub, patch)
    })
}

const examples = `Examples:
  herma server facade --mode search               three tools in place of a hundred
  herma server add reader --view read-only        another endpoint, with its own view
  herma server add mine --module ./server.js      a server of yours, alone at an endpoint of its own
  herma server show mine                          how it is, and where
  herma server test mine --tool echo --json '{"message": "hi"}'
  herma server remove mine --with-connector`

interface Flags extends ServerFlags {
  command?: string
  module?: string
  url?: string
  test: boolean
}

function addCommand(cli: Cli): Command {
  return addServerFlags(new Command('add'))
    .description('serve the catalog once more, or host one server alone')
    .argument('<name>', 'name of the server')
    .option('--command <line>', 'host this stdio command; the same as a command after --')
    .option('--module <file>', 'host a module: its default export is a server of @herma/framework, or it serves stdio')
    .option('--url <url>', 'host the server at this address')
    .option('--no-test', 'do not test what it hosts')
    .addHelpText('after', `\n${addExamples}`)
    .action(async (name: string, flags: Flags) => {
      const place = readHosted(flags, cli.trailing)
      const hub = await connectHub(cli)
      const patch = readServerFlags(flags)
      const server =
        place === null ? await hub.api.addServer({ body: { name, ...patch } }) : await host(hub, name, { place, patch })
      const test = place !== null && flags.test ? await testStored(cli, hub, name) : null
      if (test?.ok === false) cli.exitCode = exitCodes.downstreamFailed
      cli.terminal.answer({ ...server, test }, () => describeAdded(cli, { server, url: hub.url, test }))
      await noteMissingView(cli, hub, patch)
    })
}

const addExamples = `--command, --module and --url add a connector of the same name first, which the facade does not list. One with secrets
or options is added by itself: herma add NAME --option listed=false …, then herma server add NAME --connector NAME

Examples:
  herma server add reader --view read-only
  herma server add notes --command 'npx -y @modelcontextprotocol/server-memory'
  herma server add mine --module ./server.js
  herma server add docs --url https://mcp.example.com/mcp`

/** Where the server is that shall be hosted; null when none is named. */
function readHosted(flags: Flags, trailing: readonly string[]): ConnectorPatch | null {
  const words = flags.command === undefined ? trailing : readCommandLine(flags.command)
  const given = [flags.connector, flags.command, flags.module, flags.url, trailing[0]].filter(
    (each) => each !== undefined,
  )
  if (given.length > 1)
    throw new CliError(exitCodes.usage, 'Host one: --connector, --command, --module, --url, or a command after --.')
  if (flags.command !== undefined && words.length === 0) throw new CliError(exitCodes.usage, '--command is empty.')
  if (flags.module !== undefined) return moduleCommand(flags.module)
  return flags.url === undefined && words.length === 0 ? null : readPlace(flags.url, words)
}

/** Adds the connector first; when the server cannot be added, nothing is left of it. */
async function host(
  hub: HubClient,
  name: string,
  { place, patch }: { place: ConnectorPatch; patch: ReturnType<typeof readServerFlags> },
): Promise<ServerView> {
  const connector = { name, kind: 'server', ...place, options: { listed: false } }
  await hub.api.addConnector({ body: connector as ConnectorInput })
  try {
    return await hub.api.addServer({ body: { name, ...patch, connector: name } })
  } catch (error) {
    await hub.api.removeConnector({ name })
    throw error
  }
}

interface Added {
  readonly server: ServerView
  readonly url: URL
  readonly test: TestReport | null
}

function describeAdded({ terminal }: Cli, { server, url, test }: Added): string {
  const shown = test === null ? server : { ...server, tools: test.tools.length }
  const added = `Added '${server.name}'.\n\n${describeServer(shown, url)}`
  if (test === null || test.ok) return added
  return [
    added,
    '',
    terminal.style('red', 'The test of what it hosts failed:'),
    formatTestReport(test, terminal),
    '',
    `It is kept. Change it: herma edit ${server.name} …  Remove it: herma server remove ${server.name} --with-connector`,
  ].join('\n')
}

const switched: Switched = {
  thing: 'server',
  on: 'serve it again',
  off: 'refuse its clients without forgetting it',
  switch: (api, name, enabled) => api.updateServer({ name, body: { enabled } }),
}

function enableCommand(cli: Cli): Command {
  return switchCommand(cli, switched, true)
}

function disableCommand(cli: Cli): Command {
  return switchCommand(cli, switched, false)
}

function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('serve it no more; clients that are connected are cut off')
    .argument('<name>', 'name of the server')
    .option('--with-connector', 'remove the connector that it hosts, too')
    .action(async (name: string, { withConnector = false }: { withConnector?: boolean }) => {
      const { api } = await connectHub(cli)
      const { connector } = await api.getServer({ name })
      await api.removeServer({ name })
      const removed = withConnector ? connector : null
      if (removed !== null) await api.removeConnector({ name: removed })
      cli.terminal.answer({ name, removed: true, connector: removed }, () => {
        if (removed !== null) return `Removed '${name}' and the connector '${removed}'.`
        if (connector === null) return `Removed '${name}'.`
        return `Removed '${name}'. Its connector '${connector}' is still there. Remove it: herma remove ${connector}`
      })
    })
}

/** A view that does not exist shows nothing, which somebody who mistyped its name would look for elsewhere. */
async function noteMissingView({ terminal }: Cli, hub: HubClient, { view }: ServerPatch): Promise<void> {
  if (view === undefined || view === null) return
  const { views } = await hub.api.listViews()
  if (views.some(({ name }) => name === view)) return
  const known = views.length === 0 ? 'There are none.' : `There are: ${views.map(({ name }) => name).join(', ')}.`
  terminal.note(`No view is named '${view}' so far, so clients see no tools. ${known}`)
}

/** How a module is run as a stdio server, with the Node that runs this. It works in its own folder. */
function moduleCommand(file: string): ConnectorPatch {
  const module = resolve(file)
  if (!existsSync(module)) throw new CliError(exitCodes.usage, `There is no file ${module}. Check --module.`)
  const args = [...loaderFor(module), findHost(), module]
  return { transport: 'stdio', cmd: process.execPath, args, workingDir: dirname(module) }
}

/** TypeScript is read by Node itself where it can, or by the tsx that the module's project has. */
function loaderFor(module: string): string[] {
  if (!/\.[cm]?tsx?$/.test(module)) return []
  if ('typescript' in process.features && process.features.typescript !== false) return []
  try {
    return ['--import', pathToFileURL(createRequire(module).resolve('tsx')).href]
  } catch (cause) {
    const text = `This Node cannot run TypeScript. Install tsx beside ${module}, build it to JavaScript, or use Node 22.18.`
    throw new CliError(exitCodes.usage, text, { cause })
  }
}

/** The program that serves a module: beside the bundle, or where the source has it. */
function findHost(): string {
  const candidates = ['../bin/host-module.js', '../../../../bin/host-module.js']
  const files = candidates.map((path) => fileURLToPath(new URL(path, import.meta.url)))
  return files.find((path) => existsSync(path)) ?? files[0]!
}

type Switch = 'on' | 'off'

/** Flags that say how a server is served. */
interface ServerFlags {
  description?: string
  connector?: string
  sse?: Switch
  mode?: 'full' | 'search' | 'code'
  view?: string
  metadata?: Switch
  schemas?: 'auto' | 'original' | 'strict'
  fallbacks?: 'auto' | 'on' | 'off'
  access?: 'auto' | 'local' | 'required'
  keyHeader?: string
}

function addServerFlags(command: Command): Command {
  const choice = (flags: string, text: string, choices: string[]) => new Option(flags, text).choices(choices)
  return command
    .option('--description <text>', 'what it is for')
    .option('--connector <name>', 'host this connector alone, under its own names; none = serve the catalog')
    .addOption(choice('--sse <switch>', 'serve clients of HTTP+SSE (2024-11-05) too', ['on', 'off']))
    .addOption(
      choice(
        '--mode <mode>',
        'full = list every tool; search = three that find and call them; code = one for scripts',
        ['full', 'search', 'code'],
      ),
    )
    .option('--view <name>', 'the view that its clients get; none = the one that is for them')
    .addOption(choice('--metadata <switch>', 'say in _meta["x-herma"] where each tool comes from', ['on', 'off']))
    .addOption(
      choice('--schemas <form>', 'strict = simple schemas for every client; auto = for those known to need them', [
        'auto',
        'original',
        'strict',
      ]),
    )
    .addOption(choice('--fallbacks <switch>', 'offer search and fetch over all resources', ['auto', 'on', 'off']))
    .addOption(
      choice(
        '--access <who>',
        'who needs no key: auto = this machine, while there is no public URL; local = this machine',
        ['auto', 'local', 'required'],
      ),
    )
    .option('--key-header <name>', 'header in which clients send their API key, in place of Authorization: Bearer')
}

/** The changes that the flags ask for. */
function readServerFlags(flags: ServerFlags): ServerPatch {
  const { description, connector, sse, mode, view, metadata, schemas, fallbacks, access, keyHeader } = flags
  return {
    ...(description === undefined ? {} : { description }),
    ...(connector === undefined ? {} : { connector: connector === 'none' ? null : connector }),
    ...(sse === undefined ? {} : { sse: sse === 'on' }),
    ...(mode === undefined ? {} : { mode }),
    ...(view === undefined ? {} : { view: view === 'none' ? null : view }),
    ...(metadata === undefined ? {} : { metadata: metadata === 'on' }),
    ...(schemas === undefined ? {} : { schemas }),
    ...(fallbacks === undefined ? {} : { fallbacks }),
    ...(access === undefined ? {} : { access }),
    ...(keyHeader === undefined ? {} : { keyHeader }),
  }
}
