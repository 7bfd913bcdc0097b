import { hash as digest, randomBytes } from 'node:crypto'
import { ApiKeyInput, HubError, type ApiKeyView, type NewApiKey, type Principal } from '@herma/contract'
import type { Events } from '../../platform/events.ts'
import type { Log } from '../../platform/log.ts'
import { mayAppoint, mayTouch } from '../policy/index.ts'
import type { KeyStore } from './store.ts'

interface Entry {
  readonly hash: string
  view: ApiKeyView
  readonly principal: Principal
  readonly expiresAt: number
}

export interface ApiKeysOptions {
  readonly store: KeyStore
  readonly events: Events
  readonly log: Log
  /** Whether other hubs may change the keys, so that they are read anew all the time. */
  readonly isStoreShared: boolean
  /** Names of the served servers. */
  servers(): readonly string[]
}

const maxKeys = 10_000
const saveUsesMs = 30_000
const rereadMs = 500

/** All API keys, in memory: who asks with one is known by a single lookup, and a revoked one is unknown at once. */
export class ApiKeys {
  readonly #options: ApiKeysOptions
  #byHash = new Map<string, Entry>()
  #byName = new Map<string, Entry>()
  /** Keys that were used and whose time of use is not stored yet. */
  readonly #uses = new Map<string, number>()
  #timers: NodeJS.Timeout[] = []

  constructor(options: ApiKeysOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    await this.#load()
    const repeat = (work: () => Promise<void>, ms: number, what: string) => {
      const run = () => void work().catch((error: unknown) => this.#options.log.warn(what, { error }))
      this.#timers.push(setInterval(run, ms).unref())
    }
    repeat(() => this.#saveUses(), saveUsesMs, 'the last use of API keys could not be stored')
    if (this.#options.isStoreShared) repeat(() => this.#load(), rereadMs, 'API keys could not be read')
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.#saveUses()
  }

  /** Who has this key. The hash is looked up, so the time it takes says nothing about keys that exist. */
  principalOf(key: string): Principal | null {
    const entry = this.#byHash.get(hashOf(key))
    const now = Date.now()
    if (entry === undefined || now >= entry.expiresAt) return null
    this.#uses.set(entry.view.name, now)
    return entry.principal
  }

  /** Who a key of this name is. */
  named(name: string): Principal | undefined {
    return this.#byName.get(name)?.principal
  }

  limitsOf(principalId: string): ApiKeyView['limits'] {
    return this.#byName.get(principalId.slice('key:'.length))?.view.limits ?? null
  }

  list(): ApiKeyView[] {
    return [...this.#byName.values()].map(({ view }) => this.#withLastUse(view))
  }

  get(name: string): ApiKeyView {
    const entry = this.#byName.get(name)
    if (entry === undefined) throw new HubError('KEY_NOT_FOUND', `No key is named '${name}'. See: herma key list`)
    return this.#withLastUse(entry.view)
  }

  /** The answer holds the key, which nobody can read again. */
  async add(input: ApiKeyInput, maker: Principal): Promise<NewApiKey> {
    const { name, ...fields } = ApiKeyInput.parse(input)
    requireWithin(fields, maker)
    this.#requireServers(fields.servers ?? [])
    if (fields.expiresAt !== null && Date.parse(fields.expiresAt) <= Date.now())
      throw new HubError('INVALID_PARAMS', 'expiresAt: This is in the past. Give a time in the future, or null.')
    if (this.#byName.size >= maxKeys)
      throw new HubError('OVERLOADED', `There are ${maxKeys} keys, the limit. Revoke some first.`)
    const key = `hk_${randomBytes(32).toString('base64url')}`
    const view = { name, ...fields, hint: key.slice(0, 7), madeBy: maker.id, lastUsedAt: null }
    const stored = { hash: hashOf(key), view: { ...view, createdAt: new Date().toISOString() } }
    await this.#options.store.insert(stored)
    this.#enter(stored)
    this.#options.events.emit('key.added', null, { name, role: fields.role, servers: fields.servers })
    return { key, view: stored.view }
  }

  /** Effective at once, here; within a second on other hubs of the same store. */
  async revoke(name: string, principal: Principal): Promise<void> {
    const entry = this.#byName.get(name)
    const { madeBy, role } = this.get(name)
    const { allowed, why } = mayTouch(principal, { owner: madeBy, role })
    if (!allowed) throw new HubError('FORBIDDEN', why)
    await this.#options.store.remove(name)
    this.#byName.delete(name)
    if (entry !== undefined) this.#byHash.delete(entry.hash)
    this.#uses.delete(name)
    this.#options.events.emit('key.removed', null, { name })
  }

  #requireServers(named: readonly string[]): void {
    const known = this.#options.servers()
    const unknown = named.find((name) => !known.includes(name))
    if (unknown !== undefined)
      throw new HubError('SERVER_NOT_FOUND', `No server is named '${unknown}'. There are: ${known.join(', ')}`)
  }

  async #load(): Promise<void> {
    const stored = await this.#options.store.loadAll()
    this.#byHash = new Map()
    this.#byName = new Map()
    for (const key of stored) this.#enter(key)
  }

  #enter({ hash, view }: { hash: string; view: ApiKeyView }): void {
    const { name, role, scopes, servers } = view
    const expiresAt = view.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(view.expiresAt)
    const principal: Principal = { id: `key:${name}`, kind: 'key', name, role, scopes, servers }
    const entry: Entry = { hash, view, principal, expiresAt }
    this.#byHash.set(hash, entry)
    this.#byName.set(name, entry)
  }

  #withLastUse(view: ApiKeyView): ApiKeyView {
    const used = this.#uses.get(view.name)
    return used === undefined ? view : { ...view, lastUsedAt: new Date(used).toISOString() }
  }

  async #saveUses(): Promise<void> {
    if (this.#uses.size === 0) return
    const uses = new Map(this.#uses)
    await this.#options.store.saveUses(uses)
    for (const [name, at] of uses) {
      const entry = this.#byName.get(name)
      if (entry !== undefined) entry.view = { ...entry.view, lastUsedAt: new Date(at).toISOString() }
      if (this.#uses.get(name) === at) this.#uses.delete(name)
    }
  }
}

/** Nobody makes a key that may do more than they may themselves. */
function requireWithin(
  { role, servers, scopes }: Pick<ApiKeyView, 'role' | 'servers' | 'scopes'>,
  maker: Principal,
): void {
  const { allowed, why } = mayAppoint(maker, role)
  if (!allowed) throw new HubError('FORBIDDEN', why)
  if (maker.servers !== null && !(servers ?? ['']).every((server) => maker.servers!.includes(server)))
    throw new HubError('FORBIDDEN', `You may use ${maker.servers.join(', ')}, so the key can be for no other server.`)
  if (maker.scopes !== null && !scopes.every((scope) => maker.scopes!.includes(scope)))
    throw new HubError('FORBIDDEN', `You have the scopes ${maker.scopes.join(' ')}, so the key can have no other.`)
}

function hashOf(key: string): string {
  return digest('sha256', key, 'hex')
}
