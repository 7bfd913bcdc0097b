import type { EventView } from '@herma/contract'

type Fields = Record<string, unknown>

/** One request of a client as its events tell it. Bodies are there when the server's capture level asked for them. */
export interface RecordedCall {
  /** The `call.finished`. */
  readonly event: EventView
  /** Unique among the calls of one export. */
  readonly id: string
  /** Parameters of the request; absent when no body was recorded, or not all of it. */
  readonly params: Fields | undefined
  /** The JSON-RPC response; likewise. */
  readonly response: Fields | undefined
  /** Notifications that were sent before the response. */
  readonly parts: readonly Fields[]
}

/** Puts together what belongs to one request, oldest request first. */
export function recordedCalls(events: readonly EventView[]): RecordedCall[] {
  const groups = new Map<string, EventView[]>()
  for (const event of events) {
    const key = `${event.traceId ?? ''}/${event.spanId ?? ''}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [event])
    else group.push(event)
  }
  return events
    .filter(({ kind }) => kind === 'call.finished')
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .map((event) => {
      const group = groups.get(`${event.traceId ?? ''}/${event.spanId ?? ''}`) ?? []
      return {
        event,
        id: `call_${event.spanId ?? event.id}`,
        params: fieldsIn(group, 'message.received', 'params')[0],
        response: fieldsIn(group, 'message.sent', 'message').at(-1),
        parts: fieldsIn(group, 'part.sent', 'message'),
      }
    })
}

/** A `tools/call` with what was recorded of it. */
export interface RecordedToolCall {
  readonly call: RecordedCall
  readonly name: string
  /** Undefined when it was not recorded. */
  readonly arguments: Fields | undefined
  /** Blocks of content; undefined when they were not recorded. */
  readonly content: readonly Fields[] | undefined
  readonly structured: unknown
  readonly isError: boolean
}

export function toolUses(events: readonly EventView[]): RecordedToolCall[] {
  return recordedCalls(events)
    .filter(({ event }) => event.method === 'tools/call')
    .map((call) => {
      const { params } = call
      const result = fieldsOf(call.response?.['result'])
      const error = fieldsOf(call.response?.['error'])
      const outcome = call.event.outcome ?? 'ok'
      return {
        call,
        name: call.event.target ?? String(params?.['name'] ?? 'unknown'),
        arguments: params && (fieldsOf(params['arguments']) ?? {}),
        content: contentOf(result, error),
        structured: result?.['structuredContent'],
        isError: outcome !== 'ok',
      }
    })
}

/** The text of a result, for formats that know nothing else. */
export function textOfToolCall({ content, structured }: RecordedToolCall): string {
  if (content === undefined) return notRecorded
  const texts = content.map((block) => (typeof block['text'] === 'string' ? block['text'] : JSON.stringify(block)))
  return texts.length === 0 && structured !== undefined ? JSON.stringify(structured) : texts.join('\n')
}

/** Stands where a result would be. */
export const notRecorded = '(not recorded: the capture level of this server does not keep bodies)'

/** Marks what an export could not know, in a field that readers of the format ignore. */
export function markMissing(use: RecordedToolCall): { 'x-herma'?: { notRecorded: string[] } } {
  const missing = [
    ...(use.arguments === undefined ? ['arguments'] : []),
    ...(use.content === undefined ? ['result'] : []),
  ]
  return missing.length === 0 ? {} : { 'x-herma': { notRecorded: missing } }
}

/** When the call ended, in milliseconds since 1970. */
export function endOf({ event }: RecordedCall): number {
  return Date.parse(event.at) + Math.round(event.ms ?? 0)
}

function contentOf(result: Fields | undefined, error: Fields | undefined): Fields[] | undefined {
  if (error !== undefined) return [{ type: 'text', text: String(error['message'] ?? 'The call failed.') }]
  if (result === undefined) return undefined
  const { content } = result
  return Array.isArray(content) ? content.flatMap((block: unknown) => listOf(fieldsOf(block))) : []
}

function fieldsIn(events: readonly EventView[], kind: string, name: string): Fields[] {
  return events.filter((event) => event.kind === kind).flatMap(({ data }) => listOf(fieldsOf(data[name])))
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

function listOf<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value]
}
