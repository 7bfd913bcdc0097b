import { ensureStateHome } from '../file/homes.ts'
import { acquireStateLock, type StateLock } from '../file/state-lock.ts'
import type { Log } from '../log.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../postgres/index.ts'

/** A state home that belongs to this process, and the database that starts in it. */
export interface ClaimedHome {
  readonly lock: StateLock
  /** Null where the store is a server of one's own. */
  readonly server: Promise<EmbeddedPostgres> | null
}

export interface ClaimOptions {
  readonly stateHome: string
  readonly databaseUrl?: string | undefined
  readonly log: Log
}

/** It loads little, so that the database starts while the rest of the hub is being read. */
export async function claimStateHome({ stateHome, databaseUrl, log }: ClaimOptions): Promise<ClaimedHome> {
  await ensureStateHome(stateHome)
  const lock = await acquireStateLock(stateHome)
  const server = databaseUrl ? null : startEmbeddedPostgres({ stateHome, log })
  // Whoever opens the store hears of it; until then nobody listens.
  server?.catch(() => undefined)
  return { lock, server }
}
