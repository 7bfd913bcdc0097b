import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  real,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'

const columns = {
  // Nanoseconds since 1970: the hub counts microseconds, and the last three digits are its own.
  id: bigint({ mode: 'bigint' }).primaryKey(),
  at: timestamp({ withTimezone: true, precision: 3 }).notNull(),
  kind: text().notNull(),
  connector: text(),
  traceId: uuid('trace_id'),
  spanId: text('span_id'),
  parentId: text('parent_id'),
  principal: text(),
  server: text(),
  connection: text(),
  session: text(),
  thread: text(),
  route: text(),
  transport: text(),
  era: text(),
  method: text(),
  target: text(),
  requestBytes: bigint('request_bytes', { mode: 'number' }),
  responseBytes: bigint('response_bytes', { mode: 'number' }),
  ms: real(),
  outcome: text(),
  errorCode: text('error_code'),
  data: jsonb().notNull(),
}

/** One recorded fact per row. The migration partitions it by id, that is by time. */
export const eventTable = pgTable('event', columns, (table) => [index('event_trace').on(table.traceId)])

/** What has to be answered for later: changes, sign-ins, refusals. Traffic never drives it out. */
export const auditEventTable = pgTable('audit_event', columns)

/** What is recorded of the traffic of a served server, where somebody chose it. */
export const captureTable = pgTable('capture', {
  server: text().primaryKey(),
  level: text().notNull(),
  sample: doublePrecision().notNull(),
  maxBodyBytes: integer('max_body_bytes').notNull(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
})

/** One row: what somebody set about traces. The headers for the collector are sealed. */
export const traceSettingTable = pgTable('trace_setting', {
  only: boolean().primaryKey().default(true),
  retention: jsonb().notNull(),
  otlp: jsonb(),
  otlpHeaders: text('otlp_headers'),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
})
