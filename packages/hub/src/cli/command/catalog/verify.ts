import type { DriftReport } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { exitCodes } from '../../exit-codes.ts'
import { count } from '../../format-quantity.ts'
import { showProgress } from '../../show-progress.ts'

export function verifyCommand(cli: Cli): Command {
  return new Command('verify')
    .description('compare what clients really get with what is intended')
    .option('--fail-on-drift', 'end with exit code 6 when they differ')
    .addHelpText(
      'after',
      `
Exit codes:
  0      they are the same; without --fail-on-drift also when they differ
  6      they differ
  other  they could not be compared, see herma --help`,
    )
    .action(async (flags: { failOnDrift?: boolean }) => {
      const report = await readDrift(cli)
      if (report.hasDrift && flags.failOnDrift) cli.exitCode = exitCodes.drift
      cli.terminal.answer(report, () => describeDrift(report))
    })
}

/** Both lists are taken anew, which may take a moment. */
export async function readDrift(cli: Cli): Promise<DriftReport> {
  const hub = await connectHub(cli)
  const work = hub.send<DriftReport>('GET', '/api/catalog/drift', undefined, { patient: true })
  return showProgress(cli.terminal, 'Comparing', work)
}

function describeDrift({ hasDrift, live, counts: { missing, extra, changed } }: DriftReport): string {
  if (!hasDrift) return `The live catalog is the intended one: ${count(live.tools, 'tool')}.`
  const kinds = [
    missing > 0 && `${missing} missing`,
    extra > 0 && `${extra} extra`,
    changed > 0 && `${changed} changed`,
  ]
  return `The live catalog is not the intended one: ${kinds.filter(Boolean).join(', ')}. See: herma catalog diff`
}
