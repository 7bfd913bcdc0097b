import type { CatalogHistory } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'
import { wholeNumber } from './whole-number.ts'

const shownHash = 12

export function historyCommand(cli: Cli): Command {
  return new Command('history')
    .description('list earlier catalogs and the drift that was seen, newest first')
    .option('--limit <number>', 'at most so many of each', wholeNumber('--limit', 1000), 20)
    .action(async ({ limit }: { limit: number }) => {
      const hub = await connectHub(cli)
      const history = await hub.send<CatalogHistory>('GET', `/api/catalog/history?limit=${limit}`)
      cli.terminal.answer(history, () => describeHistory(cli, history))
    })
}

function describeHistory({ terminal }: Cli, { snapshots, drift }: CatalogHistory): string {
  if (snapshots.length === 0) return 'There is no history so far.'
  const catalogs = snapshots.map(({ at, kind, tools, hash }) => [at, kind, String(tools), hash.slice(0, shownHash)])
  const reports = drift.map(({ at, counts, intended, live }) => [
    at,
    ...[counts.missing, counts.extra, counts.changed].map(String),
    intended.hash.slice(0, shownHash),
    live.hash.slice(0, shownHash),
  ])
  return [
    formatTable([['CATALOG SINCE', 'KIND', 'TOOLS', 'HASH'], ...catalogs], terminal.columns),
    ...(drift.length === 0
      ? []
      : [formatTable([['COMPARED', 'MISSING', 'EXTRA', 'CHANGED', 'INTENDED', 'LIVE'], ...reports], terminal.columns)]),
  ].join('\n\n')
}
