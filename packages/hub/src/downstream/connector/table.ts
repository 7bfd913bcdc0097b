import { sql } from 'drizzle-orm'
import {
  boolean,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'

/** The stored definition of an MCP server that we call. Secret values in `headers`, `env` and `oauth` are sealed. */
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
    /** What its process may touch; null = the default. */
    isolation: jsonb(),
    oauth: jsonb(),
    options: jsonb().notNull(),
    notes: text().notNull(),
    /** When it was last tested, and how that went. */
    lastTest: jsonb('last_test'),
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
  /** The transport that it was found to speak, which may be an older one than the connector says. */
  transport: text(),
  // json keeps the order of the keys as the server sent them; jsonb would sort them.
  handshake: json().notNull(),
  tools: json().notNull(),
  resources: json().notNull(),
  resourceTemplates: json('resource_templates').notNull(),
  prompts: json().notNull(),
  /** What the server was seen to tell its clients apart by. */
  distinctions: jsonb().notNull().default([]),
})

/** What signing in to a server left, by principal, authorization server and kind: tokens, registration. All sealed. */
export const authorizationTable = pgTable(
  'downstream_authorization',
  {
    connectorId: uuid('connector_id')
      .notNull()
      .references(() => connectorTable.id, { onDelete: 'cascade' }),
    /** Whose it is; empty for what everybody shares. */
    principal: text().notNull().default(''),
    /** Empty for what belongs to no issuer. */
    issuer: text().notNull(),
    kind: text().notNull(),
    /** The server that it is for: a token must never reach another one. */
    serverUrl: text('server_url').notNull(),
    sealed: text().notNull(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.connectorId, table.principal, table.issuer, table.kind] })],
)
