import type { TestReport } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { jsonInput, type JsonOption, parseJsonObject } from '../../json-option.ts'
import { showProgress } from '../../show-progress.ts'
import { formatTestReport } from '../../test-report.ts'
import { serverPath } from './server-path.ts'

interface Flags {
  tool?: string
  json?: JsonOption
  cwd?: string
}

export function testCommand(cli: Cli): Command {
  return new Command('test')
    .description('use a server as a client of yours would, stage by stage')
    .argument('<name>', 'name of the server')
    .option('--tool <tool>', 'also call this tool')
    .addOption(jsonInput('ARGUMENTS'))
    .option('--cwd <dir>', 'where it shall work, when the tool takes cwd')
    .action(async (name: string, { tool, json, cwd }: Flags) => {
      const text = json?.text
      if (tool === undefined && (text ?? cwd) !== undefined)
        throw new CliError(exitCodes.usage, 'Arguments and --cwd need --tool.')
      const hub = await connectHub(cli)
      const request = {
        ...(tool !== undefined && { tool }),
        ...(text !== undefined && { arguments: parseJsonObject(text, 'The arguments') }),
        ...(cwd !== undefined && { cwd }),
      }
      const work = hub.send<TestReport>('POST', `${serverPath(name)}/test`, request, { patient: true })
      const report = await showProgress(cli.terminal, `Testing '${name}'`, work)
      if (!report.ok) cli.exitCode = exitCodes.downstreamFailed
      cli.terminal.answer(report, () => {
        const trace = report.traceId === undefined ? '' : `\n\nIts trace: herma traces show ${report.traceId}`
        return formatTestReport(report, cli.terminal) + trace
      })
    })
}
