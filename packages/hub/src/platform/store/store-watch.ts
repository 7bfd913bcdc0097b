import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../log.ts'
import { readErrorCode } from '../postgres/sql-state.ts'
import { describeStoreFailure } from './store-failure.ts'

export interface StoreWatchOptions {
  readonly pool: Pick<pg.Pool, 'query'>
  readonly log: Log
  /** How long a probe may take. */
  readonly limitMs?: number
}

const writeEveryMs = 15_000
const writeAgainMs = 2000
const limitMs = 5000

/**
 * Whether the store takes what is written, looked at now and then so that nobody who asks waits for it. A full disk lets
 * every read pass.
 */
export class StoreWatch {
  readonly #options: StoreWatchOptions
  #problem: string | null = null
  #writing: Promise<string | null> | undefined
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(options: StoreWatchOptions) {
    this.#options = options
    this.#next()
  }

  /** Why nothing can be written; null while it can, as far as is known. */
  get problem(): string | null {
    return this.#problem
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  /** Looks now. */
  async probe(): Promise<void> {
    const { pool, log } = this.#options
    const before = this.#problem
    // One that hangs is waited for again: each has a connection, and those who only read need some too.
    this.#writing ??= probeWrite(pool).finally(() => (this.#writing = undefined))
    this.#problem = await Promise.race([this.#writing, sleep(this.#options.limitMs ?? limitMs, silent, { ref: false })])
    if (this.#isStopped || before === this.#problem) return
    if (this.#problem !== null) log.error('the store cannot be written', { error: this.#problem })
    else log.info('the store can be written again')
  }

  #next(): void {
    if (this.#isStopped) return
    const waitMs = this.#problem === null ? writeEveryMs : writeAgainMs
    this.#timer = setTimeout(() => void this.probe().finally(() => this.#next()), waitMs).unref()
  }
}

const silent = 'The store cannot be used: it does not answer. Once PostgreSQL answers again, the hub goes on by itself.'

// It takes a page on the disk of the data and a place in the log, and gives back both.
const writing = 'create temporary table herma_probe on commit drop as select 1 as written'

async function probeWrite(pool: Pick<pg.Pool, 'query'>): Promise<string | null> {
  try {
    const { rows } = await pool.query<{ readOnly: string }>(
      `select current_setting('transaction_read_only') as "readOnly"`,
    )
    // Temporary tables may be made there all the same.
    if (rows[0]?.readOnly === 'on')
      return describeStoreFailure(Object.assign(new Error('it is read-only'), { code: '25006' }))
    await pool.query(writing)
    return null
  } catch (error) {
    // Whoever may make no temporary tables may still write ours.
    if (readErrorCode(error) === '42501') return null
    return describeStoreFailure(error)
  }
}
