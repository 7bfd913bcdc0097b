import { jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

/** What was installed, so that it can be removed again as one. */
export const discoveryInstallTable = pgTable(
  'discovery_install',
  {
    kind: text().notNull(),
    /** Name of the bundle, or id of the connector. */
    key: text().notNull(),
    value: jsonb().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.key] })],
)

/** What people set about discovery: one row for each part that has settings. */
export const discoverySettingTable = pgTable('discovery_setting', {
  part: text().primaryKey(),
  value: jsonb().notNull(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
})
