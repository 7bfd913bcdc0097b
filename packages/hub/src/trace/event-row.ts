import type { EventView } from '@herma/contract'
import type { HubEvent } from '../platform/events.ts'

/** An event as it may be shown and stored: free of secrets, and frozen as text. */
export interface RecordedEvent {
  readonly id: string
  readonly event: HubEvent
  /** These come from outside and replace those of the event. */
  readonly method: string | undefined
  readonly target: string | undefined
  readonly session: string | undefined
  readonly thread: string | undefined
  /** JSON. */
  readonly data: string
}

/** Columns in the order of `encodeRow`. */
export const eventColumns = [
  'id',
  'at',
  'kind',
  'connector',
  'trace_id',
  'span_id',
  'parent_id',
  'principal',
  'server',
  'connection',
  'session',
  'thread',
  'route',
  'transport',
  'era',
  'method',
  'target',
  'request_bytes',
  'response_bytes',
  'ms',
  'outcome',
  'error_code',
  'data',
] as const

/**
 * One line of COPY in its text form. It runs for every call, hence no array, no loop.
 * https://www.postgresql.org/docs/18/sql-copy.html#SQL-COPY-FILE-FORMATS-TEXT-FORMAT
 */
export function encodeRow({ id, event, method, target, session, thread, data }: RecordedEvent): string {
  return (
    id +
    `\t${formatTime(event.at)}\t${escape(event.kind)}\t${text(event.connector)}\t${hex(event.traceId, 32)}` +
    `\t${hex(event.spanId, 16)}\t${hex(event.parentId, 16)}\t${text(event.principal)}\t${text(event.server)}` +
    `\t${text(event.connection)}\t${text(session)}\t${text(thread)}\t${text(event.route)}\t${text(event.transport)}` +
    `\t${event.era ?? '\\N'}\t${text(method)}\t${text(target)}\t${number(event.requestBytes)}` +
    `\t${number(event.responseBytes)}\t${number(event.ms && Math.round(event.ms * 1000) / 1000)}\t${event.outcome ?? '\\N'}\t${text(event.errorCode)}` +
    `\t${escape(data)}\n`
  )
}

export function viewOf({ id, event, method, target, session, thread, data }: RecordedEvent): EventView {
  const { at, data: _, ...context } = event
  return {
    ...dropAbsent({ ...context, method, target, session, thread }),
    id,
    at: formatTime(at),
    kind: event.kind,
    connector: event.connector,
    data: JSON.parse(data) as EventView['data'],
  }
}

/** A row as the store returns it. */
export interface EventRow {
  readonly id: string
  readonly at: Date
  readonly kind: string
  readonly connector: string | null
  readonly data: EventView['data']
  readonly [column: string]: unknown
}

export function viewOfRow({ id, at, kind, connector, data, ...row }: EventRow): EventView {
  const text = (name: string) => (row[name] === null ? undefined : String(row[name]))
  const figure = (name: string) => (row[name] === null ? undefined : Number(row[name]))
  return {
    id,
    at: at.toISOString(),
    kind,
    connector,
    ...dropAbsent({
      traceId: text('trace_id')?.replaceAll('-', ''),
      spanId: text('span_id'),
      parentId: text('parent_id'),
      principal: text('principal'),
      server: text('server'),
      connection: text('connection'),
      session: text('session'),
      thread: text('thread'),
      route: text('route'),
      transport: text('transport'),
      era: text('era') as EventView['era'],
      method: text('method'),
      target: text('target'),
      requestBytes: figure('request_bytes'),
      responseBytes: figure('response_bytes'),
      ms: figure('ms'),
      outcome: text('outcome') as EventView['outcome'],
      errorCode: text('error_code'),
    }),
    data,
  }
}

function dropAbsent<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T
}

let lastSecond = 0
let lastPrefix = ''

// Nearly all events of a batch share their second, and a Date is ten times dearer than the rest of a row.
function formatTime(at: number): string {
  const ms = Number.isFinite(at) ? Math.trunc(at) : 0
  const second = Math.floor(ms / 1000)
  if (second !== lastSecond) {
    lastPrefix = new Date(second * 1000).toISOString().slice(0, 20)
    lastSecond = second
  }
  const rest = ms - second * 1000
  return `${lastPrefix}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`
}

function text(value: string | null | undefined): string {
  return value === undefined || value === null ? '\\N' : escape(value)
}

function number(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? '\\N' : String(value)
}

const hexDigits = /^[0-9a-f]+$/

// The column of a trace id takes nothing else, and one bad row would hold up its batch.
function hex(value: string | undefined, length: number): string {
  return value !== undefined && value.length === length && hexDigits.test(value) ? value : '\\N'
}

// oxlint-disable-next-line no-control-regex -- The store cannot hold the character zero; it is left out.
const special = /[\\\t\n\r\0]/
// oxlint-disable-next-line no-control-regex -- The same.
const allSpecial = /[\\\t\n\r\0]/g
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '' }

function escape(value: string): string {
  return special.test(value) ? value.replace(allSpecial, (found) => escapes[found] ?? '') : value
}
