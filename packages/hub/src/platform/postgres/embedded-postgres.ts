import type { Log } from '../log.ts'
import { Signal } from '../signal.ts'
import { isAlive, killTree } from '../process/process-tree.ts'
import { type Cluster, prepareCluster } from './cluster/cluster.ts'
import { answers, databaseName, databaseUser } from './greet.ts'
import { adoptOrLaunch, type RunningServer } from './launch.ts'
import { capLog } from './server-log.ts'
import { isPostmasterOf } from './postmaster-file.ts'
import { shutDown } from './shut-down.ts'
import { startWatchdog } from './watchdog.ts'

export interface EmbeddedPostgresOptions {
  readonly stateHome: string
  readonly log: Log
  /** Server settings that win over ours. */
  readonly settings?: Readonly<Record<string, string>> | undefined
  /** How long a server that runs may answer nothing, or recover, before it is started again. */
  readonly silenceLimitMs?: number | undefined
}

export interface EmbeddedPostgres {
  readonly connection: {
    readonly host: string
    readonly port: number
    readonly user: string
    readonly database: string
  }
  /** True when the server was left running by a hub that was killed. */
  readonly isAdopted: boolean
  readonly dataDirectory: string
  /** The process id of the server; another one after a crash. */
  pid(): number
  /** It ran and did not answer, and was started again. */
  readonly restarted: Signal<[why: string]>
  stop(): Promise<void>
}

const watchIntervalMs = 2000
/** How often a server that answered is asked again; each time is a process of its own. */
const askEveryMs = 10_000
const answerLimitMs = 5000
const silenceLimitMs = 30_000
/** A start that helps nothing is tried less and less often: recovery may be slow rather than stuck. */
const maxSilenceLimitMs = 10 * 60_000

/** Starts the PostgreSQL of this state home, or adopts it when it runs already, and keeps it running until `stop()`. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log } = options
  const prepared = await prepareCluster(options)
  const watchdog = await startWatchdog(prepared, log)
  let server: RunningServer
  try {
    server = await adoptOrLaunch(prepared, log)
  } catch (error) {
    watchdog.stop()
    throw error
  }
  // An adopted server may have its socket elsewhere; a later restart must put it where the pool looks for it.
  const cluster: Cluster = { ...prepared, socketDirectory: server.socketDirectory }
  const connection = { host: server.socketDirectory, port: server.port, user: databaseUser, database: databaseName }
  const restarted = new Signal<[why: string]>()
  const watch = watchServer(cluster, {
    log,
    silenceLimitMs: options.silenceLimitMs ?? silenceLimitMs,
    current: () => server,
    replace: (next) => void (server = next),
    onRestart: (why) => restarted.tell(why),
  })
  return {
    connection,
    isAdopted: server.isAdopted,
    dataDirectory: cluster.dataDirectory,
    pid: () => server.pid,
    restarted,
    async stop() {
      await watch.stop()
      await shutDown(cluster, server.pid, log)
      watchdog.stop()
    },
  }
}

interface WatchOptions {
  readonly log: Log
  readonly silenceLimitMs: number
  current(): RunningServer
  replace(server: RunningServer): void
  onRestart(why: string): void
}

/** Restarts a server that ended by itself, or runs and does not answer, and keeps its log small. */
function watchServer(cluster: Cluster, options: WatchOptions): { stop(): Promise<void> } {
  const { log, current, replace } = options
  let checking: Promise<void> | undefined
  let answeredAt = performance.now()
  let isSilent = false
  let limitMs = options.silenceLimitMs
  const restartSilent = async () => {
    const silentMs = performance.now() - answeredAt
    const why = `It runs and did not answer for ${Math.round(silentMs / 1000)} s.`
    log.error('the embedded store does not answer and is started again', { silentMs: Math.round(silentMs) })
    limitMs = Math.min(limitMs * 2, maxSilenceLimitMs)
    answeredAt = performance.now()
    await endSilent(cluster, current().pid, log)
    replace(await adoptOrLaunch(cluster, log))
    options.onRestart(why)
  }
  const listen = async () => {
    if (!isSilent && performance.now() - answeredAt < Math.min(askEveryMs, options.silenceLimitMs)) return
    const { socketDirectory, port } = current()
    isSilent = !(await answers(socketDirectory, port, Math.min(answerLimitMs, options.silenceLimitMs)))
    if (!isSilent) {
      answeredAt = performance.now()
      limitMs = options.silenceLimitMs
    } else if (performance.now() - answeredAt > limitMs) await restartSilent()
  }
  const check = async () => {
    try {
      await capLog(cluster.logPath)
      if (isAlive(current().pid)) return await listen()
      log.error('the embedded store ended by itself and is started again', { log: cluster.logPath })
      replace(await adoptOrLaunch(cluster, log))
      answeredAt = performance.now()
    } catch (error) {
      // The next round tries again; meanwhile the store reports itself unhealthy.
      log.error('the embedded store cannot be started', { error })
    }
  }
  const timer = setInterval(() => {
    checking ??= check().finally(() => (checking = undefined))
  }, watchIntervalMs).unref()
  return {
    async stop() {
      clearInterval(timer)
      await checking
    },
  }
}

/** Ends a server that may not even hear signals, with all of its processes. What was committed stays. */
async function endSilent({ dataDirectory }: Cluster, pid: number, log: Log): Promise<void> {
  if (!isPostmasterOf(pid, dataDirectory)) return
  const leave = async () => {
    process.kill(pid, 'SIGQUIT')
  }
  await killTree(pid, { graceMs: 2000, leave, log })
}
