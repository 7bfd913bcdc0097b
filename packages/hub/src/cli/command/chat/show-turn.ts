import type { ApprovalAnswer, ChatEvent, ChatInput } from '@herma/contract'

import { cleanText, oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { count } from '../../terminal/format-quantity.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import type { Prompter } from '../../terminal/line-reader.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { type ApprovalWanted, sendApproval } from './ask-approval.ts'
import { describeCall } from './describe-message.ts'
import { streamTurn } from './stream-turn.ts'

interface ShownTurn {
  readonly session: string
  readonly thread: string
  /** Null = the turn that is under way. */
  readonly input: ChatInput | null
  /** Null leaves the answer to somebody else. */
  approve(wanted: ApprovalWanted): Promise<ApprovalAnswer['answer'] | null>
  /** Tells of Ctrl-C; absent where it simply ends the program. */
  onInterrupt?(listener: () => void): () => void
}

interface TurnEnd {
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
    hub.api.cancelTurn({ name: session, thread }).catch((error: Error) => cli.terminal.note(error.message))
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

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Tells of Ctrl-C, which a terminal that is being read sends as a key, and of signals. Returns what stops it. */
export function listenInterrupts(lines: Prompter | null, listener: () => void): () => void {
  const forget = lines?.onInterrupt(listener)
  for (const signal of signals) process.on(signal, listener)
  return () => {
    forget?.()
    for (const signal of signals) process.off(signal, listener)
  }
}

interface TurnPrinter {
  show(event: ChatEvent): void
  /** Ends a line that is not full, before something else is written. */
  breakLine(): void
}

const shownError = 200

/**
 * Shows a turn. A screen gets the text as it comes; a pipe gets the answer and nothing else, at the end; a program gets
 * every event on a line of its own.
 */
function createTurnPrinter(terminal: Terminal): TurnPrinter {
  const calls = new Map<string, string>()
  let isInLine = false
  let wasShown = false
  let hasStatus = false
  const setStatus = (text: string) => {
    if (text !== '' || hasStatus) terminal.rewrite(text)
    hasStatus = text !== ''
  }
  const breakLine = () => {
    setStatus('')
    if (isInLine) terminal.write('\n')
    isInLine = false
  }
  const note = (text: string) => {
    breakLine()
    terminal.note(text)
  }
  const write = (text: string, shown: string) => {
    if (text === '') return
    setStatus('')
    terminal.write(shown)
    isInLine = !text.endsWith('\n')
  }
  const finish = ({ text, usage, costUsd }: Extract<ChatEvent, { type: 'done' }>) => {
    breakLine()
    // What a tool answered in place of the model does not come in pieces.
    if (!terminal.isScreen || !wasShown) terminal.printForeign(text)
    const cost = costUsd === null ? '' : `, $${costUsd.toFixed(4)}`
    if (terminal.isScreen) terminal.note(terminal.style('dim', `(${count(usage.totalTokens, 'token')}${cost})`))
  }
  const show = (event: ChatEvent) => {
    switch (event.type) {
      case 'text-delta': {
        const text = cleanText(event.text)
        if (!terminal.isScreen) return
        wasShown = true
        return write(text, text)
      }
      case 'reasoning-delta': {
        const text = cleanText(event.text)
        // Without colours nobody could tell it from the answer.
        return terminal.isScreen && terminal.hasColour ? write(text, terminal.style('dim', text)) : undefined
      }
      case 'tool-call':
        calls.set(event.id, describeCall(event.name, event.arguments))
        breakLine()
        return setStatus(`… ${oneLine(event.name)}`)
      case 'tool-result': {
        const line = `${event.isError ? '✗' : '✓'} ${calls.get(event.id) ?? oneLine(event.name)}  ${Math.round(event.ms)} ms`
        calls.delete(event.id)
        const why = event.isError ? `\n  ${oneLine(event.text).slice(0, shownError)}` : ''
        return note(terminal.style(event.isError ? 'red' : 'dim', line + why))
      }
      case 'retry':
        return note(`Trying again in ${Math.ceil(event.delayMs / 1000)} s: ${oneLine(event.because)}`)
      case 'warning':
        return note(terminal.style('yellow', cleanText(event.text)))
      case 'diff':
        return note(`Changes: ${event.files.map(oneLine).join(', ')}`)
      case 'done':
        return finish(event)
      case 'begin':
        return setStatus('…')
      case 'approval-wanted':
        return undefined
      case 'error':
        return breakLine()
    }
  }
  return { show: terminal.isMachine ? (event) => terminal.print(JSON.stringify(event)) : show, breakLine }
}
