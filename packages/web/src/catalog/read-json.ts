export type ReadJson = { readonly value: unknown } | { readonly problem: string }

/** Reads JSON, or says what is wrong and in which line. */
export function readJson(text: string): ReadJson {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    const { message } = error as Error
    const at = /position (\d+)/.exec(message)?.[1]
    if (at === undefined) return { problem: `This is not JSON: ${message}` }
    const before = text.slice(0, Number(at)).split('\n')
    const what = message.replace(/ (in JSON )?at position.*$/, '').replace(/, .*is not valid JSON$/, '')
    return { problem: `Line ${before.length}, column ${before.at(-1)!.length + 1}: ${what}.` }
  }
}

/** The line in which the value at a path stands, from 1; the nearest one around it when it is not there. */
export function lineOfPath(text: string, path: readonly (string | number)[]): number {
  let offset = text.search(/\S/)
  for (const part of path) {
    const next = findEntry(text, offset, String(part))
    if (next === null) break
    offset = next
  }
  return text.slice(0, Math.max(0, offset)).split('\n').length
}

/** Where the value of a key, or of a place in a list, begins inside the object or list at an offset. */
function findEntry(text: string, start: number, wanted: string): number | null {
  const isList = text[start] === '['
  let depth = 0
  let index = 0
  let isKey = true
  for (const token of tokensFrom(text, start)) {
    if (depth === 1 && !'}],:'.includes(token.text)) {
      if (isList && String(index) === wanted) return token.at
      if (!isList && isKey && token.text === JSON.stringify(wanted))
        return valueAfter(text, token.at + token.text.length)
    }
    if ('{['.includes(token.text)) depth++
    else if ('}]'.includes(token.text)) depth--
    else if (depth === 1 && token.text === ',') [index, isKey] = [index + 1, true]
    else if (depth === 1 && token.text === ':') isKey = false
    if (depth === 0) return null
  }
  return null
}

function* tokensFrom(text: string, start: number): Generator<{ text: string; at: number }> {
  const pattern = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g
  pattern.lastIndex = start
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text))
    yield { text: match[0], at: match.index }
}

function valueAfter(text: string, end: number): number {
  return end + /^[\s:]*/.exec(text.slice(end, end + 1000))![0].length
}
