import { formatEventId, parseEventId } from './event-id.ts'
import { toJsonText } from './json-text.ts'
import { checkKey } from './key.ts'
import { ask, type Queryable, type Tables } from './postgres-tables.ts'
import type { EventLog } from './store.ts'

export interface PostgresEventLogOptions {
  readonly maxEventsPerStream: number
  readonly ttlMs: number
}

/** Keeps events in PostgreSQL; the row of its stream gives each event its position and keeps appends in line. */
export function postgresEventLog(pool: Queryable, tables: Tables, options: PostgresEventLogOptions): EventLog {
  const { stream, event } = tables
  // The row of the stream stays locked to the end of the statement: positions become visible in their order.
  const append = `with at as (
      insert into ${stream} as s (name, last, expires_at)
      values ($1, 1, now() + $3::double precision * interval '1 millisecond')
      on conflict (name) do update set last = s.last + 1, expires_at = excluded.expires_at
      returning id, last
    ), dropped as (
      delete from ${event} e using at where e.stream = at.id and e.position <= at.last - $4::bigint
    )
    insert into ${event} (stream, position, message) select id, last, $2 from at returning stream, position`
  const find = `select s.name from ${stream} s join ${event} e on e.stream = s.id
    where s.id = $1 and e.position = $2 and s.expires_at > now()`
  const since = `select e.position, e.message from ${event} e join ${stream} s on s.id = e.stream
    where e.stream = $1 and e.position >= $2 and s.expires_at > now() order by e.position`

  return {
    async append(name, message) {
      checkKey(name)
      const values = [name, toJsonText(message), options.ttlMs, options.maxEventsPerStream]
      const [row] = await ask<{ stream: string; position: string }>(pool, append, values)
      if (row === undefined)
        throw new Error('PostgreSQL kept no event and gave no error. Is there a rule on the table?')
      return formatEventId({ stream: row.stream, position: Number(row.position) })
    },
    async streamOf(id) {
      const at = parseEventId(id)
      if (at === undefined) return undefined
      const [row] = await ask<{ name: string }>(pool, find, [at.stream, at.position])
      return row?.name
    },
    async after(id) {
      const at = parseEventId(id)
      if (at === undefined) return undefined
      const rows = await ask<{ position: string; message: string }>(pool, since, [at.stream, at.position])
      // The event itself must be there still: without it, nobody can tell what was lost after it.
      const [first, ...later] = rows
      if (first === undefined || Number(first.position) !== at.position) return undefined
      return later.map(({ position, message }) => ({
        id: formatEventId({ stream: at.stream, position: Number(position) }),
        message: JSON.parse(message),
      }))
    },
  }
}
