import { jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

/** What people set about access: one row for each part that has settings. */
export const accessSettingTable = pgTable('access_setting', {
  part: text().primaryKey(),
  value: jsonb().notNull(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
})
