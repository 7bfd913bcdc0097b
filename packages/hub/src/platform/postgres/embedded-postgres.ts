import type { Log } from '../log.ts'
import { isAlive } from '../process/process-tree.ts'
import { type Cluster, prepareCluster } from './cluster/cluster.ts'
import { databaseName, databaseUser } from './greet.ts'
import { adoptOrLaunch, type RunningServer } from './launch.ts'
import { capLog } from './server-log.ts'
import { shutDown } from './shut-down.ts'
import { startWatchdog } from './watchdog.ts'

export interface EmbeddedPostgresOptions {
  readonly stateHome: string
  readonly log: Log
  /** Server settings that win over ours. */
  readonly settings?: Readonly<Record<string, string>> | undefined
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
  stop(): Promise<void>
}

const watchIntervalMs = 2000

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
  const watch = watchServer(
    cluster,
    () => server,
    log,
    (restarted) => void (server = restarted),
  )
  return {
    connection,
    isAdopted: server.isAdopted,
    dataDirectory: cluster.dataDirectory,
    pid: () => server.pid,
    async stop() {
      await watch.stop()
      await shutDown(cluster, server.pid, log)
      watchdog.stop()
    },
  }
}

/** Restarts a server that ended by itself and keeps its log small. */
function watchServer(
  cluster: Cluster,
  current: () => RunningServer,
  log: Log,
  replace: (server: RunningServer) => void,
): { stop(): Promise<void> } {
  let checking: Promise<void> | undefined
  const check = async () => {
    try {
      await capLog(cluster.logPath)
      if (isAlive(current().pid)) return
      log.error('the embedded store ended by itself and is started again', { log: cluster.logPath })
      replace(await adoptOrLaunch(cluster, log))
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
