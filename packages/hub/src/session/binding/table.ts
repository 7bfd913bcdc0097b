import { boolean, jsonb, pgTable, text, timestamp, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { sessionTable } from '../table.ts'

/** Connectors attached to sessions. The connector is of another feature, which says when one is removed. */
export const bindingTable = pgTable(
  'binding',
  {
    id: uuid().primaryKey(),
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessionTable.id, { onDelete: 'cascade' }),
    connectorId: uuid('connector_id').notNull(),
    enabled: boolean().notNull(),
    /** Without the values of secrets. */
    headers: jsonb().notNull(),
    env: jsonb().notNull(),
    options: jsonb().notNull(),
    cwd: text(),
    allowedTools: jsonb('allowed_tools'),
    /** All values of secrets in one sealed JSON text; null when there are none. */
    sealed: text(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [uniqueIndex('binding_place').on(table.sessionId, table.connectorId)],
)
