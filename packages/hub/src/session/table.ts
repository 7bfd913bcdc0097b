import {
  boolean,
  doublePrecision,
  integer,
  jsonb,
  pgTable,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'

/** Agent sessions. Keys of providers are secrets of their own, here are only their names. */
export const sessionTable = pgTable(
  'session',
  {
    id: uuid().primaryKey(),
    name: text().notNull(),
    description: text().notNull(),
    enabled: boolean().notNull(),
    provider: text().notNull(),
    model: text().notNull(),
    baseUrl: text('base_url'),
    api: text().notNull(),
    keySecret: text('key_secret'),
    instructions: text().notNull(),
    temperature: doublePrecision(),
    workingDir: text('working_dir'),
    paths: jsonb().notNull(),
    abilities: jsonb(),
    tools: jsonb().notNull(),
    limits: jsonb().notNull(),
    pricing: jsonb(),
    command: jsonb(),
    routes: jsonb().notNull(),
    /** Creation order. */
    position: integer().notNull().generatedByDefaultAsIdentity(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [uniqueIndex('session_name').on(table.name)],
)

/** The one row that tells this hub's database from every other. */
export const hubIdTable = pgTable('hub_id', {
  only: boolean().primaryKey().default(true),
  id: uuid().notNull(),
})
