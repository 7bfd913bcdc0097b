import { Severity } from '@herma/contract'
import { inArray, sql } from 'drizzle-orm'
import { isObject, readJson, writeJson, type Descriptor } from '../../wire/index.ts'
import { inTransaction } from '../../platform/store/in-transaction.ts'
import type { Store } from '../../platform/store/store.ts'
import { fromText, toStoredText } from './stored-text.ts'
import { pinnedDescriptorTable, pinTable } from './table.ts'

export interface StoredPin {
  readonly connectorId: string
  readonly tool: string
  readonly approvedHash: string | null
  readonly approvedAt: Date | null
  readonly hash: string
  readonly seenAt: Date
  readonly risk: Severity | null
}

export interface PinChanges {
  readonly saved: readonly StoredPin[]
  readonly removed: readonly Pick<StoredPin, 'connectorId' | 'tool'>[]
  /** By hash; those that the pins need and that may not be stored so far. */
  readonly descriptors: ReadonlyMap<string, Descriptor>
}

/** The rows of pins and of what they stand for. */
export class PinStore {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async loadAll(): Promise<StoredPin[]> {
    const rows = await this.#store.db.select().from(pinTable)
    return rows.map((row) => {
      const risk = Severity.safeParse(row.risk)
      return { ...row, tool: fromText(row.tool), risk: risk.success ? risk.data : null }
    })
  }

  /** All or nothing. Writing the same changes again does no harm. */
  async apply({ saved, removed, descriptors }: PinChanges): Promise<void> {
    await inTransaction(this.#store.pool, async (client) => {
      await client.query(
        `insert into pinned_descriptor (hash, descriptor)
         select * from unnest($1::text[], $2::text[]::json[]) on conflict (hash) do nothing`,
        [[...descriptors.keys()], [...descriptors.values()].map(writeJson)],
      )
      await client.query(
        `insert into pin (connector_id, tool, approved_hash, approved_at, hash, seen_at, risk)
         select * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::timestamptz[], $7::text[])
         on conflict (connector_id, tool) do update set approved_hash = excluded.approved_hash,
           approved_at = excluded.approved_at, hash = excluded.hash, seen_at = excluded.seen_at, risk = excluded.risk`,
        [
          saved.map(({ connectorId }) => connectorId),
          saved.map(({ tool }) => toStoredText(tool)),
          saved.map(({ approvedHash }) => approvedHash),
          saved.map(({ approvedAt }) => approvedAt?.toISOString() ?? null),
          saved.map(({ hash }) => hash),
          saved.map(({ seenAt }) => seenAt.toISOString()),
          saved.map(({ risk }) => risk),
        ],
      )
      await client.query(
        `delete from pin using unnest($1::text[], $2::text[]) as gone (connector_id, tool)
         where pin.connector_id = gone.connector_id and pin.tool = gone.tool`,
        [removed.map(({ connectorId }) => connectorId), removed.map(({ tool }) => toStoredText(tool))],
      )
    })
  }

  async loadDescriptors(hashes: readonly string[]): Promise<Map<string, Descriptor>> {
    if (hashes.length === 0) return new Map()
    const { hash: key, descriptor: json } = pinnedDescriptorTable
    const rows = await this.#store.db
      .select({ hash: key, text: sql<string>`${json}::text` })
      .from(pinnedDescriptorTable)
      .where(inArray(key, [...hashes]))
    return new Map(
      rows.flatMap(({ hash, text }) => {
        const descriptor = readJson(text)
        return isObject(descriptor) ? [[hash, descriptor]] : []
      }),
    )
  }

  /** Deletes descriptors that no pin stands for any more. */
  async prune(): Promise<void> {
    await this.#store.pool.query(
      `delete from pinned_descriptor d where not exists (select from pin where hash = d.hash)
       and not exists (select from pin where approved_hash = d.hash)`,
    )
  }
}
