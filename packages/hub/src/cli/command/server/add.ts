import type { ConnectorPatch, ServerView, TestReport } from '@herma/contract'
import { Command } from 'commander'
import { type Cli, connectHub } from '../../cli.ts'
import { readPlace } from '../../connector-flags.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { connectorPath, type HubClient } from '../../hub-client.ts'
import { moduleCommand } from '../../module-command.ts'
import { addServerFlags, readServerFlags, type ServerFlags } from '../../server-flags.ts'
import { splitWords } from '../../split-words.ts'
import { testConnector } from '../../test-connector.ts'
import { formatTestReport } from '../../test-report.ts'
import { describeServer } from './describe-server.ts'
import { noteMissingView } from './note-missing-view.ts'

interface Flags extends ServerFlags {
  command?: string
  module?: string
  url?: string
  test: boolean
}

export function addCommand(cli: Cli): Command {
  return addServerFlags(new Command('add'))
    .description('serve the catalog once more, or host one server alone')
    .argument('<name>', 'name of the server')
    .option('--command <line>', 'host this stdio command; the same as a command after --')
    .option('--module <file>', 'host a module: its default export is a server of @herma/framework, or it serves stdio')
    .option('--url <url>', 'host the server at this address')
    .option('--no-test', 'do not test what it hosts')
    .addHelpText('after', `\n${examples}`)
    .action(async (name: string, flags: Flags) => {
      const place = readHosted(flags, cli.trailing)
      const hub = await connectHub(cli)
      const patch = readServerFlags(flags)
      const server = place === null ? await addServer(hub, { name, ...patch }) : await host(hub, name, { place, patch })
      const test = place !== null && flags.test ? await testConnector(cli, hub, name) : null
      if (test?.ok === false) cli.exitCode = exitCodes.downstreamFailed
      cli.terminal.answer({ ...server, test }, () => describeAdded(cli, { server, url: hub.url, test }))
      await noteMissingView(cli, hub, patch)
    })
}

const examples = `--command, --module and --url add a connector of the same name first, which the facade does not list. One with secrets
or options is added by itself: herma add NAME --option listed=false …, then herma server add NAME --connector NAME

Examples:
  herma server add reader --view read-only
  herma server add notes --command 'npx -y @modelcontextprotocol/server-memory'
  herma server add mine --module ./server.js
  herma server add docs --url https://mcp.example.com/mcp`

/** Where the server is that shall be hosted; null when none is named. */
function readHosted(flags: Flags, trailing: readonly string[]): ConnectorPatch | null {
  const words = flags.command === undefined ? trailing : splitWords(flags.command)
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
  await hub.send('POST', '/api/connectors', connector)
  try {
    return await addServer(hub, { name, ...patch, connector: name })
  } catch (error) {
    await hub.send('DELETE', connectorPath(name))
    throw error
  }
}

function addServer(hub: HubClient, input: object): Promise<ServerView> {
  return hub.send<ServerView>('POST', '/api/servers', input)
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
