// One hub per state home. Every hub that wants the home puts a claim into `<stateHome>/lock/` and only then looks for
// claims of others: of two hubs at least one sees the other, whatever the timing, so two can never both have it.
// A single lock file cannot do that, because taking over a stale one is not atomic.
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '@herma/contract/plain'
import { ensureStateHome, unwritableHome } from './homes.ts'
import { findProcess } from '../process/process-table.ts'

export interface StateLock {
  release(): Promise<void>
}

// Two hubs that start in the same instant both step back; the random wait lets one of them come first.
const attempts = 8
const maxWaitMs = 80

/** Throws STORE_UNAVAILABLE, naming its process, when another hub uses this state home. */
export async function acquireStateLock(stateHome: string): Promise<StateLock> {
  await ensureStateHome(stateHome)
  const directory = join(stateHome, 'lock')
  await writing(stateHome, () => makeFolder(directory))
  const claim = join(directory, `${process.pid}-${identify(process.pid)}-${randomBytes(4).toString('hex')}`)
  for (let attempt = 1; ; attempt++) {
    await writing(stateHome, () => writeFile(claim, '', { flag: 'wx', mode: 0o600 }))
    const owner = await findOtherOwner(directory, claim)
    if (owner === undefined) return { release: () => rm(claim, { force: true }) }
    await rm(claim, { force: true })
    if (attempt === attempts) throw inUse(stateHome, owner)
    await sleep(Math.random() * maxWaitMs)
  }
}

/** With `recursive` Node reports a file system that is read-only as a folder that does not exist. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** It is the first thing that is written, so that a home that cannot be written is told here. */
async function writing(stateHome: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (cause) {
    throw unwritableHome(stateHome, cause)
  }
}

/** The process id of the hub that holds this state home, or undefined when none runs. */
export async function findStateLockOwner(stateHome: string): Promise<number | undefined> {
  return await findOtherOwner(join(stateHome, 'lock'), undefined)
}

async function findOtherOwner(directory: string, ownClaim: string | undefined): Promise<number | undefined> {
  for (const name of await listNames(directory)) {
    const match = /^(\d+)-([0-9a-f]+)-[0-9a-f]+$/.exec(name)
    const claim = join(directory, name)
    if (!match || claim === ownClaim) continue
    const pid = Number(match[1])
    if (identify(pid) === match[2]) return pid
    // Its process ended without releasing. The name holds the process's start time, so it can never be valid again.
    await rm(claim, { force: true })
  }
  return undefined
}

async function listNames(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function identify(pid: number): string | undefined {
  const entry = findProcess(pid)
  return entry && createHash('sha256').update(entry.startedAt).digest('hex').slice(0, 16)
}

function inUse(stateHome: string, pid: number): HubError {
  return new HubError(
    'STORE_UNAVAILABLE',
    `Another hub (pid ${pid}) uses this state home: ${stateHome}. ` +
      'See it with: herma status. End it with: herma stop. Or set HERMA_STATE_HOME to another folder.',
  )
}
