import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  HubError,
  UserInput,
  type GrantView,
  type PasswordSetup,
  type Principal,
  type Role,
  type UserPatch,
  type UserSetup,
  type UserView,
} from '@herma/contract'
import type { Events } from '../../../platform/events.ts'
import { mayAppoint, outranks } from '../../policy/index.ts'
import { serversOf, type ServedResource } from '../resource/served-resource.ts'
import { subjectOfGrant, subjectOfUser } from './revocations.ts'
import { notFound, type StoredGrant, type StoredUser, type UserStore } from './store.ts'

export interface UsersOptions {
  readonly store: UserStore
  readonly events: Events
  publicUrl(): string
  resources(): readonly ServedResource[]
  /** Refuses the access tokens of a subject from now on. */
  revoke(subject: string): Promise<void>
  /** Something about a user changed, so nothing that is remembered of anybody counts any more. */
  forget(): Promise<void>
}

export const setPasswordPath = '/set-password'

const maxUsers = 10_000
const codeMs = 24 * 60 * 60_000

/** Manages users. Who manages may not reach above their own role, and an owner is left in any case. */
export class Users {
  readonly #options: UsersOptions

  constructor(options: UsersOptions) {
    this.#options = options
  }

  async list(): Promise<UserView[]> {
    return await this.#options.store.list()
  }

  async get(name: string): Promise<UserView> {
    return await this.#options.store.get(name)
  }

  /** The answer holds the code with which the user sets a password; nobody can read it again. */
  async add(input: UserInput, manager: Principal): Promise<UserSetup> {
    const { store, events } = this.#options
    const fields = UserInput.parse(input)
    requireReach(manager, fields.role)
    if ((await store.count()) >= maxUsers)
      throw new HubError('OVERLOADED', `There are ${maxUsers} users, the limit. Remove some first.`)
    const user = await store.insert(fields)
    const setup = await this.#makeCode(user)
    events.emit('user.added', null, { user: user.name, role: user.role })
    return { user: await store.get(user.name), setup }
  }

  async update(name: string, patch: UserPatch, manager: Principal): Promise<UserView> {
    const { store, events } = this.#options
    const user = await this.#reach(name, manager)
    if (patch.role !== undefined && patch.role !== user.role) requireReach(manager, patch.role)
    const { role, disabled } = user
    await store.update(user, patch)
    if (patch.disabled === true) {
      await store.removeSessions(user.id)
      await this.#options.revoke(subjectOfUser(user.id))
    }
    await this.#options.forget()
    const { email, ...shown } = patch
    const after = email === undefined ? shown : { ...shown, email: email === null ? 'removed' : 'changed' }
    events.emit('user.changed', null, { user: name, before: { role, disabled }, after })
    return await store.get(name)
  }

  /** Forgets the password, the second factor, signed-in browsers and grants, and makes a new code. */
  async reset(name: string, manager: Principal): Promise<UserSetup> {
    const user = await this.#reach(name, manager)
    await this.#options.store.removeSignIns(user.id)
    await this.#endEverything(user)
    const setup = await this.#makeCode(user)
    this.#options.events.emit('user.reset', null, { user: name })
    return { user: await this.#options.store.get(name), setup }
  }

  async remove(name: string, manager: Principal): Promise<void> {
    const user = await this.#reach(name, manager)
    await this.#options.store.remove(user)
    await this.#options.revoke(subjectOfUser(user.id))
    await this.#options.forget()
    this.#options.events.emit('user.removed', null, { user: name })
  }

  /** Uses up the code; the password comes as a hash. One answer for a wrong code and for an unknown user. */
  async setPassword(name: string, code: string, hashPassword: () => Promise<string>): Promise<boolean> {
    const { store } = this.#options
    const user = await store.find(name)
    const stored = user === null ? null : await store.readPasswordCode(user.id)
    const given = hashCode(code)
    const isRight = timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(stored ?? hashCode(''), 'hex'))
    if (user === null || stored === null || !isRight || user.disabled) return false
    if (!(await store.usePasswordCode(user.id, given, await hashPassword()))) return false
    this.#options.events.emit('user.password-set', null, { user: user.name }, { principal: `user:${user.name}` })
    return true
  }

  /** What users allowed clients; members and viewers see their own. */
  async listGrants(principal: Principal): Promise<GrantView[]> {
    return (await this.#grantsOf(principal)).map((grant) => this.#viewOf(grant))
  }

  /** The client is refused from now on, and its refresh tokens are gone. */
  async revokeGrant(id: string, principal: Principal): Promise<void> {
    const grant = (await this.#grantsOf(principal)).find((candidate) => candidate.id === id)
    if (grant === undefined) throw new HubError('GRANT_NOT_FOUND', `There is no grant '${id}'. See: herma user grants`)
    await this.#options.store.removeGrants([grant])
    await this.#options.revoke(subjectOfGrant(grant.userId, grant.clientId))
    await this.#options.forget()
    this.#options.events.emit('grant.revoked', null, { user: grant.user, client: grant.clientId })
  }

  async #grantsOf(principal: Principal): Promise<StoredGrant[]> {
    const { store } = this.#options
    if (!outranks('admin', principal.role)) return await store.listGrants()
    const user = principal.kind === 'user' ? await store.find(principal.name) : null
    return user === null ? [] : await store.listGrants(user.id)
  }

  async #endEverything(user: StoredUser): Promise<void> {
    await this.#options.store.removeGrants(await this.#options.store.listGrants(user.id))
    await this.#options.revoke(subjectOfUser(user.id))
    await this.#options.forget()
  }

  async #reach(name: string, manager: Principal): Promise<StoredUser> {
    // A name with an @ would be looked up as an address.
    const user = name.includes('@') ? null : await this.#options.store.find(name)
    if (user === null) throw notFound(name)
    // What is one's own is for oneself.
    if (manager.id !== `user:${user.name}`) requireReach(manager, user.role)
    return user
  }

  async #makeCode({ id, name }: StoredUser): Promise<PasswordSetup> {
    const code = randomBytes(15).toString('hex').toUpperCase().match(/.{6}/g)!.join('-')
    const expiresAt = new Date(Date.now() + codeMs)
    await this.#options.store.savePasswordCode(id, hashCode(code), expiresAt)
    const url = `${this.#options.publicUrl()}${setPasswordPath}?name=${encodeURIComponent(name)}`
    return { url, code, expiresAt: expiresAt.toISOString() }
  }

  #viewOf(grant: StoredGrant): GrantView {
    return {
      id: grant.id,
      user: grant.user,
      clientId: grant.clientId,
      clientName: grant.clientName ?? grant.clientId,
      scopes: grant.scopes,
      servers: serversOf(grant.resources ?? [], this.#options.resources()),
      createdAt: grant.createdAt.toISOString(),
      updatedAt: grant.updatedAt.toISOString(),
    }
  }
}

/** A code has 120 random bits, so nothing slower is needed. People may type it in lower case and without dashes. */
function hashCode(code: string): string {
  return createHash('sha256')
    .update(code.toUpperCase().replaceAll(/[^0-9A-F]/g, ''))
    .digest('hex')
}

function requireReach(manager: Principal, role: Role): void {
  const { allowed, why } = mayAppoint(manager, role)
  if (!allowed) throw new HubError('FORBIDDEN', why)
}
