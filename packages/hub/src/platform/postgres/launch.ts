import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { type Cluster, clusterEnvironment } from './cluster/cluster.ts'
import { explainClusterFailure, explainSpawnError } from './explain-failure.ts'
import { greet } from './greet.ts'
import { isPostmasterOf, type PostmasterFile, readPostmasterFile } from './postmaster-file.ts'
import { capLog, findLogEnd, readLogSince } from './server-log.ts'
import { serverArguments } from './server-arguments.ts'
import { shutDown } from './shut-down.ts'

export interface RunningServer extends PostmasterFile {
  readonly isAdopted: boolean
}

// Recovery after a crash takes seconds at most with the small write-ahead log that we allow.
const startLimitMs = 60_000
const pollMs = 5
const emptyLockMs = 2000

/** Returns the server of this data directory when it runs, waits for one that starts or stops, else starts it. */
export async function adoptOrLaunch(cluster: Cluster, log: Log): Promise<RunningServer> {
  const deadline = Date.now() + startLimitMs
  let said: string[] = []
  for (let waitMs = pollMs; Date.now() < deadline; waitMs = Math.min(waitMs * 2, 200)) {
    const file = readPostmasterFile(cluster.dataDirectory)
    const isRunning = file !== undefined && isPostmasterOf(file.pid, cluster.dataDirectory)
    const outcome = isRunning ? { ...file, isAdopted: true } : await launch(cluster, file?.pid, deadline)
    if ('said' in outcome) {
      said = outcome.said
      await removeEmptyLockFile(cluster.dataDirectory)
    } else if (outcome.status === 'ready' && (await isServing(cluster, outcome, log))) return outcome
    await sleep(waitMs)
  }
  if (said.length === 0) said = await readLogSince(cluster.logPath, 0)
  throw explainClusterFailure('The embedded store was not ready in time', said, cluster.dataDirectory)
}

/** A server writes its lock file within moments; one that stays empty was left by a crash or a full disk. */
async function removeEmptyLockFile(dataDirectory: string): Promise<void> {
  const path = join(dataDirectory, 'postmaster.pid')
  const found = await stat(path).catch(() => null)
  if (found?.size === 0 && Date.now() - found.mtimeMs > emptyLockMs) await rm(path, { force: true })
}

async function isServing(cluster: Cluster, server: RunningServer, log: Log): Promise<boolean> {
  try {
    const greeting = await greet(server.socketDirectory, server.port)
    if (greeting === 'unreachable') {
      log.warn('the running store cannot be reached and is restarted', { processId: server.pid })
      await shutDown(cluster, server.pid, log)
    }
    return greeting === 'ready'
  } catch (error) {
    // What we started and cannot use must not stay behind.
    if (!server.isAdopted) await shutDown(cluster, server.pid, log)
    throw error
  }
}

// A passing failure is answered with what the server said; the caller tries again. The stale id is the one that the
// caller saw and judged: one that is read here could already be a rival's.
async function launch(
  cluster: Cluster,
  stalePid: number | undefined,
  deadline: number,
): Promise<RunningServer | { said: string[] }> {
  await capLog(cluster.logPath)
  const logStart = await findLogEnd(cluster.logPath)
  const server = await spawnServer(cluster, stalePid)
  const { pid } = server
  while (server.exitCode === null && server.signalCode === null) {
    const file = readPostmasterFile(cluster.dataDirectory)
    if (pid !== undefined && file?.pid === pid && file.status === 'ready') return { ...file, isAdopted: false }
    if (Date.now() >= deadline) {
      server.kill('SIGQUIT')
      return { said: await readLogSince(cluster.logPath, logStart) }
    }
    await sleep(pollMs)
  }
  const said = await readLogSince(cluster.logPath, logStart)
  if (passing.test(said.join('\n'))) return { said }
  throw explainClusterFailure('The embedded store did not start', said, cluster.dataDirectory)
}

// Another server got there first or is about to, or the last processes of one that was killed are still leaving.
const passing = /lock file "[^"]*" (?:already exists|is empty)|pre-existing shared memory block .* is still in use/

async function spawnServer(cluster: Cluster, stalePid: number | undefined): Promise<ChildProcess> {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW
  const output = await open(cluster.logPath, flags, 0o600)
  try {
    const server = spawn(cluster.binaries.postgres, serverArguments(cluster), {
      ...cluster.user?.spawnOptions,
      cwd: cluster.dataDirectory,
      env: {
        ...clusterEnvironment,
        // The server takes this id for its launcher's and so does not mistake another program that got it for a rival.
        ...(stalePid === undefined ? {} : { PG_GRANDPARENT_PID: String(stalePid) }),
      },
      stdio: ['ignore', output.fd, output.fd],
      // A group of its own keeps Ctrl-C in the terminal away from it: the hub stops it last, in order.
      detached: true,
    })
    await new Promise<void>((resolve, reject) => {
      server.once('spawn', resolve)
      server.once('error', (cause) => reject(explainSpawnError(cluster.binaries.postgres, cause)))
    })
    server.unref()
    return server
  } finally {
    await output.close()
  }
}
