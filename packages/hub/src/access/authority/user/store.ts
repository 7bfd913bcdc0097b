import { randomUUID } from 'node:crypto'
import { HubError, type Role, type UserView } from '@herma/contract'
import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { readErrorCode } from '../../../platform/postgres/sql-state.ts'
import {
  authAccountTable,
  authClientTable,
  authConsentTable,
  authPasswordCodeTable,
  authRefreshTokenTable,
  authSessionTable,
  authTwoFactorTable,
  authUserTable,
} from '../table.ts'

export interface StoredUser {
  readonly id: string
  readonly name: string
  /** Under `herma.invalid` when the user has none. */
  readonly email: string
  readonly role: Role
  readonly disabled: boolean
}

export interface StoredGrant {
  readonly id: string
  readonly userId: string
  readonly user: string
  readonly clientId: string
  readonly clientName: string | null
  readonly scopes: string[]
  readonly resources: string[] | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type UserChange = Partial<Pick<StoredUser, 'role' | 'disabled'>> & { readonly email?: string | null }

type Database = Pick<NodePgDatabase, 'select' | 'insert' | 'update' | 'delete' | 'execute'>

const uniqueViolation = '23505'
/** The account that holds a password. */
const passwordProvider = 'credential'

/** Users, their passwords, and what they allowed clients. */
export class UserStore {
  readonly #db: NodePgDatabase

  constructor(db: NodePgDatabase) {
    this.#db = db
  }

  async list(): Promise<UserView[]> {
    const [users, accounts] = await Promise.all([
      this.#db.select().from(authUserTable).orderBy(asc(authUserTable.name)),
      this.#db.select(accountColumns).from(authAccountTable),
    ])
    return users.map((user) =>
      viewOf(
        user,
        accounts.filter(({ userId }) => userId === user.id),
      ),
    )
  }

  async get(name: string): Promise<UserView> {
    const [user] = await this.#db.select().from(authUserTable).where(eq(authUserTable.name, name))
    if (user === undefined) throw notFound(name)
    const accounts = await this.#db
      .select(accountColumns)
      .from(authAccountTable)
      .where(eq(authAccountTable.userId, user.id))
    return viewOf(user, accounts)
  }

  async count(): Promise<number> {
    return await this.#db.$count(authUserTable)
  }

  /** By name, or by address when it holds an @. */
  async find(login: string): Promise<StoredUser | null> {
    const column = login.includes('@') ? authUserTable.email : authUserTable.name
    return await this.#findBy(eq(column, login.toLowerCase()))
  }

  async findById(id: string): Promise<StoredUser | null> {
    return await this.#findBy(eq(authUserTable.id, id))
  }

  /** Throws USER_EXISTS when the name or the address is taken. */
  async insert({ name, role, email }: { name: string; role: Role; email: string | null }): Promise<StoredUser> {
    const user = { id: randomUUID(), name, role, disabled: false, email: email?.toLowerCase() ?? placeholderOf(name) }
    // Whoever manages users vouches for their address, so that an identity provider may find them by it.
    await this.#db
      .insert(authUserTable)
      .values({ ...user, emailVerified: email !== null })
      .catch((error: unknown) => rejectWrite(error, name))
    return user
  }

  /** Throws FORBIDDEN when no owner would be left. */
  async update(user: StoredUser, { email, ...change }: UserChange): Promise<void> {
    const address =
      email === undefined
        ? {}
        : { email: email?.toLowerCase() ?? placeholderOf(user.name), emailVerified: email !== null }
    await this.#keepingAnOwner(async (db) => {
      await db
        .update(authUserTable)
        .set({ ...change, ...address, updatedAt: sql`now()` })
        .where(eq(authUserTable.id, user.id))
        .catch((error: unknown) => rejectWrite(error, user.name))
    })
  }

  /** Throws FORBIDDEN when no owner would be left. */
  async remove(user: StoredUser): Promise<void> {
    await this.#keepingAnOwner(async (db) => void (await db.delete(authUserTable).where(eq(authUserTable.id, user.id))))
  }

  async markSignIn(id: string): Promise<void> {
    await this.#db
      .update(authUserTable)
      .set({ lastSignInAt: sql`now()` })
      .where(eq(authUserTable.id, id))
  }

  /** Replaces the code of a user. */
  async savePasswordCode(userId: string, hash: string, expiresAt: Date): Promise<void> {
    await this.#db
      .insert(authPasswordCodeTable)
      .values({ userId, hash, expiresAt })
      .onConflictDoUpdate({ target: authPasswordCodeTable.userId, set: { hash, expiresAt } })
  }

  async readPasswordCode(userId: string): Promise<string | null> {
    const table = authPasswordCodeTable
    const [row] = await this.#db
      .select()
      .from(table)
      .where(and(eq(table.userId, userId), gt(table.expiresAt, new Date())))
    return row?.hash ?? null
  }

  /** Takes the code and sets the password, both or neither; false when somebody else was faster. */
  async usePasswordCode(userId: string, hash: string, password: string): Promise<boolean> {
    return await this.#db.transaction(async (db) => {
      const table = authPasswordCodeTable
      const used = await db
        .delete(table)
        .where(and(eq(table.userId, userId), eq(table.hash, hash)))
        .returning()
      if (used.length === 0) return false
      await savePassword(db, userId, password)
      return true
    })
  }

  /** Forgets the password, the second factor and every signed-in browser. */
  async removeSignIns(userId: string): Promise<void> {
    await this.#db.transaction(async (db) => {
      const { userId: owner, providerId } = authAccountTable
      await db.delete(authAccountTable).where(and(eq(owner, userId), eq(providerId, passwordProvider)))
      await db.delete(authTwoFactorTable).where(eq(authTwoFactorTable.userId, userId))
      await db.update(authUserTable).set({ twoFactorEnabled: false }).where(eq(authUserTable.id, userId))
      await db.delete(authSessionTable).where(eq(authSessionTable.userId, userId))
    })
  }

  async removeSessions(userId: string): Promise<void> {
    await this.#db.delete(authSessionTable).where(eq(authSessionTable.userId, userId))
  }

  async listGrants(userId?: string): Promise<StoredGrant[]> {
    return await this.#db
      .select(grantColumns)
      .from(authConsentTable)
      .innerJoin(authUserTable, eq(authUserTable.id, authConsentTable.userId))
      .innerJoin(authClientTable, eq(authClientTable.clientId, authConsentTable.clientId))
      .where(userId === undefined ? undefined : eq(authConsentTable.userId, userId))
      .orderBy(asc(authUserTable.name), asc(authConsentTable.createdAt))
  }

  /** Forgets what was allowed, with the refresh tokens that came of it. */
  async removeGrants(grants: readonly Pick<StoredGrant, 'id' | 'userId' | 'clientId'>[]): Promise<void> {
    if (grants.length === 0) return
    await this.#db.transaction(async (db) => {
      for (const { userId, clientId } of grants) {
        const table = authRefreshTokenTable
        await db.delete(table).where(and(eq(table.userId, userId), eq(table.clientId, clientId)))
      }
      const ids = grants.map(({ id }) => id)
      await db.delete(authConsentTable).where(inArray(authConsentTable.id, ids))
    })
  }

  async #findBy(condition: ReturnType<typeof eq>): Promise<StoredUser | null> {
    const { id, name, email, role, disabled } = authUserTable
    const [row] = await this.#db.select({ id, name, email, role, disabled }).from(authUserTable).where(condition)
    return row === undefined ? null : { ...row, role: row.role as Role }
  }

  /** Two changes at once could each leave the other's owner, so they come one after the other. */
  async #keepingAnOwner(change: (db: Database) => Promise<void>): Promise<void> {
    await this.#db.transaction(async (db) => {
      await db.execute(sql`lock table ${authUserTable} in share row exclusive mode`)
      const isOwner = and(eq(authUserTable.role, 'owner'), eq(authUserTable.disabled, false))
      const count = async () => (await db.select({ id: authUserTable.id }).from(authUserTable).where(isOwner)).length
      const before = await count()
      await change(db)
      if (before > 0 && (await count()) === 0)
        throw new HubError('FORBIDDEN', 'This is the last owner. Make somebody else owner first.')
    })
  }
}

/** Sets the password of a user, given as a hash. */
async function savePassword(db: Database, userId: string, password: string): Promise<void> {
  const fields = { providerId: passwordProvider, accountId: userId, userId, password }
  const { providerId, accountId } = authAccountTable
  await db
    .insert(authAccountTable)
    .values({ id: randomUUID(), ...fields })
    .onConflictDoUpdate({ target: [providerId, accountId], set: { password, updatedAt: sql`now()` } })
}

export function notFound(name: string): HubError {
  return new HubError('USER_NOT_FOUND', `No user is named '${name}'. See: herma user`)
}

const placeholderDomain = '@herma.invalid'

function placeholderOf(name: string): string {
  return `${name}${placeholderDomain}`
}

const accountColumns = { userId: authAccountTable.userId, providerId: authAccountTable.providerId }

const grantColumns = {
  id: authConsentTable.id,
  userId: authUserTable.id,
  user: authUserTable.name,
  clientId: authConsentTable.clientId,
  clientName: authClientTable.name,
  scopes: authConsentTable.scopes,
  resources: authConsentTable.resources,
  createdAt: authConsentTable.createdAt,
  updatedAt: authConsentTable.updatedAt,
}

function viewOf(user: typeof authUserTable.$inferSelect, accounts: readonly { providerId: string }[]): UserView {
  const providers = accounts.map(({ providerId }) => providerId)
  return {
    name: user.name,
    role: user.role as Role,
    email: user.email.endsWith(placeholderDomain) ? null : user.email,
    disabled: user.disabled,
    hasPassword: providers.includes(passwordProvider),
    twoFactor: user.twoFactorEnabled === true,
    providers: providers.filter((provider) => provider !== passwordProvider),
    createdAt: user.createdAt.toISOString(),
    lastSignInAt: user.lastSignInAt?.toISOString() ?? null,
  }
}

function rejectWrite(error: unknown, name: string): never {
  if (readErrorCode(error) !== uniqueViolation) throw error
  throw new HubError('USER_EXISTS', `There is a user '${name}' or one with this address already. See: herma user`, {
    cause: error,
  })
}
