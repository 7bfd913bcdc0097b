import type { ThreadDetail, ThreadView } from '@herma/contract'
import { Command, Option } from 'commander'

import { oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { wholeNumber } from '../../flag/whole-number.ts'
import { formatDuration } from '../../terminal/format-quantity.ts'
import { formatTable } from '../../terminal/format-table.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { describeMessage } from './describe-message.ts'

const maxLimit = 200

export function threadsCommand(cli: Cli): Command {
  return new Command('threads')
    .description('your talks with a session, the newest first')
    .argument('<session>', 'name of the session')
    .option('-n, --limit <number>', 'how many; absent: 50', wholeNumber('--limit', maxLimit))
    .option('--cursor <cursor>', 'the next page, as the one before names it')
    .action(async (session: string, { limit, cursor }: { limit?: number; cursor?: string }) => {
      const { api } = await connectHub(cli)
      const page = await api.listThreads({ name: session, limit, cursor })
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

interface Flags {
  title?: string
  follow?: boolean
  cancel?: boolean
  remove?: boolean
}

export function threadCommand(cli: Cli): Command {
  const other = ['title', 'follow', 'cancel', 'remove']
  const only = (name: string) => other.filter((each) => each !== name)
  return new Command('thread')
    .description('show a talk with a session, follow or end what is under way in it, rename or forget it')
    .argument('<session>', 'name of the session')
    .argument('<thread>', 'id of the thread, as herma session threads shows it')
    .addOption(new Option('--title <text>', 'give it another title').conflicts(only('title')))
    .addOption(new Option('--follow', 'show the turn that is under way until it ends').conflicts(only('follow')))
    .addOption(new Option('--cancel', 'end the turn that is under way').conflicts(only('cancel')))
    .addOption(new Option('--remove', 'forget the thread').conflicts(only('remove')))
    .action(async (session: string, id: string, flags: Flags) => {
      const hub = await connectHub(cli)
      const place = { session, id }
      if (flags.title !== undefined) return rename(cli, hub, { ...place, title: flags.title })
      if (flags.remove === true) return remove(cli, hub, place)
      if (flags.cancel === true) return cancel(cli, hub, place)
      if (flags.follow === true) {
        // Loaded here, because only talks read streams.
        const { followThread } = await import('./one-shot.ts')
        return followThread(cli, hub, place)
      }
      const thread = await hub.api.getThread({ name: session, thread: id })
      cli.terminal.answer(thread, () => describeThread(cli, thread))
    })
}

interface Place {
  readonly session: string
  readonly id: string
}

async function rename(cli: Cli, hub: HubClient, { session, id, title }: Place & { title: string }): Promise<void> {
  const thread = await hub.api.renameThread({ name: session, thread: id, body: { title } })
  cli.terminal.answer(thread, () => `It is called '${oneLine(thread.title)}' now.`)
}

async function remove(cli: Cli, hub: HubClient, { session, id }: Place): Promise<void> {
  await hub.api.removeThread({ name: session, thread: id })
  cli.terminal.answer({ session, thread: id, removed: true }, () => 'The thread is gone.')
}

async function cancel(cli: Cli, hub: HubClient, { session, id }: Place): Promise<void> {
  await hub.api.cancelTurn({ name: session, thread: id })
  cli.terminal.answer(
    { session, thread: id, cancelled: true },
    () => 'Whatever was under way ends; nothing of it is kept.',
  )
}

function describeThread({ terminal }: Cli, thread: ThreadDetail): string {
  const { session, id, title, messages, isRunning } = thread
  const goOn = isRunning
    ? `A turn is under way: herma session thread ${session} ${id} --follow`
    : `Go on: herma chat ${session} --thread ${id}`
  const parts = [oneLine(title), ...messages.map((message) => describeMessage(message, terminal)), goOn]
  return parts.filter((part) => part !== '').join('\n\n')
}
