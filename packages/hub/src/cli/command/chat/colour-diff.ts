import { cleanText } from '../../clean-text.ts'
import type { Terminal } from '../../terminal.ts'

/** A unified diff for people. */
export function colourDiff(diff: string, terminal: Terminal): string {
  return cleanText(diff)
    .split('\n')
    .map((line) => (line.startsWith('+') ? terminal.style('green', line) : colourRemoved(line, terminal)))
    .join('\n')
}

function colourRemoved(line: string, terminal: Terminal): string {
  return line.startsWith('-') ? terminal.style('red', line) : line
}
