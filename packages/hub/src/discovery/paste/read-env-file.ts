import { HubError, type NamedValue } from '@herma/contract'
import { toNamedValue } from './to-draft.ts'

const assignment = /^(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*)$/

/** Whether a text is nothing but assignments and comments: a .env file. A command behind one makes it a command. */
export function isEnvFile(text: string): boolean {
  const [first = '', ...more] = text.split('\n').filter((line) => line.trim() !== '' && !/^\s*#/.test(line))
  const [, , value] = assignment.exec(first.trim()) ?? []
  if (value === undefined) return false
  // `NAME=value command` is a command; in a file a value with blanks has quotes, or there are more lines.
  return more.length > 0 || !/^[^\s"']+\s+[^\s#]/.test(value)
}

/** Reads a .env file. Quotes may go over lines; `#` behind a blank begins a comment. */
export function readEnvFile(text: string): NamedValue[] {
  const lines = text.split('\n')
  const rows: NamedValue[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!.trim()
    if (line === '' || line.startsWith('#')) continue
    const [, name = '', raw] = assignment.exec(line) ?? []
    if (raw === undefined) throw new HubError('PARSE_ERROR', `Line ${index + 1}: expected NAME=value.`)
    const sign = raw[0]
    if (sign !== '"' && sign !== "'") {
      rows.push(toNamedValue(name, raw.replace(/\s+#.*$/, '').trim()))
      continue
    }
    const first = index
    let value = raw.slice(1)
    while (closeOf(value, sign) === -1 && index + 1 < lines.length) value += `\n${lines[++index]!}`
    const end = closeOf(value, sign)
    if (end === -1) throw new HubError('PARSE_ERROR', `Line ${first + 1}: the quote ${sign} is not closed. Close it.`)
    const inside = value.slice(0, end)
    rows.push(toNamedValue(name, sign === '"' ? unescape(inside) : inside))
  }
  return rows
}

function closeOf(value: string, sign: string): number {
  const pattern = sign === '"' ? /^(?:[^"\\]|\\[^])*/ : /^[^']*/
  const length = pattern.exec(value)?.[0].length ?? 0
  return value[length] === sign ? length : -1
}

function unescape(text: string): string {
  return text.replaceAll(/\\([^])/g, (_, sign: string) => ({ n: '\n', r: '\r', t: '\t' })[sign] ?? sign)
}
