import { sql } from 'drizzle-orm'
import { boolean, integer, json, jsonb, pgTable, text, timestamp, uniqueIndex, uuid } from 'drizzle-orm/pg-core'

/** The stored definition of an MCP server that we call. Secret values in `headers` and `env` are sealed. */
export const connectorTable = pgTable(
  'connector',
  {
    id: uuid().primaryKey(),
    name: text().notNull(),
    description: text().notNull(),
    kind: text().notNull(),
    enabled: boolean().notNull(),
    transport: text().notNull(),
    baseUrl: text('base_url'),
    endpointPath: text('endpoint_path'),
    headers: jsonb().notNull(),
    cmd: text(),
    args: jsonb().notNull(),
    env: jsonb().notNull(),
    workingDir: text('working_dir'),
    options: jsonb().notNull(),
    notes: text().notNull(),
    /** Creation order. */
    position: integer().notNull().generatedByDefaultAsIdentity(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [uniqueIndex('connector_name').on(sql`lower(${table.name})`)],
)

/** What a downstream last offered, so that a hub that just started can answer before it has reached it. */
export const descriptorSnapshotTable = pgTable('descriptor_snapshot', {
  connectorId: uuid('connector_id')
    .primaryKey()
    .references(() => connectorTable.id, { onDelete: 'cascade' }),
  fetchedAt: timestamp('fetched_at', { withTimezone: true }).notNull(),
  era: text().notNull(),
  revision: text().notNull(),
  // json keeps the order of the keys as the server sent them; jsonb would sort them.
  handshake: json().notNull(),
  tools: json().notNull(),
  resources: json().notNull(),
  resourceTemplates: json('resource_templates').notNull(),
  prompts: json().notNull(),
})
