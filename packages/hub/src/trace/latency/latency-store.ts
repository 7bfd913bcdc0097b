import { idAt } from '../record/event-id.ts'
import type { EventStore } from '../store.ts'

/** A stretch of time, cut into steps. */
export interface LatencySpan {
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
  readonly stepMs: number
}

export interface LatencyRow {
  /** Which step, from 0; null = all of them together. */
  readonly step: number | null
  readonly count: number
  readonly errors: number
  /** In the order of the percentiles that were asked for. */
  readonly percentiles: readonly number[]
}

export interface NamedLatencyRow extends LatencyRow {
  readonly side: 'connector' | 'server'
  readonly name: string
}

export interface LatencyErrorRow {
  readonly at: Date
  readonly message: string | null
  readonly code: string | null
  readonly traceId: string | null
}

/** Whose calls. */
export interface LatencySubject {
  readonly side: 'connector' | 'server' | 'session'
  readonly name: string
}

const advice = 'Ask for fewer minutes.'
/** What a server answers itself, such as a list, takes no time and would hide how its tools are. */
const calls = `method in ('tools/call', 'prompts/get', 'resources/read')`
/** Who was refused, or gave up, says nothing about the server. */
const counted = `outcome in ('ok', 'tool-error', 'error') and ms is not null`
const figures = `count(*)::int as count, count(*) filter (where outcome <> 'ok')::int as errors`
/** A range of ids is a range of time, which the primary key of each partition finds. */
const inSpan = `id >= $1::bigint and id < $2::bigint`
const step = `((id - $1::bigint) / $3::bigint)::int as step`

const conditions = {
  // A call that the hub made inside of another one took its time there too.
  connector: `kind in ('call.finished', 'step.finished') and connector = $4 and ${calls}`,
  server: `kind = 'call.finished' and server = $4 and ${calls}`,
  session: `kind = 'turn.finished' and session = $4`,
} as const

/** Figures made of recorded calls, by the database. */
export class LatencyStore {
  readonly #events: Pick<EventStore, 'search'>

  constructor(events: Pick<EventStore, 'search'>) {
    this.#events = events
  }

  one({ side, name }: LatencySubject, span: LatencySpan): Promise<LatencyRow[]> {
    return this.#events.search<LatencyRow>(
      `select step, ${figures}, percentile_cont(array[0.5, 0.95, 0.99]) within group (order by ms) as percentiles
       from (select ${step}, ms, outcome from event where ${inSpan} and ${conditions[side]} and ${counted}) as call
       group by grouping sets ((step), ()) order by step`,
      [...valuesOf(span), name],
      advice,
    )
  }

  async lastError({ side, name }: LatencySubject, { from, to }: LatencySpan): Promise<LatencyErrorRow | undefined> {
    const condition = conditions[side].replace('$4', '$3')
    const rows = await this.#events.search<{
      at: Date
      message: string | null
      code: string | null
      trace: string | null
    }>(
      `select at, data ->> 'error' as message, error_code as code, trace_id as trace from event
       where ${inSpan} and ${condition} and outcome in ('error', 'tool-error') order by id desc limit 1`,
      [idAt(from), idAt(to), name],
      advice,
    )
    return rows.map(({ trace, ...row }) => ({ ...row, traceId: trace?.replaceAll('-', '') ?? null }))[0]
  }

  /** Every connector and every server that was called. */
  all(span: LatencySpan): Promise<NamedLatencyRow[]> {
    return this.#events.search<NamedLatencyRow>(
      `select side, name, step, ${figures}, percentile_cont(array[0.5, 0.95]) within group (order by ms) as percentiles
       from (select ${step}, ms, outcome, side, name from event,
         lateral (values ('connector', connector), ('server', case kind when 'call.finished' then server end)) as who (side, name)
         where ${inSpan} and kind in ('call.finished', 'step.finished') and ${calls} and ${counted} and name is not null) as call
       group by grouping sets ((side, name, step), (side, name))`,
      valuesOf(span),
      advice,
    )
  }
}

function valuesOf({ from, to, stepMs }: LatencySpan): string[] {
  return [idAt(from), idAt(to), String(BigInt(stepMs) * 1_000_000n)]
}
