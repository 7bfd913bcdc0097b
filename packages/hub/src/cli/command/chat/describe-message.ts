import type { MessagePart, ThreadMessage } from '@herma/contract'

import { cleanText, oneLine } from '../../terminal/clean-text.ts'
import type { Terminal } from '../../terminal/terminal.ts'

const shownChars = 200

/** One message of a thread: who, when, and each part of what. */
export function describeMessage({ role, at, parts }: ThreadMessage, terminal: Terminal): string {
  const shown = parts.map((part) => describePart(part, terminal)).filter((text) => text !== '')
  return [terminal.style('bold', `${role}  ${at}`), ...shown].join('\n')
}

function describePart(part: MessagePart, terminal: Terminal): string {
  switch (part.type) {
    case 'text':
      return cleanText(part.text)
    case 'reasoning':
      return terminal.style('dim', shorten(oneLine(part.text)))
    case 'image':
      return `[image: ${oneLine(part.mediaType)}]`
    case 'tool-call':
      return `· ${describeCall(part.name, part.arguments)}`
    case 'tool-result':
      return `${part.isError ? '✗' : '✓'} ${oneLine(part.name)}${part.ms === undefined ? '' : `  ${Math.round(part.ms)} ms`}  ${shorten(oneLine(part.text))}`
  }
}

/** A tool call on one line. */
export function describeCall(name: string, args: unknown): string {
  const given = args === undefined ? '' : JSON.stringify(args)
  return oneLine(`${name} ${shorten(given)}`)
}

function shorten(text: string): string {
  return text.length <= shownChars ? text : `${text.slice(0, shownChars - 1)}…`
}
