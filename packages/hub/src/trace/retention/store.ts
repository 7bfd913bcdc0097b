import type pg from 'pg'
import { inTransaction } from '../../platform/store/in-transaction.ts'
import { searchDocument, type EventTable } from '../store.ts'

/** A part of a table that holds the ids from `from` up to, not including, `to`. */
export interface Partition {
  readonly name: string
  readonly from: bigint
  readonly to: bigint
  readonly bytes: number
}

export interface PartitionList {
  /** Oldest first. */
  readonly partitions: readonly Partition[]
  /** Of the one that takes what no other covers. */
  readonly defaultBytes: number
}

// Any number that nobody else uses in the same database.
const lockKey = 4_376_000_002
// A change of partitions waits for running searches, and everybody else waits for it; better to try again later.
const lockLimitMs = 2000

/** Makes, splits and drops the partitions of a table of events. Several hubs may do it at once. */
export class PartitionStore {
  readonly #pool: pg.Pool
  readonly #table: EventTable

  constructor(pool: pg.Pool, table: EventTable) {
    this.#pool = pool
    this.#table = table
  }

  async list(client: Pick<pg.PoolClient, 'query'> = this.#pool): Promise<PartitionList> {
    const { rows } = await client.query<{ name: string; bound: string; bytes: string }>(
      `select relname as name, pg_get_expr(relpartbound, oid) as bound, pg_total_relation_size(oid) as bytes
       from pg_inherits join pg_class on oid = inhrelid where inhparent = $1::regclass`,
      [this.#table],
    )
    const partitions = rows.flatMap(({ name, bound, bytes }) => {
      const match = /FROM \('?(\d+)'?\) TO \('?(\d+)'?\)/.exec(bound)
      if (match === null) return []
      return [{ name, from: BigInt(match[1] ?? 0), to: BigInt(match[2] ?? 0), bytes: Number(bytes) }]
    })
    const defaults = rows.filter(({ bound }) => bound === 'DEFAULT')
    return {
      partitions: partitions.toSorted((a, b) => (a.from < b.from ? -1 : 1)),
      defaultBytes: defaults.reduce((sum, { bytes }) => sum + Number(bytes), 0),
    }
  }

  /** Makes a partition unless part of its range is covered already, and moves there what waited without one. */
  async create(from: bigint, to: bigint): Promise<void> {
    await this.#alter(async (client) => {
      const { partitions } = await this.list(client)
      if (partitions.some((each) => each.from < to && from < each.to)) return
      await this.#attach(client, from, to)
    })
  }

  /** Ends a partition where it is now; what comes later goes into a new one. */
  async split({ name, from, to }: Partition): Promise<void> {
    await this.#alter(async (client) => {
      await client.query(`lock table ${this.#table} in access exclusive mode`)
      const { partitions } = await this.list(client)
      if (!partitions.some((each) => each.name === name && each.to === to)) return
      const newest = await client.query<{ id: string | null }>(`select max(id) as id from ${name}`)
      const cut = BigInt(newest.rows[0]?.id ?? from) + 1n
      if (cut >= to) return
      await client.query(`alter table ${this.#table} detach partition ${name}`)
      await client.query(`alter table ${this.#table} attach partition ${name} for values from (${from}) to (${cut})`)
      await this.#attach(client, cut, to)
    })
  }

  async drop({ name }: Partition): Promise<void> {
    await this.#alter((client) => client.query(`drop table if exists ${name}`))
  }

  /** Deletes from the default partition, which is never dropped. */
  async deleteStray(before: bigint): Promise<void> {
    await this.#pool.query(`delete from ${this.#table}_default where id < $1`, [String(before)])
  }

  /** Whether there was one without an index of its words, which has one now. */
  async indexWords(partitions: readonly Partition[]): Promise<boolean> {
    const names = partitions.map(({ name }) => name)
    const { rows } = await this.#pool.query<{ name: string }>(
      `select name from unnest($1::text[]) as name where to_regclass(name || '_words') is null limit 1`,
      [names],
    )
    const name = rows[0]?.name
    if (name === undefined) return false
    await this.#pool.query(`create index if not exists ${name}_words on ${name} using gin (${searchDocument})`)
    return true
  }

  async #attach(client: pg.PoolClient, from: bigint, to: bigint): Promise<void> {
    const name = `${this.#table}_${nameOf(from)}`
    const range = `id >= ${from} and id < ${to}`
    await client.query(`create table ${name} (like ${this.#table} including all)`)
    await client.query(
      `with moved as (delete from ${this.#table}_default where ${range} returning *) insert into ${name} select * from moved`,
    )
    await client.query(`alter table ${this.#table} attach partition ${name} for values from (${from}) to (${to})`)
  }

  async #alter(work: (client: pg.PoolClient) => Promise<unknown>): Promise<void> {
    await inTransaction(this.#pool, async (client) => {
      await client.query(`set local lock_timeout = ${lockLimitMs}; select pg_advisory_xact_lock(${lockKey})`)
      await work(client)
    })
  }
}

/** The time of an id in digits, from the year to milliseconds. */
function nameOf(id: bigint): string {
  return new Date(Number(id / 1_000_000n)).toISOString().replaceAll(/\D/g, '')
}
