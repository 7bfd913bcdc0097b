import { textFault } from './text-fault.ts'

type Table = Record<string, unknown>

/**
 * Reads TOML as far as configurations of clients use it: tables, lists of tables, dotted keys, texts of all four kinds,
 * numbers, booleans, lists and inline tables. Dates come as texts. Throws PARSE_ERROR with the line.
 */
export function parseToml(text: string): Table {
  const reader = new TomlReader(text)
  const root: Table = Object.create(null) as Table
  let table = root
  for (reader.skipLines(); !reader.isAtEnd; reader.skipLines()) {
    const isList = reader.take('[[')
    if (isList || reader.take('[')) {
      const keys = reader.readKeys()
      if (!reader.take(isList ? ']]' : ']')) throw reader.fault(`expected ${isList ? ']]' : ']'} behind the name.`)
      table = isList ? appendTable(root, keys, reader) : enterTable(root, keys, reader)
    } else setValue(table, reader)
    reader.endLine()
  }
  return toPlain(root) as Table
}

const maxDepth = 50
const bareKey = /[A-Za-z0-9_-]+/y
const blank = /[ \t]*/y
const lines = /(?:\s|#[^\n]*)*/y
const basicText = /"((?:[^"\\\n]|\\.)*)"/y
const literalText = /'([^'\n]*)'/y
const longBasicText = /"""\r?\n?((?:[^"\\]|\\[^]|"(?!""))*)"""/y
const longLiteralText = /'''\r?\n?([^]*?)'''/y
const plainWord = /[\w+.:-]+(?: \d[\d:.Z+-]+)?/y

function setValue(table: Table, reader: TomlReader): void {
  const keys = reader.readKeys()
  if (!reader.take('=')) throw reader.fault('expected = behind the name.')
  const last = keys.pop() ?? ''
  const owner = enterTable(table, keys, reader)
  if (Object.hasOwn(owner, last)) throw reader.fault(`'${last}' is set twice. Remove one of them.`)
  owner[last] = reader.readValue(0)
}

function enterTable(root: Table, keys: readonly string[], reader: TomlReader): Table {
  let table = root
  for (const key of keys) {
    const found: unknown = (table[key] ??= Object.create(null))
    const next: unknown = Array.isArray(found) ? found.at(-1) : found
    if (typeof next !== 'object' || next === null) throw reader.fault(`'${key}' has a value already and is no table.`)
    table = next as Table
  }
  return table
}

function appendTable(root: Table, keys: string[], reader: TomlReader): Table {
  const last = keys.pop() ?? ''
  const owner = enterTable(root, keys, reader)
  const list = (owner[last] ??= [])
  if (!Array.isArray(list)) throw reader.fault(`'${last}' has a value already and is no list of tables.`)
  const table = Object.create(null) as Table
  list.push(table)
  return table
}

// Tables have no prototype while they are filled, so that a key named __proto__ is a key like any other.
function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toPlain(each)]))
}

class TomlReader {
  readonly #text: string
  #position = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#text.length
  }

  fault(expected: string): Error {
    return textFault(this.#text, this.#position, expected)
  }

  take(sign: string): boolean {
    this.#match(blank)
    if (!this.#text.startsWith(sign, this.#position)) return false
    this.#position += sign.length
    return true
  }

  skipLines(): void {
    this.#match(lines)
  }

  endLine(): void {
    this.#match(blank)
    if (!this.isAtEnd && !'\r\n#'.includes(this.#text[this.#position]!))
      throw this.fault('expected the end of the line.')
  }

  readKeys(): string[] {
    const keys: string[] = []
    do {
      this.#match(blank)
      const key = this.#matchText() ?? this.#match(bareKey)?.[0]
      if (key === undefined) throw this.fault('expected a name.')
      keys.push(key)
    } while (this.take('.'))
    return keys
  }

  readValue(depth: number): unknown {
    if (depth > maxDepth) throw this.fault(`brackets are nested more than ${maxDepth} deep.`)
    this.#match(blank)
    if (this.take('[')) return this.#readList(depth)
    if (this.take('{')) return this.#readInlineTable(depth)
    const long = this.#match(longBasicText)?.[1]
    if (long !== undefined) return unescape(long.replaceAll(/\\[ \t]*\r?\n\s*/g, ''))
    return this.#match(longLiteralText)?.[1] ?? this.#matchText() ?? this.#readWord()
  }

  #readList(depth: number): unknown[] {
    const values: unknown[] = []
    for (this.skipLines(); !this.take(']'); this.skipLines()) {
      values.push(this.readValue(depth + 1))
      this.skipLines()
      if (!this.take(',') && this.#text[this.#position] !== ']') throw this.fault('expected a comma or ].')
    }
    return values
  }

  #readInlineTable(depth: number): Table {
    const table = Object.create(null) as Table
    for (this.skipLines(); !this.take('}'); this.skipLines()) {
      const keys = this.readKeys()
      if (!this.take('=')) throw this.fault('expected = behind the name.')
      const last = keys.pop() ?? ''
      enterTable(table, keys, this)[last] = this.readValue(depth + 1)
      this.skipLines()
      if (!this.take(',') && this.#text[this.#position] !== '}') throw this.fault('expected a comma or }.')
    }
    return table
  }

  #readWord(): unknown {
    const start = this.#position
    const found = this.#match(plainWord)?.[0] ?? ''
    if (found === 'true' || found === 'false') return found === 'true'
    const number = Number(found.replaceAll(/(?<=\w)_(?=\w)/g, ''))
    if (found !== '' && Number.isFinite(number)) return number
    if (/^\d{4}-\d\d-\d\d|^\d\d:\d\d/.test(found)) return found
    this.#position = start
    throw this.fault('expected a value: a text in quotes, a number, true, false, [ or {.')
  }

  #matchText(): string | undefined {
    const basic = this.#match(basicText)?.[1]
    return basic === undefined ? this.#match(literalText)?.[1] : unescape(basic)
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#position
    const found = pattern.exec(this.#text)
    this.#position += found?.[0].length ?? 0
    return found
  }
}

const escapes: Record<string, string> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001B' }

function unescape(text: string): string {
  return text.replaceAll(/\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|([^]))/g, (whole, short, long, sign: string) => {
    const code = Number.parseInt((short ?? long ?? '') as string, 16)
    if (Number.isNaN(code)) return escapes[sign] ?? sign
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
  })
}
