import type { DriftReport } from '@herma/contract'
import { Command } from 'commander'

import { oneLine } from '../../clean-text.ts'
import type { Cli } from '../../cli.ts'
import { count } from '../../format-quantity.ts'
import { describeDifferences } from './describe-differences.ts'
import { readDrift } from './verify.ts'

export function diffCommand(cli: Cli): Command {
  return new Command('diff')
    .description('show field by field how what clients get differs from what is intended')
    .action(async () => {
      const report = await readDrift(cli)
      cli.terminal.answer(report, () => describeDiff(cli, report))
    })
}

function describeDiff({ terminal }: Cli, { hasDrift, live, counts, missing, extra, changed }: DriftReport): string {
  if (!hasDrift) return `Nothing differs: ${count(live.tools, 'tool')} as intended.`
  const told = missing.length + extra.length + changed.length
  const rest = counts.missing + counts.extra + counts.changed - told
  return [
    ...missing.map((name) => terminal.style('red', `- ${oneLine(name)}: intended, but clients do not get it`)),
    ...extra.map((name) => terminal.style('green', `+ ${oneLine(name)}: clients get it, but it is not intended`)),
    ...changed.map(({ name, fields }) => `~ ${oneLine(name)}\n${indent(describeDifferences(fields, terminal))}`),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ].join('\n')
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}
