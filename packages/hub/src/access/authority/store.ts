import type { Renew, ValueSealer } from '../../secret/index.ts'
import { randomBytes } from 'node:crypto'
import { and, eq, gt, isNull, lt, notExists, or, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import {
  authAssertionTable,
  authClientTable,
  authConsentTable,
  authKeyTable,
  authPasswordCodeTable,
  authRefreshTokenTable,
  authResourceTable,
  authRevocationTable,
  authSessionTable,
  authStateTable,
  authVerificationTable,
} from './table.ts'

export interface Revocation {
  /** `token:ID`, `grant:USER:CLIENT` or `user:USER`. */
  readonly subject: string
  /** Milliseconds since 1970. */
  readonly issuedUntil: number
  readonly expiresAt: number
}

const secretContext = 'auth_state:1:secret'
const idleClientMs = 24 * 60 * 60_000

/** What belongs to the authorization server as a whole. */
export class AuthorityStore {
  /** For people, when keys are rotated. */
  readonly name = 'sign-in secret'
  readonly #db: NodePgDatabase
  readonly #sealer: ValueSealer

  constructor(db: NodePgDatabase, sealer: ValueSealer) {
    this.#db = db
    this.#sealer = sealer
  }

  /** The secret that signs cookies and encrypts private keys. It is made on first use, once for all hubs of a store. */
  async openSecret(): Promise<string> {
    const sealedSecret = this.#sealer.seal(randomBytes(48).toString('base64url'), secretContext)
    await this.#db.insert(authStateTable).values({ id: 1, sealedSecret }).onConflictDoNothing()
    const [state] = await this.#db.select().from(authStateTable)
    return this.#sealer.open(state!.sealedSecret, secretContext)
  }

  /** Seals the secret anew. There is one row, so one batch is all. */
  async reseal(renew: Renew): Promise<null> {
    const { id, sealedSecret } = authStateTable
    for (const row of await this.#db.select({ id, sealedSecret }).from(authStateTable)) {
      const renewed = renew(row.sealedSecret, secretContext)
      if (renewed === null) continue
      await this.#db.update(authStateTable).set({ sealedSecret: renewed }).where(eq(sealedSecret, row.sealedSecret))
    }
    return null
  }

  async readRevision(): Promise<number> {
    const [state] = await this.#db.select({ revision: authStateTable.revision }).from(authStateTable)
    return state?.revision ?? 0
  }

  /** Tells other hubs of the same store to forget what they remember. */
  async raiseRevision(): Promise<void> {
    await this.#db.update(authStateTable).set({ revision: sql`${authStateTable.revision} + 1` })
  }

  /** Public keys as JWKs; expired ones too, because their tokens may still be valid. */
  async loadKeys(): Promise<{ id: string; alg: string | null; jwk: Record<string, unknown> }[]> {
    const { id, alg, publicKey } = authKeyTable
    const rows = await this.#db.select({ id, alg, publicKey }).from(authKeyTable)
    return rows.map((row) => ({ id: row.id, alg: row.alg, jwk: JSON.parse(row.publicKey) as Record<string, unknown> }))
  }

  async loadRevocations(): Promise<Revocation[]> {
    const table = authRevocationTable
    const rows = await this.#db.select().from(table).where(gt(table.expiresAt, new Date()))
    return rows.map(({ subject, issuedUntil, expiresAt }) => ({
      subject,
      issuedUntil: issuedUntil.getTime(),
      expiresAt: expiresAt.getTime(),
    }))
  }

  async saveRevocation({ subject, issuedUntil, expiresAt }: Revocation): Promise<void> {
    const fields = { issuedUntil: new Date(issuedUntil), expiresAt: new Date(expiresAt) }
    await this.#db
      .insert(authRevocationTable)
      .values({ subject, ...fields })
      .onConflictDoUpdate({ target: authRevocationTable.subject, set: fields })
    await this.raiseRevision()
  }

  /** Whose refresh token this is, by its hash. */
  async ownerOfRefreshToken(hash: string): Promise<{ userId: string; clientId: string } | null> {
    const { userId, clientId, token } = authRefreshTokenTable
    const [row] = await this.#db.select({ userId, clientId }).from(authRefreshTokenTable).where(eq(token, hash))
    return row ?? null
  }

  async findClient(clientId: string): Promise<typeof authClientTable.$inferSelect | null> {
    const [row] = await this.#db.select().from(authClientTable).where(eq(authClientTable.clientId, clientId))
    return row ?? null
  }

  async markClientFresh(clientId: string, until: Date): Promise<void> {
    await this.#db.update(authClientTable).set({ freshUntil: until }).where(eq(authClientTable.clientId, clientId))
  }

  async countClients(): Promise<number> {
    return await this.#db.$count(authClientTable)
  }

  /** Resources that are served no more; a new server of the same name must not inherit what was allowed. */
  async removeOtherResources(identifiers: readonly string[]): Promise<void> {
    const list = sql`(select jsonb_array_elements_text(${JSON.stringify(identifiers)}::jsonb))`
    await this.#db.delete(authResourceTable).where(sql`${authResourceTable.identifier} not in ${list}`)
  }

  /** Removes what has expired, and clients that registered but were never allowed anything. */
  async sweep(): Promise<void> {
    const now = new Date()
    for (const table of [
      authVerificationTable,
      authSessionTable,
      authRefreshTokenTable,
      authAssertionTable,
      authRevocationTable,
      authPasswordCodeTable,
    ]) {
      await this.#db.delete(table).where(lt(table.expiresAt, now))
    }
    const consent = this.#db
      .select({ id: authConsentTable.id })
      .from(authConsentTable)
      .where(eq(authConsentTable.clientId, authClientTable.clientId))
    const idle = new Date(now.getTime() - idleClientMs)
    const isIdle = or(isNull(authClientTable.createdAt), lt(authClientTable.createdAt, idle))
    await this.#db.delete(authClientTable).where(and(isIdle, notExists(consent)))
  }
}
