import type { DryRunReport, DryRunRequest } from '@herma/contract'
import { Command } from 'commander'

import { oneLine } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { jsonInput, type JsonOption, parseJsonObject } from '../../json-option.ts'
import { readComposite } from './read-composite.ts'

const inputLimitBytes = 16_777_216

export function dryRunCommand(cli: Cli): Command {
  return new Command('dry-run')
    .description('show what an aggregate or a pipeline would call; nothing is run')
    .argument('[tool]', 'name of the aggregate or pipeline')
    .option('--definition <file>', 'one that is not saved, in place of a name; - for standard input')
    .addOption(jsonInput('ARGUMENTS'))
    .addHelpText(
      'after',
      `
Example:
  herma catalog dry-run workspace --json '{"operation": "read", "path": "notes.txt"}'
  herma catalog dry-run --definition draft.json --json '{"operation": "read"}'`,
    )
    .action(async (tool: string | undefined, { json, definition }: { json?: JsonOption; definition?: string }) => {
      if ((tool === undefined) === (definition === undefined))
        throw new CliError(exitCodes.usage, 'Name a composite, or give one with --definition FILE.')
      const draft =
        definition === undefined ? {} : { definition: await readComposite('--definition', definition, cli.terminal) }
      const text = json?.text === '-' ? await cli.terminal.readInput(inputLimitBytes) : json?.text
      const args = text === undefined ? {} : parseJsonObject(text, 'The arguments')
      const hub = await connectHub(cli)
      const request: DryRunRequest = { ...(tool === undefined ? draft : { tool }), arguments: args }
      const report = await hub.send<DryRunReport>('POST', '/api/catalog/dry-run', request)
      if (report.problems.length > 0) cli.exitCode = exitCodes.failed
      cli.terminal.answer(report, () => describeReport(cli, report))
    })
}

function describeReport({ terminal }: Cli, { calls, problems }: DryRunReport): string {
  const steps = calls.flatMap(({ step, server, tool, arguments: args, note }) => {
    const head = oneLine(`${step}: ${server === null ? '' : `${server} `}${tool}${note === null ? '' : ` (${note})`}`)
    return [terminal.style('bold', head), `  ${oneLine(JSON.stringify(args))}`]
  })
  const lines = [
    ...(calls.length === 0 ? ['It would call nothing.'] : steps),
    ...problems.map((problem) => terminal.style('red', `Problem: ${oneLine(problem)}`)),
  ]
  return lines.join('\n')
}
