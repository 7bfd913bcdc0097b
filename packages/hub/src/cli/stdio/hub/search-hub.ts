import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '@herma/contract/plain'

import type { Hub } from '../../../hub.ts'
import { resolveHomes } from '../../../platform/file/homes.ts'
import type { Log } from '../../../platform/log.ts'
import { findStateLockOwner } from '../../../platform/file/state-lock.ts'
import type { ListenAddress } from '../../flag/parse-listen.ts'
import type { HubChoice } from '../../hub/find-hub.ts'
import { useOperatorToken } from '../../hub/hub-credential.ts'
import { openHub } from '../../hub/open-hub.ts'
import { findRunningHub } from './find-running-hub.ts'

export interface HubSearchOptions {
  /** With an address only that one counts, and none is started. */
  readonly hub: HubChoice
  readonly env: NodeJS.ProcessEnv
  /** Whether a hub may be started in this process. */
  readonly mayStart: boolean
  readonly listen: ListenAddress
  readonly log: Log
}

/** A hub that runs; `own` when it does so in this process. */
export interface FoundHub {
  readonly url: URL
  readonly own: Hub | null
}

/** How long a hub that is expected is waited for: one that restarts, and one that another process is starting. */
const absenceMs = 3000
const startMs = 60_000
const pauseMs = 100
/** Clients kill a server that does not leave in time, so calls of other bridges get little of it. */
const graceMs = 1000

/**
 * Finds a running hub or starts one. Of several processes that search at the same time one starts the hub, by the lock
 * of the state home, and the others find it.
 */
export async function searchHub(options: HubSearchOptions, signal: AbortSignal): Promise<FoundHub> {
  const { hub, env, mayStart } = options
  const startedAt = performance.now()
  for (;;) {
    signal.throwIfAborted()
    const url = await findRunningHub(hub, env)
    if (url !== null) return { url, own: null }
    const waitedMs = performance.now() - startedAt
    if (!mayStart) {
      if (waitedMs > absenceMs) throw absent(hub.url)
    } else {
      const own = await tryStart(options, waitedMs, signal)
      if (own !== null) {
        const ownUrl = new URL(own.url)
        await useOperatorToken(ownUrl, resolveHomes(env).stateHome, process.pid)
        return { url: ownUrl, own }
      }
    }
    await sleep(pauseMs * (0.5 + Math.random()))
  }
}

/** Null when another process has the state home: its hub is starting or stopping. */
async function tryStart(options: HubSearchOptions, waitedMs: number, signal: AbortSignal): Promise<Hub | null> {
  const { stateHome } = resolveHomes(options.env)
  const owner = await findStateLockOwner(stateHome)
  if (owner !== undefined) {
    if (waitedMs > startMs) throw silent(stateHome, owner)
    return null
  }
  signal.throwIfAborted()
  try {
    return await startOwn(options)
  } catch (error) {
    // The lock was lost to a process that started in the same moment.
    if (waitedMs <= startMs && (await findStateLockOwner(stateHome)) !== undefined) return null
    throw error
  }
}

async function startOwn({ env, listen, log }: HubSearchOptions): Promise<Hub> {
  const free = { ...listen, port: 0 }
  // Asked before the start, because a hub that cannot listen has started everything else for nothing.
  if (listen.port !== 0 && !(await canListen(listen))) return openHub(env, free, { log, graceMs })
  try {
    return await openHub(env, listen, { log, graceMs })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return openHub(env, free, { log, graceMs })
  }
}

function canListen({ host, port }: ListenAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}

function absent(hubUrl: string | undefined): HubError {
  const where = hubUrl === undefined ? 'No hub is running.' : `No hub answers at ${new URL(hubUrl).origin}.`
  return new HubError('HUB_NOT_RUNNING', `${where} Start one with: herma up`)
}

function silent(stateHome: string, owner: number): HubError {
  return new HubError(
    'HUB_NOT_RUNNING',
    `Process ${owner} has the state home ${stateHome}, but its hub does not answer. End that process, then try again.`,
  )
}
