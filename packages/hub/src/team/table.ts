import { boolean, integer, jsonb, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core'

/** Served servers whose calls go to sessions. */
export const teamTable = pgTable('team', {
  id: uuid().primaryKey(),
  name: text().notNull().unique(),
  description: text().notNull(),
  enabled: boolean().notNull(),
  strategy: text().notNull(),
  hopLimit: integer('hop_limit').notNull(),
  maxConcurrency: integer('max_concurrency').notNull(),
  maxQueue: integer('max_queue').notNull(),
  deadlineMs: integer('deadline_ms').notNull(),
  workingDir: text('working_dir'),
  hasPathPolicy: boolean('has_path_policy').notNull(),
  paths: jsonb().notNull(),
  routing: jsonb().notNull(),
  dispatch: jsonb().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
})

/** Sessions of teams. A session may be gone while its membership stays, so nothing refers to its row. */
export const teamMemberTable = pgTable(
  'team_member',
  {
    teamId: uuid('team_id')
      .notNull()
      .references(() => teamTable.id, { onDelete: 'cascade' }),
    sessionId: uuid('session_id').notNull(),
    /** What it was called when the membership was written, for people to know which one is gone. */
    sessionName: text('session_name').notNull(),
    role: text().notNull(),
    priority: integer().notNull(),
    enabled: boolean().notNull(),
    maxConcurrency: integer('max_concurrency'),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.sessionId] })],
)
