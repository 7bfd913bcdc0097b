import { type CatalogSnapshot, DriftReport, type HistoryLimits, HubError, type PruneReport } from '@herma/contract'
import { desc, sql } from 'drizzle-orm'
import type { PoolClient } from 'pg'
import { inTransaction } from '../../platform/store/in-transaction.ts'
import type { Store } from '../../platform/store/store.ts'
import { isObject, type Descriptor } from '../../wire/index.ts'
import { withoutMeta } from './content-hash.ts'
import { catalogDriftTable, catalogSnapshotTable } from './table.ts'

/** A list of tools to be stored. */
export interface NewSnapshot {
  readonly kind: CatalogSnapshot['kind']
  readonly hash: string
  readonly at: Date
  /** By hash, in the order of the list. */
  readonly tools: ReadonlyMap<string, Descriptor>
}

export type LastHashes = Readonly<Record<CatalogSnapshot['kind'], string | null>>

// Any number that nobody else uses in the same database. Pruning must not take a descriptor that is just being used.
const lockKey = 4_376_000_002
const batchSize = 500

/** The rows of the history of the catalog. */
export class SnapshotStore {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Stores what is new; all or nothing. */
  async save(snapshots: readonly NewSnapshot[], drift: DriftReport | null): Promise<void> {
    await this.#locked(async (client) => {
      for (const { kind, hash, at, tools } of snapshots) {
        await insertDescriptors(client, tools)
        await client.query('insert into catalog_snapshot (kind, hash, tools, at) values ($1, $2, $3, $4)', [
          kind,
          hash,
          [...tools.keys()],
          at.toISOString(),
        ])
      }
      if (drift === null) return
      await client.query('insert into catalog_drift (at, report) values ($1, $2)', [drift.at, JSON.stringify(drift)])
    })
  }

  /** Newest first. */
  async snapshots(limit: number): Promise<CatalogSnapshot[]> {
    const rows = await this.#store.db
      .select({
        id: catalogSnapshotTable.id,
        kind: catalogSnapshotTable.kind,
        hash: catalogSnapshotTable.hash,
        tools: sql<number>`cardinality(${catalogSnapshotTable.tools})`,
        at: catalogSnapshotTable.at,
      })
      .from(catalogSnapshotTable)
      .orderBy(desc(catalogSnapshotTable.id))
      .limit(limit)
    return rows.map(({ id, kind, hash, tools, at }) => ({
      id: String(id),
      kind: kind === 'intended' ? 'intended' : 'live',
      hash,
      tools,
      at: at.toISOString(),
    }))
  }

  /** The hash of the newest snapshot of each kind. */
  async lastHashes(): Promise<LastHashes> {
    const { rows } = await this.#store.pool.query<{ kind: string; hash: string }>(
      'select distinct on (kind) kind, hash from catalog_snapshot order by kind, id desc',
    )
    const find = (kind: string) => rows.find((row) => row.kind === kind)?.hash ?? null
    return { intended: find('intended'), live: find('live') }
  }

  /** The tools of a snapshot, in its order. */
  async tools(id: string): Promise<Descriptor[]> {
    const found = /^\d{1,18}$/.test(id)
      ? await this.#store.pool.query('select from catalog_snapshot where id = $1', [id])
      : null
    if (found === null || found.rowCount === 0) {
      throw new HubError('INVALID_PARAMS', `There is no snapshot '${id}' of the catalog. See: herma catalog history`)
    }
    const { rows } = await this.#store.pool.query<{ descriptor: unknown }>(
      `select descriptor from catalog_snapshot, unnest(tools) with ordinality as tool (hash, place)
       join catalog_descriptor using (hash) where id = $1 order by place`,
      [id],
    )
    return rows.flatMap(({ descriptor }) => (isObject(descriptor) ? [descriptor] : []))
  }

  /** Newest first. */
  async drift(limit: number): Promise<DriftReport[]> {
    const rows = await this.#store.db.select().from(catalogDriftTable).orderBy(desc(catalogDriftTable.id)).limit(limit)
    // A report of another version that cannot be read is history that nobody acts on.
    return rows.flatMap(({ report }) => DriftReport.safeParse(report).data ?? [])
  }

  async count(): Promise<{ intended: number; live: number }> {
    const { rows } = await this.#store.pool.query<{ kind: string; count: number }>(
      'select kind, count(*)::integer as count from catalog_snapshot group by kind',
    )
    const find = (kind: string) => rows.find((row) => row.kind === kind)?.count ?? 0
    return { intended: find('intended'), live: find('live') }
  }

  /** Deletes what is beyond the limits, save the newest of each kind: it says what is known now. */
  async prune({ keep, olderThanDays }: HistoryLimits): Promise<PruneReport> {
    const oldest = new Date(Date.now() - olderThanDays * 86_400_000).toISOString()
    return await this.#locked(async (client) => {
      const ranked = (table: string, part: string) =>
        `delete from ${table} where id in (select id from (select id, at, row_number() over (${part} order by id desc) as place
         from ${table}) as ranked where place > $1 or (place > 1 and at < $2))`
      const snapshots = await client.query(ranked('catalog_snapshot', 'partition by kind'), [keep, oldest])
      const drift = await client.query(ranked('catalog_drift', ''), [keep, oldest])
      const descriptors = await client.query(
        `delete from catalog_descriptor d where not exists (
           select from (select distinct unnest(tools) as hash from catalog_snapshot) as used where used.hash = d.hash)`,
      )
      return {
        snapshots: snapshots.rowCount ?? 0,
        drift: drift.rowCount ?? 0,
        descriptors: descriptors.rowCount ?? 0,
      }
    })
  }

  #locked<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return inTransaction(this.#store.pool, async (client) => {
      await client.query('select pg_advisory_xact_lock($1)', [lockKey])
      return await work(client)
    })
  }
}

async function insertDescriptors(client: PoolClient, tools: ReadonlyMap<string, Descriptor>): Promise<void> {
  const entries = [...tools]
  for (let from = 0; from < entries.length; from += batchSize) {
    const batch = entries.slice(from, from + batchSize)
    await client.query(
      `insert into catalog_descriptor (hash, descriptor)
       select * from unnest($1::text[], $2::text[]::json[]) on conflict (hash) do nothing`,
      [batch.map(([hash]) => hash), batch.map(([, descriptor]) => JSON.stringify(withoutMeta(descriptor)))],
    )
  }
}
