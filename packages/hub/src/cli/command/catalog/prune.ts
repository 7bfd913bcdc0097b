import type { PruneReport } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { count } from '../../format-quantity.ts'
import { wholeNumber } from './whole-number.ts'

interface Flags {
  keep?: number
  olderThan?: number
}

export function pruneCommand(cli: Cli): Command {
  return new Command('prune')
    .description('forget old history of the catalog')
    .option('--keep <number>', 'keep the newest so many of each kind (50)', wholeNumber('--keep', 10_000))
    .option('--older-than <days>', 'forget what is older (90)', wholeNumber('--older-than', 36_500))
    .action(async ({ keep, olderThan }: Flags) => {
      const hub = await connectHub(cli)
      const report = await hub.send<PruneReport>('POST', '/api/catalog/history/prune', {
        ...(keep === undefined ? {} : { keep }),
        ...(olderThan === undefined ? {} : { olderThanDays: olderThan }),
      })
      cli.terminal.answer(report, () => {
        const { snapshots, drift, descriptors } = report
        return `Forgot ${count(snapshots, 'catalog')}, ${count(drift, 'drift report')} and ${count(descriptors, 'descriptor')}.`
      })
    })
}
