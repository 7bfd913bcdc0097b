import type { ConnectorView, TestReport } from '@herma/contract'
import { Command } from 'commander'

import { cleanText } from '../clean-text.ts'
import { type Cli, connectHub } from '../cli.ts'
import { addConnectorFlags, type ConnectorFlags, readConnectorFlags, readPlace } from '../connector-flags.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { count } from '../format-quantity.ts'
import { testConnector } from '../test-connector.ts'
import { formatTestReport } from '../test-report.ts'
import { importFile } from './add-file.ts'

interface Flags extends ConnectorFlags {
  file?: string
  test: boolean
  disabled?: boolean
}

export function addCommand(cli: Cli): Command {
  return (
    addConnectorFlags(new Command('add'))
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
  herma add --file ~/.cursor/mcp.json`,
      )
      .action(async (name: string | undefined, url: string | undefined, flags: Flags, command: Command) => {
        if (flags.file !== undefined) {
          if (name !== undefined) throw new CliError(exitCodes.usage, 'With --file the names come from the file.')
          await importFile(cli, flags.file, flags.test)
        } else await addOne(cli, { name, url, more: command.args.slice(2), flags })
      })
  )
}

async function addOne(
  cli: Cli,
  { name, url, more, flags }: { name?: string; url?: string; more: string[]; flags: Flags },
): Promise<void> {
  if (name === undefined) throw new CliError(exitCodes.usage, 'Give a name. See: herma add --help')
  const place = readPlace(url, cli.trailing)
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
  const input = { name, ...place, ...fields, headers, env, ...(flags.disabled ? { enabled: false } : {}) }
  const hub = await connectHub(cli)
  const connector = await hub.send<ConnectorView>('POST', '/api/connectors', input)
  if (!cli.terminal.isMachine)
    for (const warning of connector.warnings) cli.terminal.note(`Warning: ${cleanText(warning)}`)
  const test = flags.test && connector.enabled ? await testConnector(cli, hub, name) : null
  if (test?.ok === false) cli.exitCode = exitCodes.downstreamFailed
  cli.terminal.answer({ connector, test }, () => describeAdded(cli, connector, test))
}

function describeAdded({ terminal }: Cli, { name, workingDir }: ConnectorView, test: TestReport | null): string {
  const added = `Added '${name}'${workingDir === null ? '' : ` (runs in ${workingDir})`}.`
  if (test === null) return `${added} Test it: herma test ${name}`
  if (test.ok) return `${added} It offers ${count(test.tools.length, 'tool')}. List them: herma tools ${name}`
  return [
    `${added} ${terminal.style('red', 'Its test failed:')}`,
    formatTestReport(test, terminal),
    '',
    `It is kept. Change it: herma edit ${name} …  Test again: herma test ${name}  Remove: herma remove ${name}`,
  ].join('\n')
}
