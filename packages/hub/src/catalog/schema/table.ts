import { pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

/** Tools that were seen to answer something else than their output schema says. */
export const schemaStatusTable = pgTable(
  'schema_status',
  {
    connectorId: text('connector_id').notNull(),
    tool: text().notNull(),
    /** Of the descriptor that was contradicted; another one has yet to be. */
    hash: text().notNull(),
    /** What clients get in place of the schema. */
    exposed: text().notNull(),
    reason: text().notNull(),
    at: timestamp({ withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.connectorId, table.tool] })],
)
