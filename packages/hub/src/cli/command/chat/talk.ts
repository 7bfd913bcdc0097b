import { cleanText } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { askApproval, colourDiff } from './ask-approval.ts'
import { listenInterrupts, showTurn } from './show-turn.ts'
import { describeThreads } from './thread.ts'

interface TalkOptions {
  readonly session: string
  /** Null = a new one. */
  readonly thread: string | null
  readonly cwd?: string
  readonly isApproving: boolean
}

const help = `/new            begin a new thread
/threads        your threads with this session
/thread ID      go on with one of them
/diff           the changes of the last turn
/quit           leave (so does Ctrl-D)
Ctrl-C ends the turn that is under way. What begins with // is said with one /.`

/** Talks with a session on a terminal until the person leaves. */
export async function talk(cli: Cli, hub: HubClient, options: TalkOptions): Promise<void> {
  const { terminal } = cli
  const { session, cwd, isApproving } = options
  const { provider, model } = await hub.api.getSession({ name: session })
  terminal.note(
    terminal.style('dim', `${session}: ${[provider, model].join(' ').trim()}. /help tells what else there is.`),
  )
  const lines = terminal.openLines()
  const state: TalkState = { thread: options.thread, diff: null }
  let wasInterrupted = false
  try {
    for (;;) {
      const answer = await lines.ask('> ')
      if (answer === 'end') return
      if (answer === 'interrupted') {
        terminal.note('')
        if (wasInterrupted) return
        wasInterrupted = true
        terminal.note('Ctrl-C again, or /quit, leaves.')
        continue
      }
      wasInterrupted = false
      const text = answer.text.trim()
      if (text === '') continue
      if (/^\/(?!\/)/.test(text)) {
        if (!(await obey(text, { hub, session, state, terminal }))) return
        continue
      }
      const end = await sayText(text.startsWith('//') ? text.slice(1) : text)
      if (end === 'left') return
    }
  } finally {
    lines.close()
  }

  async function sayText(text: string): Promise<'left' | 'on'> {
    try {
      state.thread ??= await beginThread(hub, session)
      const end = await showTurn(cli, hub, {
        session,
        thread: state.thread,
        input: { text, ...(cwd !== undefined && { cwd }) },
        approve: (wanted) => (isApproving ? Promise.resolve('once' as const) : askApproval(wanted, lines, terminal)),
        onInterrupt: (listener) => listenInterrupts(lines, listener),
      })
      if (end.state === 'cancelled') terminal.note('Cancelled. Nothing of it is kept.')
      if (end.diff !== null) state.diff = end.diff
      return end.state === 'left' ? 'left' : 'on'
    } catch (error) {
      // A turn that failed is no reason to end the talk; a hub that is gone is.
      if (!(error instanceof CliError) || error.exitCode === exitCodes.hubNotRunning) throw error
      terminal.note(terminal.style('red', cleanText(error.message)))
      return 'on'
    }
  }
}

interface TalkState {
  thread: string | null
  diff: string | null
}

interface Obedience {
  readonly hub: HubClient
  readonly session: string
  readonly state: TalkState
  readonly terminal: Terminal
}

/** Does what a line that begins with / says; false = the person leaves. */
async function obey(text: string, { hub, session, state, terminal }: Obedience): Promise<boolean> {
  const [word = '', id = ''] = text.split(/\s+/)
  switch (word) {
    case '/quit':
    case '/exit':
      return false
    case '/new':
      state.thread = null
      terminal.note('A new thread begins with what you say next.')
      return true
    case '/threads': {
      const { threads } = await hub.api.listThreads({ name: session, limit: 20 })
      terminal.print(describeThreads(threads, session, terminal))
      return true
    }
    case '/thread':
      state.thread = await changeThread(hub, { session, id, terminal, before: state.thread })
      return true
    case '/diff':
      terminal.print(state.diff === null ? 'Nothing was changed so far.' : colourDiff(state.diff, terminal))
      return true
    case '/help':
      terminal.print(help)
      return true
    default:
      terminal.note(`There is no ${word}. /help tells what there is.`)
      return true
  }
}

async function changeThread(
  hub: HubClient,
  { session, id, terminal, before }: { session: string; id: string; terminal: Terminal; before: string | null },
): Promise<string | null> {
  try {
    const thread = await findThread(hub, session, { thread: id })
    terminal.note('You go on in this thread.')
    return thread
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== exitCodes.notFound) throw error
    terminal.note(error.message)
    return before
  }
}

export interface ThreadChoice {
  /** Id of a thread. */
  readonly thread?: string
  /** The newest one. */
  readonly continue?: boolean
}

/** The thread that somebody wants to go on with; null = a new one. */
export async function findThread(hub: HubClient, session: string, choice: ThreadChoice): Promise<string | null> {
  if (choice.thread !== undefined) {
    const { id } = await hub.api.getThread({ name: session, thread: choice.thread })
    return id
  }
  if (choice.continue !== true) return null
  const { threads } = await hub.api.listThreads({ name: session, limit: 1 })
  if (threads[0] !== undefined) return threads[0].id
  throw new CliError(exitCodes.notFound, `You have not talked to '${session}' yet. Begin without --continue.`)
}

export async function beginThread(hub: HubClient, session: string): Promise<string> {
  const { id } = await hub.api.addThread({ name: session, body: {} })
  return id
}
