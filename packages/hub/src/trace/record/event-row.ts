import type { HubEvent } from '../../platform/events.ts'
import { formatTime } from './format-time.ts'

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
    `\t${number(event.responseBytes)}\t${duration(event.ms)}\t${event.outcome ?? '\\N'}\t${text(event.errorCode)}` +
    `\t${escape(data)}\n`
  )
}

function text(value: string | null | undefined): string {
  return value === undefined || value === null ? '\\N' : escape(value)
}

function number(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? '\\N' : String(value)
}

/** Milliseconds with three digits behind the point. Two whole numbers are turned into text faster than a broken one. */
function duration(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return '\\N'
  const us = Math.round(ms * 1000)
  // Whoever measures a time below zero, or in weeks, is rare enough for the slow way.
  if (us < 0 || us > 0x3fff_ffff) return String(us / 1000)
  const rest = us % 1000
  return `${(us - rest) / 1000}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}`
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
