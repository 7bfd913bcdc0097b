import type { JsonPath } from './json-path.ts'

/** Something wrong with JSON as text. */
export interface JsonFault {
  readonly offset: number
  readonly path: JsonPath
  readonly message: string
  /** Where a key was given first. */
  readonly firstOffset?: number
}

/**
 * Reads JSON only to say what is wrong with it and where: the first syntax error, or else every key that is given twice
 * and every `__proto__`. It does not bound its depth; its caller does.
 */
export function inspectJson(text: string): JsonFault[] {
  const inspector = new Inspector(text)
  try {
    inspector.inspect()
    return inspector.faults
  } catch (error) {
    if (error instanceof SyntaxFault) return [error.fault]
    throw error
  }
}

class SyntaxFault extends Error {
  readonly fault: JsonFault

  constructor(fault: JsonFault) {
    super(fault.message)
    this.fault = fault
  }
}

const maxFaults = 50
const plainValue = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

class Inspector {
  readonly faults: JsonFault[] = []
  readonly #text: string
  readonly #path: (string | number)[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  inspect(): void {
    this.#readValue()
    this.#skipSpace()
    if (this.#at < this.#text.length) throw this.#fault('Nothing may follow the end of the JSON value.')
  }

  #readValue(): void {
    this.#skipSpace()
    const character = this.#text[this.#at]
    if (character === '{') this.#readEntries('}', this.#memberReader())
    else if (character === '[') this.#readEntries(']', (index) => this.#readElement(index))
    else if (character === '"') this.#readText()
    else if (!this.#skip(plainValue)) throw this.#fault(this.#valueMessage())
    else if (/[\w.+]/.test(this.#text[this.#at] ?? '')) throw this.#fault('This is no value of JSON.')
  }

  #readEntries(closing: '}' | ']', readEntry: (index: number) => void): void {
    this.#at++
    this.#skipSpace()
    if (this.#take(closing)) return
    for (let index = 0; ; index++) {
      readEntry(index)
      this.#skipSpace()
      if (this.#take(closing)) return
      if (!this.#take(','))
        throw this.#fault(this.#isAtEnd() ? `A '${closing}' is missing here.` : this.#commaMessage())
      this.#skipSpace()
      if (this.#text[this.#at] === closing) throw this.#fault('JSON has no comma after the last entry. Remove it.')
    }
  }

  #readElement(index: number): void {
    this.#path.push(index)
    this.#readValue()
    this.#path.pop()
  }

  #memberReader(): () => void {
    const first = new Map<string, number>()
    return () => {
      const offset = this.#at
      if (this.#text[offset] !== '"') throw this.#fault(this.#commentMessage() ?? 'A key in double quotes is expected.')
      this.#readText()
      const key = JSON.parse(this.#text.slice(offset, this.#at)) as string
      this.#path.push(key)
      const firstOffset = first.get(key)
      if (key === '__proto__') this.#note(offset, "'__proto__' cannot be a key.")
      else if (firstOffset !== undefined) this.#note(offset, `'${key}' is given twice. Remove one.`, firstOffset)
      else first.set(key, offset)
      this.#skipSpace()
      if (!this.#take(':')) throw this.#fault('A colon is expected here.')
      this.#readValue()
      this.#path.pop()
    }
  }

  #readText(): void {
    const start = this.#at
    this.#at++
    for (;;) {
      this.#skipPlainText()
      if (this.#take('"')) return
      if (this.#isAtEnd() || this.#text[this.#at] === '\n') {
        this.#at = start
        throw this.#fault('This text has no closing quote.')
      }
      if (this.#skip(escape)) continue
      const isEscape = this.#text[this.#at] === '\\'
      throw this.#fault(
        isEscape
          ? 'JSON has no such escape. A backslash itself is written \\\\.'
          : 'This character must be escaped, such as \\t.',
      )
    }
  }

  #valueMessage(): string {
    if (this.#isAtEnd()) return 'A value is missing here.'
    const comment = this.#commentMessage()
    return comment ?? 'This is no value of JSON. Text is written in double quotes.'
  }

  #commaMessage(): string {
    return this.#commentMessage() ?? 'A comma is missing before this.'
  }

  #commentMessage(): string | undefined {
    const isComment = this.#text.startsWith('//', this.#at) || this.#text.startsWith('/*', this.#at)
    return isComment ? 'JSON has no comments. Remove this one.' : undefined
  }

  #note(offset: number, message: string, firstOffset?: number): void {
    if (this.faults.length >= maxFaults) return
    const fault = { offset, path: [...this.#path], message }
    this.faults.push(firstOffset === undefined ? fault : { ...fault, firstOffset })
  }

  #fault(message: string): SyntaxFault {
    return new SyntaxFault({ offset: this.#at, path: [...this.#path], message })
  }

  #isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    const length = pattern.exec(this.#text)?.[0].length ?? 0
    this.#at += length
    return length > 0
  }

  #skipPlainText(): void {
    for (; this.#text.charCodeAt(this.#at) >= 0x20; this.#at++) {
      if (this.#text[this.#at] === '"' || this.#text[this.#at] === '\\') return
    }
  }

  #skipSpace(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'x')) this.#at++
  }
}
