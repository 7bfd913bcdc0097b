import { readFile } from 'node:fs/promises'
import type { ConnectorInput, ImportAnswer, SavedConnector, TestReport } from '@herma/contract'
import { Command } from 'commander'

import { cleanText, oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { addConnectorFlags, type ConnectorFlags, readConnectorFlags, readPlace } from '../../flag/connector-flags.ts'
import { addStoreSecretsFlag, decideStoring, describeStoring } from '../../flag/store-secrets.ts'
import { addIsolationFlags, type IsolationFlags, readIsolation } from '../../flag/isolation-flags.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { count } from '../../terminal/format-quantity.ts'
import { formatTable } from '../../terminal/format-table.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import { formatTestReport, testStored } from './test.ts'

interface Flags extends ConnectorFlags, IsolationFlags {
  file?: string
  test: boolean
  disabled?: boolean
  storeSecrets?: boolean
}

export function addCommand(cli: Cli): Command {
  return (
    addStoreSecretsFlag(addIsolationFlags(addConnectorFlags(new Command('add'))))
      .description('add a server: a URL, a command after --, or the servers of a client configuration')
      .usage(
        'NAME URL [options]\n       herma add NAME [options] -- CMD ARGS…\n       herma add --file FILE|- [options]',
      )
      .argument('[name]', 'name of the connector')
      .argument('[url]', 'address of its MCP endpoint')
      // What is too much gets a better answer than commander's.
      .allowExcessArguments()
      .option('--file <file>', 'JSON of a client (mcpServers or servers), or - for standard input')
      .option('--disabled', 'store it without serving it')
      .option('--no-test', 'do not test it')
      .addHelpText(
        'after',
        `
Examples:
  herma add docs https://mcp.example.com/mcp --header Authorization=@token.txt
  herma add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  herma add fetch --isolation container --image mcp/fetch --network bridge
  herma add --file ~/.cursor/mcp.json`,
      )
      .action(async (name: string | undefined, url: string | undefined, flags: Flags, command: Command) => {
        if (flags.file !== undefined) {
          if (name !== undefined) throw new CliError(exitCodes.usage, 'With --file the names come from the file.')
          await importFile(cli, flags.file, flags)
        } else await addOne(cli, { name, url, more: command.args.slice(2), flags })
      })
  )
}

async function addOne(
  cli: Cli,
  { name, url, more, flags }: { name?: string; url?: string; more: string[]; flags: Flags },
): Promise<void> {
  if (name === undefined) throw new CliError(exitCodes.usage, 'Give a name. See: herma add --help')
  const isolation = readIsolation(flags)
  const named = readPlace(url, cli.trailing)
  // An image has a command of its own.
  const hasImage = named.transport === undefined && flags.image !== undefined
  const place = hasImage ? { transport: 'stdio' as const } : named
  if (place.transport === undefined) {
    throw new CliError(
      exitCodes.usage,
      `Say where '${name}' is: herma add ${name} URL, or herma add ${name} -- CMD ARGS`,
    )
  }
  if (more.length > 0) throw new CliError(exitCodes.usage, `'${more.join(' ')}' is too much. See: herma add --help`)
  const { fields, headers, env } = await readConnectorFlags(flags, cli.terminal)
  if (place.transport === 'stdio' && flags.transport !== undefined) {
    throw new CliError(exitCodes.usage, '--transport is for a URL; a command always speaks stdio.')
  }
  const given = {
    name,
    ...place,
    ...fields,
    ...(isolation && { isolation }),
    headers,
    env,
    ...(flags.disabled ? { enabled: false } : {}),
  }
  const hub = await connectHub(cli)
  const storeSecrets = await decideStoring(cli, [given], flags.storeSecrets)
  const connector = await hub.api.addConnector({ body: given as ConnectorInput, ...(storeSecrets && asked) })
  if (!cli.terminal.isMachine)
    for (const warning of connector.warnings) cli.terminal.note(`Warning: ${cleanText(warning)}`)
  const test = flags.test && connector.enabled ? await testStored(cli, hub, name) : null
  if (test?.ok === false) cli.exitCode = exitCodes.downstreamFailed
  cli.terminal.answer({ connector, test }, () => describeAdded(cli, connector, test))
}

/** In the query of an operation. */
const asked = { storeSecrets: 'true' } as const

function describeAdded({ terminal }: Cli, connector: SavedConnector, test: TestReport | null): string {
  const { name, workingDir } = connector
  const stored = describeStoring(connector.storedSecrets)
  const where = workingDir === null ? '' : ` (runs in ${workingDir})`
  const added = `Added '${name}'${where}.${stored === '' ? '' : ` ${stored}.`}`
  if (test === null) return `${added} Test it: herma test ${name}`
  if (test.ok) return `${added} It offers ${count(test.tools.length, 'tool')}. List them: herma tools ${name}`
  return [
    `${added} ${terminal.style('red', 'Its test failed:')}`,
    formatTestReport(test, terminal),
    '',
    `It is kept. Change it: herma edit ${name} …  Test again: herma test ${name}  Remove: herma remove ${name}`,
  ].join('\n')
}

const fileLimitBytes = 1_000_000

/** Adds the servers of a client's configuration file and tests those that are enabled. */
async function importFile(cli: Cli, file: string, flags: Pick<Flags, 'test' | 'storeSecrets'>): Promise<void> {
  const text = await readText(cli, file)
  // Loaded here, because no other command reads client configurations.
  const { parseClientConfig, parseClientText } = await import('../../../discovery/index.ts')
  const config = parseClientText(text, file === '-' ? 'Standard input' : file)
  const hub = await connectHub(cli)
  const found = parseClientConfig(config).servers.map(({ input }) => input)
  const storeSecrets = await decideStoring(cli, found, flags.storeSecrets)
  const body = config as Record<string, unknown>
  const report = await hub.api.importConnectors({ body, ...(storeSecrets && asked) })
  if (!cli.terminal.isMachine)
    for (const warning of report.warnings) cli.terminal.note(`Warning: ${warning.name}: ${cleanText(warning.text)}`)
  const tests = flags.test ? await testAdded(cli, hub, report.added) : {}
  if (report.failed.length > 0) cli.exitCode = exitCodes.failed
  else if (Object.values(tests).some(({ ok }) => !ok)) cli.exitCode = exitCodes.downstreamFailed
  cli.terminal.answer({ ...report, tests }, () => describeImport(report, tests))
}

async function readText(cli: Cli, file: string): Promise<string> {
  try {
    if (file === '-') return await cli.terminal.readInput(fileLimitBytes)
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new CliError(exitCodes.usage, `${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

async function testAdded(cli: Cli, hub: HubClient, names: readonly string[]): Promise<Record<string, TestReport>> {
  const { connectors } = await hub.api.listConnectors()
  const enabled = new Set(connectors.filter((connector) => connector.enabled).map(({ name }) => name))
  const tests: Record<string, TestReport> = {}
  // One after the other: a configuration of fifty commands must not start fifty processes at once.
  for (const name of names) if (enabled.has(name)) tests[name] = await testStored(cli, hub, name)
  return tests
}

function describeImport(report: ImportAnswer, tests: Record<string, TestReport>): string {
  const added = report.added.map((name) => {
    const test = tests[name]
    const outcome =
      test === undefined
        ? 'not tested'
        : test.ok
          ? count(test.tools.length, 'tool')
          : `test failed: ${test.cause?.replace(/\.$/, '') ?? ''}`
    return ['added', name, oneLine([outcome, ...remarksOf(report, name)].join('. '))]
  })
  const skipped = report.skipped.map(({ name, reason }) => ['skipped', name, reason])
  const failed = report.failed.map(({ name, reason }) => ['failed', name, reason])
  const broken = report.added.find((name) => tests[name]?.ok === false)
  return [
    formatTable([...added, ...skipped, ...failed]),
    ...(report.storedSecrets.length === 0 ? [] : ['', describeStoring(report.storedSecrets)]),
    ...(broken === undefined ? [] : ['', `See what is wrong: herma test ${broken}`]),
  ].join('\n')
}

function remarksOf(report: ImportAnswer, wanted: string): string[] {
  return report.remarks.filter(({ name }) => name === wanted).map(({ text }) => text)
}
