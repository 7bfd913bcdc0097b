import type { ChatEvent } from '@herma/contract'

import { cleanText, oneLine } from '../../clean-text.ts'
import { count } from '../../format-quantity.ts'
import type { Terminal } from '../../terminal.ts'
import { describeCall } from '../session/describe-message.ts'

export interface TurnPrinter {
  show(event: ChatEvent): void
  /** Ends a line that is not full, before something else is written. */
  breakLine(): void
}

const shownError = 200

/**
 * Shows a turn. A screen gets the text as it comes; a pipe gets the answer and nothing else, at the end; a program gets
 * every event on a line of its own.
 */
export function createTurnPrinter(terminal: Terminal): TurnPrinter {
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
