import { bigint, index, json, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

/** The catalog as it was intended, or as clients got it, from some moment on: its tools by their hashes, in order. */
export const catalogSnapshotTable = pgTable(
  'catalog_snapshot',
  {
    id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    kind: text().notNull(),
    hash: text().notNull(),
    tools: text().array().notNull(),
    at: timestamp({ withTimezone: true }).notNull(),
  },
  (table) => [index('catalog_snapshot_kind').on(table.kind, table.id)],
)

/** What the hashes stand for; snapshots share what did not change between them. */
export const catalogDescriptorTable = pgTable('catalog_descriptor', {
  hash: text().primaryKey(),
  // json keeps the order of the keys, and holds any text that a server can send.
  descriptor: json().notNull(),
})

/** The difference of the two, whenever it became another. */
export const catalogDriftTable = pgTable('catalog_drift', {
  id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
  at: timestamp({ withTimezone: true }).notNull(),
  report: json().notNull(),
})
