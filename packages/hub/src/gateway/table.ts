import { boolean, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

/** What people changed about a served server. One that has no row is as it comes. */
export const servedServerTable = pgTable('served_server', {
  name: text().primaryKey(),
  sse: boolean().notNull().default(false),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
})
