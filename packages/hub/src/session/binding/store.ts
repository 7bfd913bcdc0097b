import { randomUUID } from 'node:crypto'
import { BindingPatch, HubError, type Binding, type NamedValue } from '@herma/contract'
import { and, asc, eq, gt, isNotNull, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { z } from 'zod'
import { isPermanentFailure, readErrorCode, readRootMessage } from '../../platform/postgres/sql-state.ts'
import { bindingTable } from './table.ts'

/** What differs for one session. Secret values are in clear here, in memory only. */
export type Overrides = Omit<Binding, 'session' | 'connector'>

export interface StoredBinding extends Overrides {
  readonly id: string
  readonly sessionId: string
  readonly connectorId: string
  readonly updatedAt: Date
  /** Why the row cannot be used, when it cannot; then it is disabled. */
  readonly problem: string | null
}

/** Seals values at rest; the context says whose they are. */
export interface BindingSealer {
  seal(plaintext: string, context: string): string
  open(sealed: string, context: string): string
}

type BindingRow = typeof bindingTable.$inferSelect
type Place = Pick<StoredBinding, 'id' | 'sessionId' | 'connectorId'>

/** The rows of bindings. It is the only place that sees their secrets sealed, and takes part in rotations of keys. */
export class BindingStore {
  /** For people. */
  readonly name = 'bindings'
  readonly #db: NodePgDatabase
  readonly #sealer: BindingSealer

  constructor(db: NodePgDatabase, sealer: BindingSealer) {
    this.#db = db
    this.#sealer = sealer
  }

  async loadAll(): Promise<StoredBinding[]> {
    const rows = await this.#db.select().from(bindingTable).orderBy(asc(bindingTable.id))
    return rows.map((row) => readRow(row, this.#sealer))
  }

  /** Throws BINDING_EXISTS when another hub was faster. */
  async insert(sessionId: string, connectorId: string, overrides: Overrides): Promise<StoredBinding> {
    const place = { id: randomUUID(), sessionId, connectorId }
    const fields = writeFields(place.id, overrides, this.#sealer)
    const rows = await this.#db
      .insert(bindingTable)
      .values({ ...place, ...fields })
      .returning({ updatedAt: bindingTable.updatedAt })
      .catch(rejectWrite)
    return stored(place, overrides, rows[0])
  }

  async update(place: Place, overrides: Overrides): Promise<StoredBinding> {
    const rows = await this.#db
      .update(bindingTable)
      .set({ ...writeFields(place.id, overrides, this.#sealer), updatedAt: sql`now()` })
      .where(eq(bindingTable.id, place.id))
      .returning({ updatedAt: bindingTable.updatedAt })
      .catch(rejectWrite)
    return stored(place, overrides, rows[0])
  }

  async remove(id: string): Promise<void> {
    await this.#db.delete(bindingTable).where(eq(bindingTable.id, id))
  }

  async removeConnector(connectorId: string): Promise<void> {
    await this.#db.delete(bindingTable).where(eq(bindingTable.connectorId, connectorId))
  }

  /** Seals the values of one batch of rows anew; a row that somebody changes meanwhile is left alone. */
  async reseal(
    renew: (sealed: string, context: string) => string | null,
    after: string | null,
  ): Promise<string | null> {
    const { id, sealed } = bindingTable
    return await this.#db.transaction(async (db) => {
      const rows = await db
        .select({ id, sealed })
        .from(bindingTable)
        .where(and(isNotNull(sealed), after === null ? undefined : gt(id, after)))
        .orderBy(asc(id))
        .limit(resealBatch)
      for (const row of rows) {
        const renewed = renew(row.sealed!, contextOf(row.id))
        if (renewed === null) continue
        const isAsRead = and(eq(id, row.id), eq(sealed, row.sealed!))
        await db.update(bindingTable).set({ sealed: renewed }).where(isAsRead)
      }
      return rows.length < resealBatch ? null : rows.at(-1)!.id
    })
  }
}

const resealBatch = 50
// https://www.postgresql.org/docs/18/errcodes-appendix.html
const foreignKeyViolation = '23503'
const uniqueViolation = '23505'

function contextOf(id: string): string {
  return `binding:${id}`
}

/** The values of secrets, by place and name. */
const Sealed = z.object({ headers: z.record(z.string(), z.string()), env: z.record(z.string(), z.string()) })

function stored(place: Place, overrides: Overrides, row: { updatedAt: Date } | undefined): StoredBinding {
  const { id, sessionId, connectorId } = place
  if (row !== undefined) return { ...overrides, id, sessionId, connectorId, updatedAt: row.updatedAt, problem: null }
  throw new HubError('BINDING_NOT_FOUND', 'The binding was removed meanwhile. See: herma session bindings')
}

function rejectWrite(error: unknown): never {
  const code = readErrorCode(error)
  if (code === uniqueViolation)
    throw new HubError('BINDING_EXISTS', 'The connector was bound to this session meanwhile. Try again.', {
      cause: error,
    })
  if (code === foreignKeyViolation)
    throw new HubError('SESSION_NOT_FOUND', 'The session was removed meanwhile. See: herma session list', {
      cause: error,
    })
  if (!isPermanentFailure(error)) throw error
  throw new HubError('BINDING_INVALID', `The store cannot hold this: ${readRootMessage(error)}`, { cause: error })
}

function writeFields(id: string, overrides: Overrides, sealer: BindingSealer) {
  const { enabled, headers, env, options, cwd, allowedTools } = overrides
  const values = { headers: secretsIn(headers), env: secretsIn(env) }
  const hasSecrets = Object.keys(values.headers).length + Object.keys(values.env).length > 0
  const sealed = hasSecrets ? sealer.seal(JSON.stringify(values), contextOf(id)) : null
  return {
    enabled,
    headers: headers.map(withoutSecret),
    env: env.map(withoutSecret),
    options,
    cwd,
    allowedTools,
    sealed,
  }
}

function secretsIn(list: readonly NamedValue[]): Record<string, string> {
  const secrets = list.flatMap(({ name, value, secret }) => (secret && value !== undefined ? [[name, value]] : []))
  return Object.fromEntries(secrets) as Record<string, string>
}

function withoutSecret({ value, ...named }: NamedValue): NamedValue {
  return named.secret ? named : { ...named, value }
}

const Readable = BindingPatch.required()

function readRow({ id, sessionId, connectorId, updatedAt, sealed, ...fields }: BindingRow, sealer: BindingSealer) {
  const place = { id, sessionId, connectorId, updatedAt }
  const nothing = { enabled: false, headers: [], env: [], options: {}, cwd: null, allowedTools: null }
  const parsed = Readable.safeParse(fields)
  if (!parsed.success) {
    const problem = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(' ')
    return { ...nothing, ...place, problem }
  }
  try {
    const secrets = sealed === null ? noSecrets : Sealed.parse(JSON.parse(sealer.open(sealed, contextOf(id))))
    const open = (list: readonly NamedValue[], values: Readonly<Record<string, string>>) =>
      list.map((each) =>
        each.secret && Object.hasOwn(values, each.name) ? { ...each, value: values[each.name] } : each,
      )
    const { headers, env } = parsed.data
    const opened = { headers: open(headers, secrets.headers), env: open(env, secrets.env) }
    return { ...parsed.data, ...opened, ...place, problem: null }
  } catch (error) {
    // With half of its values it would reach the server as somebody else.
    return { ...parsed.data, ...place, enabled: false, problem: `its secrets: ${(error as Error).message}` }
  }
}

const noSecrets: z.infer<typeof Sealed> = { headers: {}, env: {} }
