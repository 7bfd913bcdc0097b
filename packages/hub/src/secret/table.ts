import { pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core'

/** Values with a name that connectors refer to. They are sealed. */
export const secretTable = pgTable('secret', {
  id: uuid().primaryKey(),
  name: text().notNull().unique('secret_name'),
  sealed: text().notNull(),
  description: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  /** When the value last changed. */
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
})
