import { boolean, index, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

/** The served servers that people added, and what they changed about the facade. */
export const servedServerTable = pgTable('served_server', {
  name: text().primaryKey(),
  kind: text().notNull().default('custom'),
  description: text().notNull().default(''),
  enabled: boolean().notNull().default(true),
  /** Of the connector that it hosts alone. */
  connectorId: text('connector_id'),
  sse: boolean().notNull().default(false),
  mode: text().notNull().default('full'),
  view: text(),
  metadata: boolean().notNull().default(true),
  schemas: text().notNull().default('auto'),
  fallbacks: text().notNull().default('auto'),
  access: text().notNull().default('auto'),
  keyHeader: text('key_header').notNull().default('authorization'),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
})

/** What the id of a legacy connection cannot say: what changed since it began, and that it was deleted. */
export const connectionTable = pgTable(
  'legacy_connection',
  {
    id: text().primaryKey(),
    isClosed: boolean('is_closed').notNull().default(false),
    /** What `initialize` said, where that was too long for an id. */
    caller: text(),
    /** A list in JSON. As text, since jsonb refuses some of what clients may write. */
    subscriptions: text().notNull().default('[]'),
    logLevel: text('log_level'),
    /** With its id, which cannot be presented any more by then. */
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
  },
  (table) => [index('legacy_connection_expiry').on(table.isClosed, table.expiresAt)],
)
