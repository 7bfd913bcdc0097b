import { HubError, type EventQuery } from '@herma/contract'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { once } from 'node:events'
import { inTransaction } from '../platform/store/in-transaction.ts'
import { readErrorCode } from '../platform/postgres/sql-state.ts'
import { idAt } from './record/event-id.ts'
import { eventColumns } from './record/event-row.ts'
import type { EventRow } from './event-view.ts'

export type EventTable = 'event' | 'audit_event'

const searchLimitMs = 5000
const uniqueViolation = '23505'
const queryCanceled = '57014'

/** The words of an event, as the full-text index of closed partitions holds them. */
export const searchDocument =
  `(to_tsvector('simple', coalesce(target, '')) || ` +
  `jsonb_to_tsvector('simple', data, '["string", "numeric", "boolean", "key"]'))`

/** Reads and writes events. */
export class EventStore {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** Makes lines of COPY durable in one step. Lines that are there already, after a lost answer, are left out. */
  async append(table: EventTable, lines: readonly Buffer[]): Promise<void> {
    try {
      await inTransaction(this.#pool, async (client) => {
        // A crash of the database server may cost the last moment of traffic, and nothing of the audit log.
        if (table === 'event') await client.query('set local synchronous_commit = off')
        await copy(client, table, lines)
      })
    } catch (error) {
      if (readErrorCode(error) !== uniqueViolation) throw error
      await this.#appendMissing(table, lines)
    }
  }

  async #appendMissing(table: EventTable, lines: readonly Buffer[]): Promise<void> {
    await inTransaction(this.#pool, async (client) => {
      await client.query(`create temporary table incoming (like ${table}) on commit drop`)
      await copy(client, 'incoming', lines)
      await client.query(`insert into ${table} select * from incoming on conflict do nothing`)
    })
  }

  /** Newest first. Gives up after some seconds, so that a search cannot hold the store. */
  async find(table: EventTable, query: EventQuery): Promise<EventRow[]> {
    const { conditions, values } = conditionsOf(query)
    const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
    return this.search(`select * from ${table} ${where} order by id desc limit ${query.limit}`, values)
  }

  /** Oldest first. */
  async ofTrace(traceId: string, limit: number): Promise<EventRow[]> {
    return this.search(`select * from event where trace_id = $1::uuid order by id limit ${limit}`, [traceId])
  }

  /** Reads within the time that searches have. */
  async search<Row extends pg.QueryResultRow = EventRow>(
    text: string,
    values: unknown[],
    advice = 'Narrow it with from and to.',
  ): Promise<Row[]> {
    try {
      return await inTransaction(this.#pool, async (client) => {
        await client.query(`set transaction read only; set local statement_timeout = ${searchLimitMs}`)
        return (await client.query<Row>(text, values)).rows
      })
    } catch (cause) {
      if (readErrorCode(cause) !== queryCanceled) throw cause
      const message = `The search took longer than ${searchLimitMs / 1000} s and was given up. ${advice}`
      throw new HubError('SEARCH_TOO_LONG', message, { cause })
    }
  }
}

async function copy(client: pg.PoolClient, table: string, lines: readonly Buffer[]): Promise<void> {
  const stream = client.query(copyFrom(`copy ${table} (${eventColumns.join(', ')}) from stdin`))
  const finished = once(stream, 'finish')
  for (const each of lines) stream.write(each)
  stream.end()
  await finished
}

const equalColumns = {
  principal: 'principal',
  server: 'server',
  connector: 'connector',
  session: 'session',
  thread: 'thread',
  route: 'route',
  transport: 'transport',
  era: 'era',
  target: 'target',
} as const

/** The conditions of a search, and the values that they refer to. */
function conditionsOf(query: EventQuery): { conditions: string[]; values: unknown[] } {
  const values: unknown[] = []
  const conditions: string[] = []
  const add = (condition: (placeholder: string) => string, value: unknown) => {
    if (value !== undefined) conditions.push(condition(`$${values.push(value)}`))
  }
  add((value) => `id < ${value}::bigint`, query.cursor)
  add((value) => `id >= ${value}::bigint`, query.from && idAt(Date.parse(query.from)))
  add((value) => `id < ${value}::bigint`, query.to && idAt(Date.parse(query.to)))
  add((value) => `kind like any (${value}::text[])`, query.kind?.split(',').map(kindPattern))
  for (const [field, column] of Object.entries(equalColumns)) {
    add((value) => `${column} = ${value}`, query[field as keyof typeof equalColumns])
  }
  add((value) => `method = any (${value}::text[])`, query.method?.split(','))
  add((value) => `outcome = any (${value}::text[])`, query.outcome?.split(','))
  add((value) => `trace_id = ${value}::uuid`, query.traceId)
  add((value) => `ms >= ${value}::real`, query.minMs)
  add((value) => `${searchDocument} @@ websearch_to_tsquery('simple', ${value})`, query.text)
  return { conditions, values }
}

function kindPattern(kind: string): string {
  return kind
    .trim()
    .replaceAll(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')
    .replaceAll('?', '_')
}
