import { jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

/** API keys. Of a key itself only the hash is kept. */
export const apiKeyTable = pgTable('api_key', {
  name: text().primaryKey(),
  /** SHA-256 in hexadecimal digits: a key has 256 random bits, so nothing slower is needed. */
  hash: text().notNull().unique(),
  hint: text().notNull(),
  role: text().notNull(),
  servers: jsonb(),
  scopes: jsonb().notNull(),
  limits: jsonb(),
  madeBy: text('made_by').notNull(),
  expiresAt: timestamp('expires_at', { withTimezone: true }),
  lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
})
