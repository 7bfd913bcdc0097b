import type { TestReport, TestRequest } from '@herma/contract'
import { Command } from 'commander'

import { cleanText } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { parseJsonObject } from '../../flag/json-option.ts'
import { formatTable } from '../../terminal/format-table.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import { showProgress } from '../../terminal/show-progress.ts'
import type { Terminal } from '../../terminal/terminal.ts'

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
      let report = await testStored(cli, hub, name, request)
      if (flags.removeBrokenCache === true && report.brokenCache !== undefined) {
        await hub.api.removeBrokenCache({ name, folder: report.brokenCache })
        cli.terminal.note(`Removed ${report.brokenCache}.`)
        report = await testStored(cli, hub, name, request)
      }
      if (!report.ok) cli.exitCode = exitCodes.downstreamFailed
      cli.terminal.answer(report, () => formatTestReport(report, cli.terminal))
    })
}

/** Tests a stored connector and says so while it lasts. The hub limits how long that is. */
export function testStored(cli: Cli, hub: HubClient, name: string, request: TestRequest = {}): Promise<TestReport> {
  const work = hub.api.testConnector({ name, body: request }, { patient: true })
  return showProgress(cli.terminal, `Testing '${name}'`, work)
}

const signs = { ok: '✓', failed: '✗', skipped: '-' } as const

/** Stages with their time, then the cause and the suggested fix. */
export function formatTestReport(report: TestReport, terminal: Terminal): string {
  const table = formatTable(
    report.stages.map(({ name, outcome, ms, detail }) => [signs[outcome], name, `${Math.round(ms)} ms`, detail]),
    terminal.columns,
  )
  const stages = table.split('\n').map((line, index) => {
    const outcome = report.stages[index]?.outcome
    return outcome === 'failed'
      ? terminal.style('red', line)
      : outcome === 'skipped'
        ? terminal.style('dim', line)
        : line
  })
  const stderr = report.ok ? [] : report.stderr.slice(-10).map((line) => `  ${cleanText(line)}`)
  return [
    ...stages,
    ...(report.cause === null ? [] : ['', `Cause: ${cleanText(report.cause)}`]),
    ...(report.fix === null ? [] : [`Fix:   ${cleanText(report.fix)}`]),
    ...(stderr.length === 0 ? [] : ['', 'It wrote to standard error:', ...stderr]),
  ].join('\n')
}
