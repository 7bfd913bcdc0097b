import { randomBytes } from 'node:crypto'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { HubError } from '@herma/contract'
import { ensureStateHome } from '../../platform/file/homes.ts'
import type { Sealer } from '../sealer.ts'
import { createTokenSealer, type TokenSealer } from '../token-sealer.ts'
import { decrypt, encrypt, keyBytes } from '../cipher.ts'
import {
  describeSource,
  keyForms,
  type KeyPlaces,
  type KeySource,
  locateKey,
  type MasterKey,
  readMasterKey,
} from './master-key.ts'
import { DataKeyStore, type StoredDataKey, type StoredWrap } from './store.ts'

/**
 * Reads the master key, and with it the data keys; the first of each is created on first use.
 * A key file in the state home that holds no key still gives a ring, whose every use throws.
 */
export async function openKeyRing({ db, isStoreShared = false, ...places }: KeyRingOptions): Promise<KeyRing> {
  await ensureStateHome(places.stateHome)
  const source = locateKey(places)
  const store = new DataKeyStore(db)
  const ring = new KeyRing(source, await readMasterKey(source), store)
  await ring.load({ isStoreShared })
  return ring
}

interface KeyRingOptions extends KeyPlaces {
  readonly db: NodePgDatabase
  /** Whether other hubs may work on the same database, whose data keys this one must be able to open. */
  readonly isStoreShared?: boolean
}

/** The keys in memory: one seals, all open. Sealed values say which data key they need: `v2.<id>.<bytes>`. */
export class KeyRing implements Sealer {
  readonly source: KeySource
  readonly store: DataKeyStore
  #master: MasterKey | null
  readonly #keys = new Map<string, Buffer>()
  #activeId: string | null = null
  #tokenLifeMs = 0
  readonly #usedIds = new Set<string>()

  constructor(source: KeySource, master: MasterKey | null, store: DataKeyStore) {
    this.source = source
    this.#master = master
    this.store = store
  }

  async load({ isStoreShared = false } = {}): Promise<void> {
    if (this.#master === null) return
    let stored = await this.store.loadAll()
    // A key of its own beside those of other hubs would leave each with secrets that the others cannot open.
    if (isStoreShared && stored.length > 0 && !stored.some((key) => this.#opens(key))) throw this.#foreignKeys()
    if (!stored.some((key) => key.retiredAt === null && this.#opens(key))) {
      await this.store.insertFirst(this.wrap(...createDataKey()))
      stored = await this.store.loadAll()
    }
    for (const key of stored) {
      const unwrapped = this.#opens(key)
      if (unwrapped === null) continue
      this.#keys.set(key.id, unwrapped)
      if (key.retiredAt === null) this.#activeId = key.id
    }
  }

  seal(plaintext: string, context: string): string {
    const [id, key] = this.#active()
    return `v2.${id}.${encrypt(key, Buffer.from(plaintext), context).toString('base64url')}`
  }

  open(sealed: string, context: string): string {
    const plaintext = this.#open(sealed, context)
    this.#usedIds.add(keyIdOf(sealed))
    return plaintext
  }

  #open(sealed: string, context: string): string {
    const { key: masterKey } = this.master
    try {
      const [, text] = /^(?:v1|v2\.[\w-]+)\.([\w-]*)$/.exec(sealed) ?? []
      // Before there were data keys, values were sealed with the master key itself.
      const key = sealed.startsWith('v1.') ? masterKey : this.#keys.get(keyIdOf(sealed))
      if (key === undefined || text === undefined) throw new Error('Not sealed with a key of this hub.')
      return decrypt(key, Buffer.from(text, 'base64url'), context).toString('utf8')
    } catch (cause) {
      throw new HubError(
        'INTERNAL',
        `A stored secret does not open with the key of this hub. ${describeSource(this.source)} is another one, or the ` +
          'value was changed: put back the key that sealed it, or enter the secret again.',
        { cause },
      )
    }
  }

  /** Sealed once more, with the key that seals now; null for what is. Throws for what does not open. */
  renew(sealed: string, context: string): string | null {
    return sealed.startsWith(`v2.${this.#activeId}.`) ? null : this.seal(this.#open(sealed, context), context)
  }

  /** A token opens for as long as the key that was active when it was made is kept. */
  tokens(purpose: string, rotationMs: number): TokenSealer {
    this.#tokenLifeMs = Math.max(this.#tokenLifeMs, 2 * rotationMs)
    // Without a usable key file tokens still work, until the hub restarts.
    const passing = randomBytes(keyBytes)
    const keys = {
      active: () => (this.#master === null ? (['0', passing] as const) : this.#active()),
      find: (id: string) => (this.#master === null ? passing : this.#keys.get(id)),
    }
    return createTokenSealer({ keys, purpose, rotationMs })
  }

  #foreignKeys(): HubError {
    const where = this.source.kind === 'command' ? 'HERMA_KEY_COMMAND' : 'HERMA_KEY_FILE'
    return new HubError(
      'STORE_UNAVAILABLE',
      `The database of DATABASE_URL belongs to a hub with another master key: none of its data keys opens with that of this one. ` +
        `${describeSource(this.source)} is another one. Set ${where} to the key of that hub, or DATABASE_URL to a ` +
        'database of its own. If that key is lost for good, its secrets are too: remove its data keys with ' +
        '"delete from data_key", start again, and enter the secrets once more.',
    )
  }

  get master(): MasterKey {
    if (this.#master !== null) return this.#master
    throw new HubError(
      'INTERNAL',
      `${describeSource(this.source)} holds no key: ${keyForms} Put back the right one, or remove it to start with a ` +
        'new key and enter the secrets again.',
    )
  }

  /** How long tokens live at most. */
  get tokenLifeMs(): number {
    return this.#tokenLifeMs
  }

  get activeId(): string {
    return this.#active()[0]
  }

  /** Ids of the keys that open. */
  get ids(): string[] {
    return [...this.#keys.keys()]
  }

  /** Whether a value was opened with it since the hub started, so that somebody may need it who told nobody. */
  isUsed(id: string): boolean {
    return this.#usedIds.has(id)
  }

  /** A new data key seals from now on. It is stored before anything is sealed with it. */
  async renewDataKey(): Promise<void> {
    const [id, key] = createDataKey()
    await this.store.insert(this.wrap(id, key))
    this.#keys.set(id, key)
    this.#activeId = id
  }

  forget(ids: readonly string[]): void {
    for (const id of ids) this.#keys.delete(id)
  }

  /** Every data key, wrapped for another master key. */
  wrapsFor(master: MasterKey): StoredWrap[] {
    return [...this.#keys].map(([id, key]) => this.wrap(id, key, master))
  }

  wrap(id: string, key: Buffer, { id: masterKeyId, key: masterKey } = this.master): StoredWrap {
    return { dataKeyId: id, masterKeyId, wrapped: encrypt(masterKey, key, contextOf(id)).toString('base64url') }
  }

  /** From now on this one wraps. */
  adopt(master: MasterKey): void {
    this.#master = master
  }

  #active(): readonly [string, Buffer] {
    const { id: masterId } = this.master
    const key = this.#keys.get(this.#activeId ?? '')
    if (key !== undefined) return [this.#activeId!, key]
    throw new HubError('INTERNAL', `No data key opens with the master key ${masterId}. Start the hub again.`)
  }

  #opens({ id, wraps }: StoredDataKey): Buffer | null {
    const wrap = wraps.find(({ masterKeyId }) => masterKeyId === this.master.id)
    if (wrap === undefined) return null
    try {
      return decrypt(this.master.key, Buffer.from(wrap.wrapped, 'base64url'), contextOf(id))
    } catch {
      // A row that was tampered with opens nothing; what it sealed says so.
      return null
    }
  }
}

function createDataKey(): [id: string, key: Buffer] {
  return [randomBytes(6).toString('hex'), randomBytes(keyBytes)]
}

/** The data key that a value needs: `v2.<id>.<bytes>`. */
export function keyIdOf(sealed: string): string {
  return sealed.split('.', 2)[1] ?? ''
}

function contextOf(id: string): string {
  return `data_key:${id}:wrapped`
}
