import type { ApprovalAnswer, ChatEvent, ChatInput } from '@herma/contract'

import type { Cli } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import type { HubClient } from '../../hub-client.ts'
import { threadPath } from '../session/session-path.ts'
import { sendApproval, type ApprovalWanted } from './ask-approval.ts'
import { streamTurn } from './stream-turn.ts'
import { createTurnPrinter } from './turn-printer.ts'

export interface ShownTurn {
  readonly session: string
  readonly thread: string
  /** Null = the turn that is under way. */
  readonly input: ChatInput | null
  /** Null leaves the answer to somebody else. */
  approve(wanted: ApprovalWanted): Promise<ApprovalAnswer['answer'] | null>
  /** Tells of Ctrl-C; absent where it simply ends the program. */
  onInterrupt?(listener: () => void): () => void
}

export interface TurnEnd {
  /** left = a second Ctrl-C: the person does not wait for the end. */
  readonly state: 'done' | 'cancelled' | 'left'
  readonly diff: string | null
}

/** Shows a turn until it is over. The first Ctrl-C cancels it, the second leaves. Throws when the turn fails. */
export async function showTurn(cli: Cli, hub: HubClient, turn: ShownTurn): Promise<TurnEnd> {
  const { session, thread, input } = turn
  const printer = createTurnPrinter(cli.terminal)
  const leaving = new AbortController()
  let isCancelled = false
  let diff: string | null = null
  const cancel = () =>
    hub.send('POST', threadPath(session, thread, '/cancel')).catch((error: Error) => cli.terminal.note(error.message))
  const forget = turn.onInterrupt?.(() => {
    if (isCancelled) return leaving.abort()
    isCancelled = true
    printer.breakLine()
    cli.terminal.note('Cancelling … (Ctrl-C again leaves)')
    void cancel()
  })
  try {
    for await (const event of streamTurn(hub, { session, thread, input, signal: leaving.signal })) {
      printer.show(event)
      // The turn had not begun yet when it was cancelled.
      if (event.type === 'begin' && isCancelled) void cancel()
      if (event.type === 'diff') diff = event.diff
      if (event.type === 'error') {
        if (isCancelled) return { state: 'cancelled', diff: null }
        throw failure(event)
      }
      if (event.type === 'approval-wanted') {
        printer.breakLine()
        const answer = await turn.approve(event)
        const { approval } = event
        if (answer !== null) await sendApproval(hub, { session, approval, answer }, cli.terminal)
      }
    }
    return { state: 'done', diff }
  } catch (error) {
    if (leaving.signal.aborted) return { state: 'left', diff: null }
    throw error
  } finally {
    printer.breakLine()
    forget?.()
  }
}

function failure({ code, message }: Extract<ChatEvent, { type: 'error' }>): CliError {
  return new CliError(exitCodes.downstreamFailed, message, { code })
}
