import { boolean, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

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
