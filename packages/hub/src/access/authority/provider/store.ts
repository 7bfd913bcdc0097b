import { HubError, type Role, type Scope } from '@herma/contract'
import { and, asc, eq } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { ValueSealer, Renew } from '../../../secret/index.ts'
import { readErrorCode } from '../../../platform/postgres/sql-state.ts'
import { authIssuerTable, authProviderTable } from '../table.ts'

/** Where an identity provider does what. */
export interface ProviderEndpoints {
  readonly authorization: string
  readonly token: string
  readonly keys: string
}

export interface StoredProvider {
  /** Why it cannot be used, when it cannot: its secret does not open with the key of the hub. */
  readonly problem: string | null
  readonly name: string
  readonly label: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly domains: string[]
  readonly createUsers: boolean
  readonly role: Exclude<Role, 'owner'>
  readonly endpoints: ProviderEndpoints
  readonly createdAt: Date
}

export interface StoredIssuer {
  /** As for providers. */
  readonly problem: string | null
  readonly name: string
  readonly issuer: string
  readonly audience: string | null
  readonly role: Exclude<Role, 'owner'>
  readonly scopes: Scope[]
  readonly introspection: { readonly clientId: string; readonly clientSecret: string } | null
  readonly createdAt: Date
}

const uniqueViolation = '23505'

/** Identity providers and trusted issuers. It is the only place that sees their secrets sealed. */
export class ProviderStore {
  /** For people, when keys are rotated. */
  readonly name = 'identity providers'
  readonly #db: NodePgDatabase
  readonly #sealer: ValueSealer

  constructor(db: NodePgDatabase, sealer: ValueSealer) {
    this.#db = db
    this.#sealer = sealer
  }

  async loadProviders(): Promise<StoredProvider[]> {
    const rows = await this.#db.select().from(authProviderTable).orderBy(asc(authProviderTable.name))
    return rows.map(({ sealedSecret, endpoints, role, ...row }) => {
      const { secret, problem } = this.#open(sealedSecret, providerContext(row.name))
      return {
        ...row,
        role: role as StoredProvider['role'],
        endpoints: endpoints as ProviderEndpoints,
        clientSecret: secret,
        problem,
      }
    })
  }

  /** Throws PROVIDER_EXISTS when the name is taken. */
  async insertProvider({ clientSecret, problem: _, ...provider }: StoredProvider): Promise<void> {
    const sealedSecret = this.#sealer.seal(clientSecret, providerContext(provider.name))
    await this.#db
      .insert(authProviderTable)
      .values({ ...provider, sealedSecret })
      .catch((error: unknown) => rejectWrite(error, `an identity provider '${provider.name}'`))
  }

  async removeProvider(name: string): Promise<void> {
    const removed = await this.#db.delete(authProviderTable).where(eq(authProviderTable.name, name)).returning()
    if (removed.length === 0) throw notFound('identity provider', name)
  }

  async loadIssuers(): Promise<StoredIssuer[]> {
    const rows = await this.#db.select().from(authIssuerTable).orderBy(asc(authIssuerTable.name))
    return rows.map(({ sealedSecret, introspectionClientId, role, scopes, ...row }) => {
      const fields = { ...row, role: role as StoredIssuer['role'], scopes: scopes as Scope[] }
      if (sealedSecret === null || introspectionClientId === null)
        return { ...fields, introspection: null, problem: null }
      const { secret, problem } = this.#open(sealedSecret, issuerContext(row.name))
      return { ...fields, introspection: { clientId: introspectionClientId, clientSecret: secret }, problem }
    })
  }

  /** Throws PROVIDER_EXISTS when the name or the issuer is there already. */
  async insertIssuer({ introspection, problem: _, ...issuer }: StoredIssuer): Promise<void> {
    const sealedSecret =
      introspection === null ? null : this.#sealer.seal(introspection.clientSecret, issuerContext(issuer.name))
    await this.#db
      .insert(authIssuerTable)
      .values({ ...issuer, introspectionClientId: introspection?.clientId ?? null, sealedSecret })
      .catch((error: unknown) => rejectWrite(error, `a trusted issuer '${issuer.name}', or this issuer`))
  }

  /** Seals every secret anew. There are few, so one batch is all; one that changed meanwhile stays. */
  async reseal(renew: Renew): Promise<null> {
    await this.#db.transaction(async (db) => {
      for (const [table, contextOf] of [
        [authProviderTable, providerContext],
        [authIssuerTable, issuerContext],
      ] as const) {
        const { name, sealedSecret } = table
        for (const row of await db.select({ name, sealedSecret }).from(table)) {
          const renewed = row.sealedSecret === null ? null : renew(row.sealedSecret, contextOf(row.name))
          if (renewed === null) continue
          const isSame = and(eq(name, row.name), eq(sealedSecret, row.sealedSecret!))
          await db.update(table).set({ sealedSecret: renewed }).where(isSame)
        }
      }
    })
    return null
  }

  async removeIssuer(name: string): Promise<void> {
    const removed = await this.#db.delete(authIssuerTable).where(eq(authIssuerTable.name, name)).returning()
    if (removed.length === 0) throw notFound('trusted issuer', name)
  }

  /** One that does not open disables itself and says so; the hub starts all the same. */
  #open(sealed: string, context: string): { secret: string; problem: string | null } {
    try {
      return { secret: this.#sealer.open(sealed, context), problem: null }
    } catch (error) {
      return { secret: '', problem: (error as Error).message }
    }
  }
}

function providerContext(name: string): string {
  return `auth_provider:${name}:client_secret`
}

function issuerContext(name: string): string {
  return `auth_issuer:${name}:introspection_secret`
}

function notFound(what: string, name: string): HubError {
  return new HubError(
    'PROVIDER_NOT_FOUND',
    `No ${what} is named '${name}'. See: herma user provider, herma user issuer`,
  )
}

function rejectWrite(error: unknown, what: string): never {
  if (readErrorCode(error) !== uniqueViolation) throw error
  throw new HubError('PROVIDER_EXISTS', `There is ${what} already. Remove it first.`, { cause: error })
}
