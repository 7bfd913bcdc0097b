import { randomUUID } from 'node:crypto'
import { HubError, SessionInput, type Session } from '@herma/contract'
import { asc, eq, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { z } from 'zod'
import { isPermanentFailure, readErrorCode, readRootMessage } from '../platform/postgres/sql-state.ts'
import { sessionTable } from './table.ts'

/** A session as it is stored. */
export interface StoredSession extends Session {
  readonly id: string
  /** Creation order. */
  readonly position: number
  readonly createdAt: Date
  readonly updatedAt: Date
  /** Why the row cannot be used, when it cannot; then the fields hold what could be read of it. */
  readonly problem: string | null
}

type SessionRow = typeof sessionTable.$inferSelect

/** The rows of sessions. */
export class SessionStore {
  readonly #db: NodePgDatabase

  constructor(db: NodePgDatabase) {
    this.#db = db
  }

  /** In the order of their creation. A bad row comes with its problem instead of failing the others. */
  async loadAll(): Promise<StoredSession[]> {
    const rows = await this.#db.select().from(sessionTable).orderBy(asc(sessionTable.position))
    return rows.map(readRow)
  }

  /** Throws SESSION_EXISTS when the name is taken. */
  async insert(session: Session): Promise<StoredSession> {
    const id = randomUUID()
    const rows = await this.#db
      .insert(sessionTable)
      .values({ id, ...session })
      .returning(generatedColumns)
      .catch((error: unknown) => rejectWrite(error, session.name))
    return stored(id, session, rows[0])
  }

  /** Replaces every field. Throws SESSION_NOT_FOUND for a removed session, SESSION_EXISTS for a taken name. */
  async update(id: string, session: Session): Promise<StoredSession> {
    const rows = await this.#db
      .update(sessionTable)
      .set({ ...session, updatedAt: sql`now()` })
      .where(eq(sessionTable.id, id))
      .returning(generatedColumns)
      .catch((error: unknown) => rejectWrite(error, session.name))
    return stored(id, session, rows[0])
  }

  /** Its threads and bindings go with it. A session that is already gone is fine. */
  async remove(id: string): Promise<void> {
    await this.#db.delete(sessionTable).where(eq(sessionTable.id, id))
  }
}

// https://www.postgresql.org/docs/18/errcodes-appendix.html
const uniqueViolation = '23505'

const generatedColumns = {
  position: sessionTable.position,
  createdAt: sessionTable.createdAt,
  updatedAt: sessionTable.updatedAt,
}

type Generated = Pick<StoredSession, 'position' | 'createdAt' | 'updatedAt'>

function stored(id: string, session: Session, generated: Generated | undefined): StoredSession {
  if (generated !== undefined) return { ...session, id, ...generated, problem: null }
  throw new HubError('SESSION_NOT_FOUND', `'${session.name}' was removed meanwhile. See: herma session list`)
}

function rejectWrite(error: unknown, name: string): never {
  if (readErrorCode(error) === uniqueViolation) {
    const text = `There is a session '${name}' already. Choose another name, or change it: herma session edit ${name}`
    throw new HubError('SESSION_EXISTS', text, { cause: error })
  }
  if (!isPermanentFailure(error)) throw error
  throw new HubError('SESSION_INVALID', `The store cannot hold '${name}': ${readRootMessage(error)}`, { cause: error })
}

function readRow({ id, position, createdAt, updatedAt, ...fields }: SessionRow): StoredSession {
  const parsed = SessionInput.safeParse(fields)
  const generated = { id, position, createdAt, updatedAt }
  if (parsed.success) return { ...parsed.data, ...generated, problem: null }
  const problem = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(' ')
  return { ...keepReadable(fields, parsed.error), enabled: false, ...generated, problem }
}

/** The row must still be listed, edited and removed, so what could not be read is left at its default. */
function keepReadable(fields: Omit<SessionRow, keyof Generated | 'id'>, error: z.ZodError): Session {
  const unreadable = new Set(error.issues.map(({ path }) => path[0]))
  const readable = Object.fromEntries(Object.entries(fields).filter(([field]) => !unreadable.has(field)))
  const defaults = SessionInput.parse({ name: 'unreadable', provider: 'mcp' })
  return { ...defaults, ...readable, name: fields.name }
}
