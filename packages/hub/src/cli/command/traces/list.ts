import type { EventPage } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'
import { wholeNumber } from '../catalog/whole-number.ts'
import { describeEvent, eventHeads } from './describe-event.ts'
import { addFilterFlags, readFilterFlags, type FilterFlags } from './filter-flags.ts'

interface Flags extends FilterFlags {
  readonly limit: number
  readonly cursor?: string
}

export function listCommand(cli: Cli): Command {
  return eventsCommand(cli, { name: 'list', path: '/api/traces', empty: 'No event matches.' }).description(
    'list events, newest first; without --kind, calls',
  )
}

/** Lists events of one place of the API. */
export function eventsCommand(cli: Cli, { name, path, empty }: { name: string; path: string; empty: string }): Command {
  return addFilterFlags(new Command(name))
    .option('-n, --limit <number>', 'at most so many', wholeNumber('--limit', 1000), 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .action(async (flags: Flags) => {
      const query = readFilterFlags(name === 'list' ? { kind: 'call.finished', ...flags } : flags)
      query.set('limit', String(flags.limit))
      if (flags.cursor !== undefined) query.set('cursor', flags.cursor)
      const hub = await connectHub(cli)
      const page = await hub.send<EventPage>('GET', `${path}?${query.toString()}`)
      cli.terminal.answer(page, () => describePage(cli, page, empty))
    })
}

function describePage({ terminal }: Cli, { events, next }: EventPage, empty: string): string {
  if (events.length === 0) return empty
  const table = formatTable([eventHeads, ...events.map(describeEvent)], terminal.columns)
  return next === null ? table : `${table}\n\nMore: --cursor ${next}`
}
