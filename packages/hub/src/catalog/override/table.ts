import { jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

/** What people said about tools in the UI, the CLI or the API. */
export const toolOverrideTable = pgTable(
  'tool_override',
  {
    server: text().notNull(),
    tool: text().notNull(),
    override: jsonb().notNull(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.server, table.tool] })],
)

/** What a field of a tool was when somebody first put something else in its place. */
export const overrideBaseTable = pgTable(
  'override_base',
  {
    connectorId: text('connector_id').notNull(),
    tool: text().notNull(),
    field: text().notNull(),
    base: jsonb(),
    override: jsonb(),
  },
  (table) => [primaryKey({ columns: [table.connectorId, table.tool, table.field] })],
)
