import { bigint, index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

/** One recorded fact per row, in the order in which it was written. */
export const eventTable = pgTable(
  'event',
  {
    id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp({ withTimezone: true }).notNull(),
    kind: text().notNull(),
    connector: text(),
    data: jsonb().notNull(),
  },
  (table) => [index('event_at').on(table.at), index('event_connector_at').on(table.connector, table.at)],
)
