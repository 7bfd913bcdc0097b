import { isObject } from '@herma/framework/wire'
import { listMembers, type MemberPlace } from '../json/json-places.ts'
import { RawJson, readJson, writeJson } from '../json/json-text.ts'
import { modernMeta } from './answer-tail.ts'

/**
 * Passes the answers of a downstream on without parsing them. Only the id at the root has to change and, for a modern
 * client of a legacy downstream, a few members have to be added to the result; the rest is copied as bytes. That keeps
 * unknown fields, big numbers and key order as they came, and costs the same for a small and a large answer.
 */

/** A serialised message in up to three pieces, written one after another. */
export interface Pieces {
  readonly head: string
  readonly body: Buffer | null
  readonly tail: string
}

const prefix = '{"jsonrpc":"2.0","id":'
const closingBrace = 0x7d
const commaByte = 0x2c

/**
 * Replaces the root id of a serialised response. `added` is spliced in front of the members of its result, as in
 * `"resultType":"complete"`. Returns null when the bytes are not the response to `id`.
 */
export function rewriteAnswer(bytes: Buffer, id: number, clientId: string, added: string): Pieces | null {
  // An answer that was cut off is left to the parser, which says where.
  const quick = isClosed(bytes)
    ? (rewriteHead(bytes, id, clientId, added) ?? rewriteTail(bytes, id, clientId, added))
    : null
  return quick ?? rebuild(bytes, id, clientId, added)
}

/** For answers that begin with their id, as hubs, Go and Python servers write them; works on a first chunk alone. */
export function rewriteHead(bytes: Buffer, id: number, clientId: string, added: string): Pieces | null {
  const head = `${prefix}${id},`
  if (!startsAt(bytes, 0, head)) return null
  const start = `${prefix}${clientId},`
  const isResult = startsAt(bytes, head.length, '"result":')
  // A question of the server may carry the same id; only a result or an error is an answer.
  if (!isResult && !startsAt(bytes, head.length, '"error":')) return null
  if (added === '' || !isResult) return { head: start, body: bytes.subarray(head.length), tail: '' }
  const member = '"result":{'
  if (!startsAt(bytes, head.length, member)) return null
  const from = head.length + member.length
  return { head: start + member + added + comma(bytes, from), body: bytes.subarray(from), tail: '' }
}

/** For answers that end with their id, as the TypeScript SDK writes them: the last brace closes the root. */
function rewriteTail(bytes: Buffer, id: number, clientId: string, added: string): Pieces | null {
  const tail = `,"id":${id}}`
  const end = bytes.length - tail.length
  if (end <= 0 || bytes.toString('latin1', end) !== tail) return null
  const newTail = `,"id":${clientId}}`
  const isResult = startsAt(bytes, 0, '{"result":')
  if (!isResult && !startsAt(bytes, 0, '{"error":')) return null
  if (added === '' || !isResult) return { head: '', body: bytes.subarray(0, end), tail: newTail }
  const member = '{"result":{'
  if (!startsAt(bytes, 0, member)) return null
  return { head: member + added + comma(bytes, member.length), body: bytes.subarray(member.length, end), tail: newTail }
}

/** Any other order of members: correct, and slower. */
function rebuild(bytes: Buffer, id: number, clientId: string, added: string): Pieces | null {
  const message = readJson(bytes.toString('utf8'))
  if (!isObject(message) || message['id'] !== id || message['method'] !== undefined) return null
  const result =
    added !== '' && isObject(message['result'])
      ? { ...message['result'], ...JSON.parse(`{${added}}`), ...message['result'] }
      : message['result']
  return { head: writeJson({ ...message, id: new RawJson(clientId), result }), body: null, tail: '' }
}

const modernMetaPrefix = Buffer.from('io.modelcontextprotocol/')
const resultType = '"resultType"'
const resultTypeBytes = Buffer.from(resultType)

/**
 * Replaces the root id of the answer of a modern server, and takes out of its result what a legacy client does not know.
 * Returns null when the bytes are not the response to `id`.
 */
export function rewriteModernAnswer(bytes: Buffer, id: number, clientId: string): Pieces | null {
  return withoutFirstMember(bytes, id, clientId) ?? editMembers(bytes, id, clientId)
}

/** For answers that begin with their id and the type of their result, and have nothing else of the modern era. */
function withoutFirstMember(bytes: Buffer, id: number, clientId: string): Pieces | null {
  const before = `${prefix}${id},"result":{`
  const head = `${before}${resultType}:"complete"`
  if (!isClosed(bytes) || !startsAt(bytes, 0, head)) return null
  if (bytes.includes(resultTypeBytes, head.length) || bytes.includes(modernMetaPrefix)) return null
  const next = bytes[head.length]
  if (next !== commaByte && next !== closingBrace) return null
  const body = bytes.subarray(next === commaByte ? head.length + 1 : head.length)
  return { head: `${prefix}${clientId},"result":{`, body, tail: '' }
}

/** Of this much of an answer it is seen whether it begins with what only modern clients know. */
const beginBytes = 4096

/**
 * The begin of a large answer of a modern server, for a legacy client. Null when it is not the response to `id`, when it
 * is a question, or when more has to be taken out of its begin: then it has to be there as a whole.
 */
export function rewriteModernHead(chunk: Buffer, id: number, clientId: string): Pieces | null {
  const head = `${prefix}${id},"result":{${resultType}:"complete",`
  if (!startsAt(chunk, 0, head) || chunk.subarray(0, beginBytes).includes(modernMetaPrefix)) return null
  return { head: `${prefix}${clientId},"result":{`, body: chunk.subarray(head.length), tail: '' }
}

/** Whether a response begins with its id and its result, and so is neither an error nor anything else. */
export function beginsWithResult(bytes: Buffer, id: number): boolean {
  return startsAt(bytes, 0, `${prefix}${id},"result":`)
}

/** Something that takes the place of bytes. */
interface Edit {
  readonly start: number
  readonly end: number
  readonly by: string
}

/** Any other order of members. What stays is passed on as it came. */
function editMembers(bytes: Buffer, id: number, clientId: string): Pieces | null {
  // One letter for each byte, so that places in the text are places in the bytes.
  const text = bytes.toString('latin1')
  const root = listMembers(text, text.search(/[^ \t\n\r]/))
  // What is broken is left to the parser, which says where.
  if (root === null) return rebuild(bytes, id, clientId, '')
  const at = (members: readonly MemberPlace[], key: string) => members.findLast((member) => member.key === key)
  const [given, result] = [at(root, 'id'), at(root, 'result')]
  if (given === undefined || result === undefined || text.slice(given.start, given.end) !== String(id))
    return rebuild(bytes, id, clientId, '')
  const edits: Edit[] = [{ ...given, by: clientId }, ...editResult(text, result)]
  return applyEdits(
    bytes,
    edits.toSorted((one, other) => one.start - other.start),
  )
}

/** Takes out of a result what only modern clients know. */
function editResult(text: string, result: MemberPlace): Edit[] {
  const edits: Edit[] = []
  const kept: MemberPlace[] = []
  const members = listMembers(text, result.start) ?? []
  for (const member of members) {
    if (member.key === 'resultType') continue
    const meta = member.key === '_meta' ? listMembers(text, member.start) : null
    const own = meta?.filter(({ key }) => !modernMeta.has(key))
    if (meta === null || own!.length === meta.length) kept.push(member)
    else if (own!.length > 0) {
      kept.push(member)
      const texts = own!.map(({ keyStart, end }) => latin1ToUtf8(text.slice(keyStart, end)))
      edits.push({ start: member.start, end: member.end, by: `{${texts.join(',')}}` })
    }
  }
  if (kept.length === members.length) return edits
  let from = result.start + 1
  kept.forEach((member, index) => {
    edits.push({ start: from, end: member.keyStart, by: index === 0 ? '' : ',' })
    from = member.end
  })
  return [...edits, { start: from, end: result.end - 1, by: '' }]
}

/** A part from this size on stays the bytes that it is; what is around it is short. */
const bodyBytes = 16_384

/** The longest part that stays is passed on as bytes. */
function applyEdits(bytes: Buffer, edits: readonly Edit[]): Pieces {
  const starts = [0, ...edits.map(({ end }) => end)]
  const ends = [...edits.map(({ start }) => start), bytes.length]
  const lengthAt = (index: number) => ends[index]! - starts[index]!
  let longest = 0
  for (let index = 1; index < starts.length; index++) if (lengthAt(index) > lengthAt(longest)) longest = index
  if (lengthAt(longest) < bodyBytes) longest = starts.length
  let [head, tail] = ['', '']
  for (let index = 0; index < starts.length; index++) {
    const kept = index === longest ? '' : bytes.toString('utf8', starts[index], ends[index])
    const by = edits[index]?.by ?? ''
    if (index < longest) head += kept + by
    else tail += kept + by
  }
  const body = longest < starts.length ? bytes.subarray(starts[longest], ends[longest]) : null
  return { head, body, tail }
}

function latin1ToUtf8(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8')
}

function startsAt(bytes: Buffer, offset: number, text: string): boolean {
  return bytes.toString('latin1', offset, offset + text.length) === text
}

// An empty result takes no comma after what is added in front.
function comma(bytes: Buffer, offset: number): string {
  let at = offset
  while (isWhiteSpace(bytes[at])) at++
  return bytes[at] === closingBrace ? '' : ','
}

function isClosed(bytes: Buffer): boolean {
  let last = bytes.length - 1
  while (isWhiteSpace(bytes[last])) last--
  return bytes[last] === closingBrace
}

function isWhiteSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

export function piecesLength(pieces: Pieces): number {
  return Buffer.byteLength(pieces.head) + (pieces.body?.length ?? 0) + Buffer.byteLength(pieces.tail)
}

export function piecesToBuffer(pieces: Pieces): Buffer {
  const parts: Buffer[] = [Buffer.from(pieces.head)]
  if (pieces.body !== null) parts.push(pieces.body)
  if (pieces.tail !== '') parts.push(Buffer.from(pieces.tail))
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

/**
 * The id at the root of a serialised answer, found without parsing where it stands first or last. Null means that the
 * bytes have to be parsed: they are a request, a notification, an answer in another order, or cut off.
 */
export function peekAnswerId(bytes: Buffer): number | null {
  if (!isClosed(bytes)) return null
  const start = bytes.toString('latin1', 0, prefix.length + 26)
  if (start.startsWith(prefix)) return toId(/^(\d{1,16}),"(?:result|error)":/.exec(start.slice(prefix.length)))
  if (!start.startsWith('{"result":') && !start.startsWith('{"error":')) return null
  return toId(/,"id":(\d{1,16})}$/.exec(bytes.toString('latin1', Math.max(0, bytes.length - 24))))
}

function toId(match: RegExpExecArray | null): number | null {
  return match === null ? null : Number(match[1])
}
