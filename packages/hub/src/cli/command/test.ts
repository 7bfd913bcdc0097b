import { Command } from 'commander'

import { type Cli, connectHub } from '../cli.ts'
import { connectorPath } from '../hub-client.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { parseJsonObject } from '../json-option.ts'
import { testConnector } from '../test-connector.ts'
import { formatTestReport } from '../test-report.ts'

interface Flags {
  tool?: string
  arguments?: string
  removeBrokenCache?: boolean
}

export function testCommand(cli: Cli): Command {
  return new Command('test')
    .description('test a connector stage by stage, apart from the one in use')
    .argument('<name>', 'name of the connector')
    .option('--tool <tool>', 'also call this tool, by the name that its server gives it')
    .option('--arguments <json>', 'arguments of that call')
    .option('--remove-broken-cache', 'remove the half-made folder of npx that the test finds, and test again')
    .action(async (name: string, flags: Flags) => {
      if (flags.arguments !== undefined && flags.tool === undefined) {
        throw new CliError(exitCodes.usage, '--arguments needs --tool.')
      }
      const hub = await connectHub(cli)
      const request = {
        ...(flags.tool === undefined ? {} : { tool: flags.tool }),
        ...(flags.arguments === undefined ? {} : { arguments: parseJsonObject(flags.arguments, '--arguments') }),
      }
      let report = await testConnector(cli, hub, name, request)
      if (flags.removeBrokenCache === true && report.brokenCache !== undefined) {
        const query = `?folder=${encodeURIComponent(report.brokenCache)}`
        await hub.send('DELETE', connectorPath(name, `/broken-cache${query}`))
        cli.terminal.note(`Removed ${report.brokenCache}.`)
        report = await testConnector(cli, hub, name, request)
      }
      if (!report.ok) cli.exitCode = exitCodes.downstreamFailed
      cli.terminal.answer(report, () => formatTestReport(report, cli.terminal))
    })
}
