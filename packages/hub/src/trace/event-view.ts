import type { EventView } from '@herma/contract'
import type { RecordedEvent } from './record/event-row.ts'
import { formatTime } from './record/format-time.ts'

/** A recorded event as people and programs see it. */
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

/** A stored event as people and programs see it. */
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
