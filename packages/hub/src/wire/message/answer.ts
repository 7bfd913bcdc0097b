import { isObject, metaKeys } from '@herma/framework/wire'
import { listMembers, type MemberPlace } from '../json/json-places.ts'
import { RawJson, readJson, writeJson } from '../json/json-text.ts'

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

/** What only modern clients know of a result. */
const modernMeta: ReadonlySet<string> = new Set(Object.values(metaKeys))

/**
 * Replaces the root id of the answer of a modern server, and takes out of its result what a legacy client does not know.
 * Returns null when the bytes are not the response to `id`.
 */
export function rewriteModernAnswer(bytes: Buffer, id: number, clientId: string): Pieces | null {
  const text = bytes.toString('utf8')
  const root = listMembers(text, text.search(/\S/))
  // What is broken is left to the parser, which says where.
  if (root === null) return rebuild(bytes, id, clientId, '')
  const at = (members: readonly MemberPlace[], key: string) => members.findLast((member) => member.key === key)
  const [given, result] = [at(root, 'id'), at(root, 'result')]
  if (given === undefined || result === undefined || text.slice(given.start, given.end) !== String(id))
    return rebuild(bytes, id, clientId, '')
  const edits = [{ ...given, by: clientId }]
  const members = listMembers(text, result.start) ?? []
  if (members.length > 0) edits.push({ ...result, by: withoutModern(text, members) })
  let head = ''
  let done = 0
  for (const { start, end, by } of edits.toSorted((a, b) => a.start - b.start)) {
    head += text.slice(done, start) + by
    done = end
  }
  return { head: head + text.slice(done), body: null, tail: '' }
}

function withoutModern(text: string, members: readonly MemberPlace[]): string {
  const kept = members.flatMap(({ key, keyStart, start, end }) => {
    if (key === 'resultType') return []
    const meta = key === '_meta' ? listMembers(text, start) : null
    if (meta === null || !meta.some((member) => modernMeta.has(member.key))) return text.slice(keyStart, end)
    const own = meta.filter((member) => !modernMeta.has(member.key))
    const texts = own.map((member) => text.slice(member.keyStart, member.end))
    return texts.length === 0 ? [] : `"_meta":{${texts.join(',')}}`
  })
  return `{${kept.join(',')}}`
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
