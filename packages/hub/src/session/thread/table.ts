import { doublePrecision, index, integer, jsonb, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { sessionTable } from '../table.ts'

/** A talk with a session. */
export const threadTable = pgTable(
  'session_thread',
  {
    id: uuid().primaryKey(),
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessionTable.id, { onDelete: 'cascade' }),
    principal: text().notNull(),
    title: text().notNull(),
    /** Tools that need no approval in this thread. */
    approved: jsonb().notNull().default([]),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [index('session_thread_by_session').on(table.sessionId, table.updatedAt)],
)

/** What was said in it: whole turns only. */
export const threadMessageTable = pgTable(
  'thread_message',
  {
    threadId: uuid('thread_id')
      .notNull()
      .references(() => threadTable.id, { onDelete: 'cascade' }),
    position: integer().notNull(),
    role: text().notNull(),
    parts: jsonb().notNull(),
    at: timestamp({ withTimezone: true }).notNull(),
    traceId: text('trace_id'),
    /** Of a whole turn, at its last message. */
    usage: jsonb(),
    costUsd: doublePrecision('cost_usd'),
  },
  (table) => [primaryKey({ columns: [table.threadId, table.position] })],
)
