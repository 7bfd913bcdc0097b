import { boolean, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

/** Rules of access, in CEL. */
export const accessRuleTable = pgTable('access_rule', {
  id: text().primaryKey(),
  /** Creation order until somebody orders them. */
  position: integer().notNull().generatedByDefaultAsIdentity(),
  effect: text().notNull(),
  description: text().notNull(),
  when: text().notNull(),
  enabled: boolean().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
})
