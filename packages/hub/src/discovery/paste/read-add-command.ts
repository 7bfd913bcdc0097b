import { basename } from 'node:path'
import { HubError, type NamedValue } from '@herma/contract'
import { isObject, readClientServer } from '../client-config.ts'
import { parseLooseJson } from '../text/parse-loose-json.ts'
import { splitFlag, splitPair, WordReader } from './read-arguments.ts'
import { readUrl } from './read-curl.ts'
import { readAddress, readProgram, renameDraft } from './read-program.ts'
import type { CommandWords } from '../text/split-commands.ts'
import { toDraft, toNamedValue, type ReadDraft } from './to-draft.ts'

/** Reads a command with which a client adds a server; null when it is none. */
export function readAddCommand({ line, words }: CommandWords): ReadDraft[] | null {
  const [program = '', ...rest] = words
  const name = basename(program)
  const json = rest.indexOf('--add-mcp')
  if (json !== -1) return [readJsonServer(rest[json + 1], line)]
  if (rest[0] !== 'mcp' || !/^(?:claude|codex|gemini|qwen|amp)$/.test(name)) return null
  if (rest[1] === 'add-json') return [readNamedJson(rest.slice(2), line)]
  if (rest[1] !== 'add') return null
  return [readAdd(new WordReader(rest.slice(2)), line)]
}

interface Added {
  transport: string | undefined
  headers: NamedValue[]
  env: NamedValue[]
  places: string[]
  command: readonly string[]
  notes: string[]
}

function readAdd(reader: WordReader, line: number): ReadDraft {
  const added: Added = { transport: undefined, headers: [], env: [], places: [], command: [], notes: [] }
  while (!reader.isAtEnd) readWord(reader, added)
  const [name, place, ...args] = added.places
  if (name === undefined) throw new HubError('PARSE_ERROR', `Line ${line}: expected the name of the server behind add.`)
  const words = added.command.length > 0 ? added.command : place === undefined ? [] : [place, ...args]
  const [first, ...others] = words
  if (first === undefined)
    throw new HubError('PARSE_ERROR', `Line ${line}: expected an address or a command behind '${name}'.`)
  const isAddress = /^https?:\/\//i.test(first)
  const read = renameDraft(isAddress ? readAddress(readUrl(first, line)) : readProgram(first, others), name)
  const { draft } = read
  const transport = isAddress && added.transport === 'sse' ? 'sse' : draft.transport
  const env = [...added.env, ...draft.env]
  return {
    draft: { ...draft, transport, headers: [...added.headers, ...draft.headers], env },
    notes: [...read.notes, ...added.notes],
  }
}

function readWord(reader: WordReader, added: Added): void {
  const word = reader.next()
  const { flag, value } = splitFlag(word)
  const valueOf = () => value ?? reader.next()
  if (word === '--') added.command = reader.rest()
  else if (flag === '-t' || flag === '--transport') added.transport = valueOf()
  else if (flag === '-s' || flag === '--scope') valueOf()
  else if (flag === '-e' || flag === '--env') pushPair(added.env, valueOf(), '=')
  else if (flag === '-H' || flag === '--header') pushPair(added.headers, valueOf(), ':')
  else if (flag === '--url') added.places.push(valueOf())
  else if (flag === '--bearer-token-env-var') {
    added.headers.push({ name: 'Authorization', secret: true })
    added.notes.push(`Authorization needs a value: "Bearer " and what your shell has in ${valueOf()}.`)
  } else if (added.places.length >= 2) added.places.push(word)
  else if (!word.startsWith('-')) added.places.push(word)
  else added.notes.push(`${flag} was left out: a connector has no such setting.`)
}

function pushPair(values: NamedValue[], text: string, sign: '=' | ':'): void {
  const pair = splitPair(text, sign)
  values.push(pair === undefined ? { name: text } : toNamedValue(pair.name, pair.value))
}

function readNamedJson(words: readonly string[], line: number): ReadDraft {
  const [name = '', json] = words.filter((word) => !word.startsWith('-'))
  return renameDraft(readJsonServer(json, line, name), name)
}

/** A server as VS Code takes it on its command line: an object that holds its own name. */
function readJsonServer(json: string | undefined, line: number, fallback = 'server'): ReadDraft {
  const value = json === undefined ? undefined : parseLooseJson(json)
  if (!isObject(value))
    throw new HubError('PARSE_ERROR', `Line ${line}: expected the server as JSON, such as '{"name": …, "command": …}'.`)
  const name = typeof value['name'] === 'string' ? value['name'] : fallback
  return toDraft(readClientServer(name, value))
}
