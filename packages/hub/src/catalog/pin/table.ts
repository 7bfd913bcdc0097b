import { index, json, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

/** A tool as it was approved and as it was last seen, by the hashes of both. */
export const pinTable = pgTable(
  'pin',
  {
    connectorId: text('connector_id').notNull(),
    tool: text().notNull(),
    /** Null while it was never approved. */
    approvedHash: text('approved_hash'),
    approvedAt: timestamp('approved_at', { withTimezone: true }),
    hash: text().notNull(),
    seenAt: timestamp('seen_at', { withTimezone: true }).notNull(),
    /** The worst that the scan found in what was last seen. */
    risk: text(),
  },
  (table) => [
    primaryKey({ columns: [table.connectorId, table.tool] }),
    index('pin_hash').on(table.hash),
    index('pin_approved_hash').on(table.approvedHash),
  ],
)

/** What the hashes stand for, so that a difference can be shown. */
export const pinnedDescriptorTable = pgTable('pinned_descriptor', {
  hash: text().primaryKey(),
  // json holds any text that a server can send; jsonb refuses the character zero.
  descriptor: json().notNull(),
})
