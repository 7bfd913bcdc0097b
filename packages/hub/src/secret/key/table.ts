import { integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

/** The keys that seal values. The newest one that is not retired seals; all of them open. */
export const dataKeyTable = pgTable('data_key', {
  id: text().primaryKey(),
  /** Order of creation, whatever the clock said. */
  position: integer().notNull().generatedAlwaysAsIdentity(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  /** Since when no value is sealed with it. */
  retiredAt: timestamp('retired_at', { withTimezone: true }),
})

/** A data key, encrypted with a master key. While one master key takes over from another, both open it. */
export const dataKeyWrapTable = pgTable(
  'data_key_wrap',
  {
    dataKeyId: text('data_key_id')
      .notNull()
      .references(() => dataKeyTable.id, { onDelete: 'cascade' }),
    masterKeyId: text('master_key_id').notNull(),
    wrapped: text().notNull(),
    position: integer().notNull().generatedAlwaysAsIdentity(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.dataKeyId, table.masterKeyId] })],
)
