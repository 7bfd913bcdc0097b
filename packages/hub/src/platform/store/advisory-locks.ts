import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '@herma/contract'
import type pg from 'pg'

const lookEveryMs = 50
/** Whoever holds a lock has network calls to make, but none that take for ever. */
const patienceMs = 60_000

/**
 * Locks that every hub on the same database respects. They end with their holder, however it ends. All locks of a hub
 * share one connection, which is given back when none is held.
 */
export class AdvisoryLocks {
  readonly #pool: Pick<pg.Pool, 'connect'>
  /** A connection may take the same lock twice, so who comes second in this process waits here. */
  readonly #lines = new Map<string, Promise<unknown>>()
  #connection: Connection | null = null

  constructor(pool: Pick<pg.Pool, 'connect'>) {
    this.#pool = pool
  }

  /** Runs work while no other holder of this name runs. Rejects when the lock cannot be had. */
  hold<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#lines.get(name) ?? Promise.resolve()
    const held = before.then(() => this.#holdAlone(name, work))
    const line = held
      .catch(() => undefined)
      .finally(() => {
        if (this.#lines.get(name) === line) this.#lines.delete(name)
      })
    this.#lines.set(name, line)
    return held
  }

  async #holdAlone<T>(name: string, work: () => Promise<T>): Promise<T> {
    const connection = (this.#connection ??= { client: this.#pool.connect(), users: 0 })
    connection.users++
    try {
      const client = await this.#acquire(connection, name)
      try {
        return await work()
      } finally {
        const unlock = client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name])
        await unlock.catch(() => this.#abandon(connection))
      }
    } finally {
      if (--connection.users === 0) this.#release(connection)
    }
  }

  async #acquire(connection: Connection, name: string): Promise<pg.PoolClient> {
    try {
      const client = await connection.client
      await acquire(client, name)
      return client
    } catch (cause) {
      this.#abandon(connection)
      throw cause instanceof HubError
        ? cause
        : new HubError('STORE_UNAVAILABLE', 'The store cannot be reached.', { cause })
    }
  }

  /** The next holder gets another connection. */
  #abandon(connection: Connection): void {
    if (this.#connection === connection) this.#connection = null
  }

  /** Closed and not reused where it may have failed: a connection that is gone has taken its locks along. */
  #release(connection: Connection): void {
    const isSound = this.#connection === connection
    if (isSound) this.#connection = null
    connection.client.then(
      (client) => client.release(!isSound),
      () => undefined,
    )
  }
}

interface Connection {
  readonly client: Promise<pg.PoolClient>
  users: number
}

async function acquire(client: pg.PoolClient, name: string): Promise<void> {
  const until = Date.now() + patienceMs
  for (;;) {
    // Asking again lets the other locks of this connection go on meanwhile; waiting inside of PostgreSQL would not.
    const { rows } = await client.query<{ isHeld: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as "isHeld"',
      [name],
    )
    if (rows[0]?.isHeld === true) return
    if (Date.now() > until)
      throw new HubError('STORE_UNAVAILABLE', 'Another hub has been busy with it for a minute. Try again.')
    await sleep(lookEveryMs)
  }
}
