import { textFault } from './text-fault.ts'

/**
 * Reads JSON as clients write it: comments and commas too many are read over. Throws PARSE_ERROR with the line and what
 * was expected there, which JSON.parse does not always know.
 */
export function parseLooseJson(text: string): unknown {
  const reader = new JsonReader(text)
  const value = reader.readValue(0)
  reader.skipSpace()
  if (reader.position < text.length) throw reader.fault('the text goes on behind its last bracket. Remove the rest.')
  return value
}

const maxDepth = 100
const word = /-?\d[\d.eE+-]*|[A-Za-z_]\w*/y
const space = /(?:\s|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))*/y
// What is never closed goes to the end of the text, so that it is not looked for again from every sign on.
const quoted = /"(?:[^"\\]|\\[^])*(?:"|\\?$)/y
const constants = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])

class JsonReader {
  position = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  readValue(depth: number): unknown {
    if (depth > maxDepth) throw this.fault(`brackets are nested more than ${maxDepth} deep.`)
    this.skipSpace()
    const sign = this.#text[this.position]
    if (sign === '{') return this.#readObject(depth)
    if (sign === '[') return this.#readList(depth)
    if (sign === '"') return this.#readString()
    return this.#readWord()
  }

  skipSpace(): void {
    this.#match(space)
  }

  fault(expected: string): Error {
    return textFault(this.#text, this.position, expected)
  }

  #readObject(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = []
    this.position++
    while (!this.#closes('}')) {
      if (this.#text[this.position] !== '"') throw this.fault('expected a name in double quotes, or }.')
      const name = this.#readString()
      this.skipSpace()
      if (this.#text[this.position] !== ':') throw this.fault('expected : behind the name.')
      this.position++
      entries.push([name, this.readValue(depth + 1)])
      this.#readComma('}')
    }
    return Object.fromEntries(entries)
  }

  #readList(depth: number): unknown[] {
    const values: unknown[] = []
    this.position++
    while (!this.#closes(']')) {
      values.push(this.readValue(depth + 1))
      this.#readComma(']')
    }
    return values
  }

  #closes(bracket: string): boolean {
    this.skipSpace()
    if (this.#text[this.position] !== bracket) return false
    this.position++
    return true
  }

  #readComma(bracket: string): void {
    this.skipSpace()
    const sign = this.#text[this.position]
    if (sign === ',') this.position++
    else if (sign !== bracket) throw this.fault(`expected a comma or ${bracket}.`)
  }

  #readString(): string {
    const start = this.position
    const found = this.#match(quoted)
    try {
      return JSON.parse(found) as string
    } catch {
      this.position = start
      throw this.fault('this text in double quotes is not closed on its line, or holds a sign that needs a \\.')
    }
  }

  #readWord(): unknown {
    const start = this.position
    const found = this.#match(word)
    if (constants.has(found)) return constants.get(found)
    const number = Number(found)
    if (found !== '' && /^[-\d]/.test(found) && Number.isFinite(number)) return number
    this.position = start
    throw this.fault('expected a value: a text in double quotes, a number, true, false, null, { or [.')
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.position
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.position += found.length
    return found
  }
}
