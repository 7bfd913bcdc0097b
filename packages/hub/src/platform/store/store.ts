import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '@herma/contract'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { ensureStateHome } from '../file/homes.ts'
import type { Log } from '../log.ts'
import { Signal } from '../signal.ts'
import { migrateStore } from './migrate-store.ts'
import { describeStoreFailure, markLost } from './store-failure.ts'
import { StoreWatch } from './store-watch.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../postgres/index.ts'
import { readErrorCode, readRootMessage } from '../postgres/sql-state.ts'

export interface Store {
  readonly db: NodePgDatabase
  readonly pool: pg.Pool
  readonly kind: 'embedded' | 'external'
  /** Never throws. */
  isHealthy(): Promise<boolean>
  /** Why nothing can be read or written, with the next step; null when all is well. Never throws. */
  problem(): Promise<string | null>
  /** The embedded server did not answer any more and was started again. */
  readonly restarted: Signal<[why: string]>
  /** Ends every connection, and the embedded server with them. */
  stop(): Promise<void>
}

export interface OpenStoreOptions {
  readonly stateHome: string
  /** A PostgreSQL server of one's own; absent = the embedded one. */
  readonly databaseUrl?: string | undefined
  readonly log: Log
  /** The embedded one, when it was started before. */
  readonly server?: Promise<EmbeddedPostgres> | null
}

const connectTimeoutMs = 10_000
const healthTimeoutMs = 2000
const endLimitMs = 5000

/**
 * Opens the store and brings its schema up to date. Several hubs may open the same external store at once.
 * An embedded store belongs to one hub: take the lock of the state home first.
 */
export async function openStore({ stateHome, databaseUrl, log, server: started }: OpenStoreOptions): Promise<Store> {
  if (databaseUrl) return await connectStore(externalConfig(databaseUrl), undefined, log)
  await ensureStateHome(stateHome)
  const server = await (started ?? startEmbeddedPostgres({ stateHome, log }))
  return await connectStore(server.connection, server, log)
}

/** Marks what goes wrong with its connection, for whoever asks later why a query failed. */
class StoreClient extends pg.Client {
  override connect(): Promise<this>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<this> | void {
    if (callback !== undefined) return super.connect((error: Error) => callback(markLost(error)))
    return super.connect().then(
      () => this,
      (error: unknown) => {
        throw markLost(error instanceof Error ? error : new Error(String(error)))
      },
    )
  }
}

async function connectStore(config: pg.PoolConfig, server: EmbeddedPostgres | undefined, log: Log): Promise<Store> {
  const pool = new pg.Pool({
    ...config,
    Client: StoreClient,
    max: 10,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'herma',
  })
  // Without a listener a server that restarts would end this process; the pool replaces the connection by itself.
  let isStopping = false
  pool.on('error', (error) => {
    if (!isStopping) log.warn('lost a connection to the store', { error })
  })
  // The pool does not listen while a connection is in use; the query that runs on it, or the next one, fails anyway.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const stop = async () => {
    // Connections in use are waited for, but not for ever: the work on them may hang.
    const limit = new AbortController()
    // Aborted = the pool ended in time.
    await Promise.race([pool.end(), sleep(endLimitMs, undefined, limit).catch(() => undefined)])
    limit.abort()
    await server?.stop()
  }
  try {
    await waitForStore(pool, log)
    await migrateStore(pool)
  } catch (error) {
    await stop()
    throw error instanceof HubError ? error : unavailable(config, error)
  }
  const watch = new StoreWatch({ pool, log })
  let stopping: Promise<void> | undefined
  return {
    db: drizzle(pool),
    pool,
    kind: server ? 'embedded' : 'external',
    isHealthy: async () => (await findSilence(pool)) === null,
    problem: async () => watch.problem ?? (await findSilence(pool)),
    restarted: server?.restarted ?? new Signal(),
    stop: () => {
      watch.stop()
      return (stopping ??= stop())
    },
  }
}

function externalConfig(databaseUrl: string): pg.PoolConfig {
  let url: URL
  try {
    url = new URL(databaseUrl)
  } catch (cause) {
    throw new HubError('STORE_UNAVAILABLE', `DATABASE_URL is not a URL. ${urlExample}`, { cause })
  }
  if (url.protocol === 'postgres:' || url.protocol === 'postgresql:') {
    return { connectionString: databaseUrl, keepAlive: true }
  }
  throw new HubError('STORE_UNAVAILABLE', `DATABASE_URL begins with '${url.protocol}//'. ${urlExample}`)
}

const urlExample = 'Use the form postgresql://user:password@host:5432/database, or leave it out for the embedded store.'

// A server that starts, stops or is restarted by its supervisor is worth waiting for; a wrong password is not.
const passingCodes = new Set(['57P03', '57P01', '53300', 'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN'])

async function waitForStore(pool: pg.Pool, log: Log): Promise<void> {
  const deadline = Date.now() + connectTimeoutMs
  for (let waitMs = 20; ; waitMs = Math.min(waitMs * 2, 500)) {
    try {
      await pool.query('select 1')
      return
    } catch (error) {
      if (!passingCodes.has(readErrorCode(error) ?? '') || Date.now() >= deadline) throw error
      log.debug('waiting for the store', { error: readRootMessage(error) })
      await sleep(waitMs)
    }
  }
}

async function findSilence(pool: pg.Pool): Promise<string | null> {
  const query = pool.query('select 1').then(
    () => null,
    (error: unknown) => describeStoreFailure(error),
  )
  const silent = describeStoreFailure(new Error('it does not answer'))
  return await Promise.race([query, sleep(healthTimeoutMs, silent, { ref: false })])
}

function unavailable({ connectionString, host }: pg.PoolConfig, cause: unknown): HubError {
  const message = readRootMessage(cause)
  if (!connectionString) {
    return new HubError('STORE_UNAVAILABLE', `The embedded store in ${host} cannot be used: ${message}`, { cause })
  }
  // The password stays out of the message.
  const url = new URL(connectionString)
  const where = url.host || url.searchParams.get('host')
  return new HubError(
    'STORE_UNAVAILABLE',
    `The store at ${where} cannot be used: ${message}. Check DATABASE_URL and that the server runs.`,
    { cause },
  )
}
