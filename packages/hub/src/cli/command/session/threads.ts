import type { ThreadPage, ThreadView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatDuration } from '../../format-quantity.ts'
import { formatTable } from '../../format-table.ts'
import type { Terminal } from '../../terminal.ts'
import { wholeNumber } from '../catalog/whole-number.ts'
import { sessionPath } from './session-path.ts'

const maxLimit = 200

export function threadsCommand(cli: Cli): Command {
  return new Command('threads')
    .description('your talks with a session, the newest first')
    .argument('<session>', 'name of the session')
    .option('-n, --limit <number>', 'how many; absent: 50', wholeNumber('--limit', maxLimit))
    .option('--cursor <cursor>', 'the next page, as the one before names it')
    .action(async (session: string, { limit, cursor }: { limit?: number; cursor?: string }) => {
      const hub = await connectHub(cli)
      const query = new URLSearchParams({
        ...(limit !== undefined && { limit: String(limit) }),
        ...(cursor !== undefined && { cursor }),
      })
      const page = await hub.send<ThreadPage>('GET', sessionPath(session, `/threads?${query.toString()}`))
      cli.terminal.answer(page, () => describeThreads(page.threads, session, cli.terminal))
      if (page.next !== null && !cli.terminal.isMachine)
        cli.terminal.note(`There are more: herma session threads ${session} --cursor ${page.next}`)
    })
}

export function describeThreads(threads: readonly ThreadView[], session: string, terminal: Terminal): string {
  if (threads.length === 0) return `You have not talked to '${session}' yet. Do so: herma chat ${session}`
  const rows = threads.map(({ id, updatedAt, messageCount, costUsd, isRunning, title }) => [
    id,
    formatDuration(Date.now() - Date.parse(updatedAt)),
    String(messageCount),
    costUsd === null ? '-' : `$${costUsd.toFixed(4)}`,
    `${isRunning ? '(at work) ' : ''}${title}`,
  ])
  return formatTable([['THREAD', 'AGE', 'MESSAGES', 'COST', 'TITLE'], ...rows], terminal.columns)
}
