import type { JSONValue } from '@modelcontextprotocol/server'
import type { ConnectionRecord } from '../../../connection/connection.ts'
import { legacyVersions } from '../../../protocol/version.ts'
import type { Host } from '../../../host/host.ts'
import type { Store } from '../../../store/store.ts'
import { isObject } from '../../../wire/meta.ts'
import type { LegacyConnection } from './connection-table.ts'

/** A store that does not answer must not keep clients waiting. */
const storeTimeoutMs = 5000

/** Keeps in a store what another process needs to go on with connections. A broken store is reported and done without. */
export class ConnectionRecords {
  readonly #host: Host
  readonly #store: Store
  readonly #ttlMs: number
  readonly #last = new WeakMap<LegacyConnection, Promise<void>>()
  readonly #waiting = new WeakMap<LegacyConnection, Promise<void>>()
  readonly #deleting = new WeakMap<LegacyConnection, Promise<void>>()
  readonly #touchedAt = new WeakMap<LegacyConnection, number>()

  constructor(host: Host, store: Store, ttlMs: number) {
    this.#host = host
    this.#store = store
    this.#ttlMs = ttlMs
  }

  /** Resolves when the connection is stored as it is now. Changes share a save that has not begun yet. */
  save(connection: LegacyConnection): Promise<void> {
    const waiting = this.#waiting.get(connection)
    if (waiting !== undefined) return waiting
    const next = (this.#last.get(connection) ?? Promise.resolve()).then(() => {
      this.#waiting.delete(connection)
      return this.#write(connection)
    })
    this.#waiting.set(connection, next)
    this.#last.set(connection, next)
    return next
  }

  /** Puts off the expiry of a connection that is in use, now and then. */
  touch(connection: LegacyConnection): void {
    const now = Date.now()
    const touchedAt = this.#touchedAt.get(connection)
    if (connection.protocol.connection === undefined || now - (touchedAt ?? 0) < this.#ttlMs / 4) return
    this.#touchedAt.set(connection, now)
    const touching = this.#store.touch(this.#key(connection.id), this.#ttlMs)
    touching
      .then((isThere) => (isThere ? undefined : this.save(connection)))
      .catch((error: unknown) => this.#host.report(error))
  }

  /** What is stored of a connection; undefined when there is nothing that fits this server. Throws when nobody can tell. */
  async load(id: string): Promise<ConnectionRecord | undefined> {
    const stored = await withTimeout(this.#store.load(this.#key(id)))
    const record = stored?.value
    return this.#isRecord(record) ? record : undefined
  }

  delete(connection: LegacyConnection): Promise<void> {
    const deleting = this.#deleting.get(connection) ?? this.#delete(connection)
    this.#deleting.set(connection, deleting)
    return deleting
  }

  async #delete(connection: LegacyConnection): Promise<void> {
    // Waits for a running save, which would otherwise restore the record.
    await this.#last.get(connection)
    await withTimeout(this.#store.delete(this.#key(connection.id))).catch((error: unknown) => this.#host.report(error))
  }

  async #write(connection: LegacyConnection): Promise<void> {
    const { protocol, principal, id } = connection
    const record = protocol.isClosed ? undefined : protocol.record(principal?.id)
    if (record === undefined) return
    this.#touchedAt.set(connection, Date.now())
    const saving = this.#store.save(this.#key(id), record as unknown as JSONValue, { ttlMs: this.#ttlMs })
    await withTimeout(saving).catch((error: unknown) => this.#host.report(error))
  }

  #isRecord(value: unknown): value is ConnectionRecord & JSONValue {
    return (
      isObject(value) &&
      value['server'] === this.#host.info.name &&
      (legacyVersions(this.#host.versions) as unknown[]).includes(value['version']) &&
      isObject(value['client']) &&
      Array.isArray(value['subscriptions'])
    )
  }

  #key(id: string): string {
    return `connection:${this.#host.info.name}:${id}`
  }
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The store did not answer within ${storeTimeoutMs} ms.`)), storeTimeoutMs)
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
