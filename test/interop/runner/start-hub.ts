import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startChild, type Child } from '../../conformance/runner/child.ts'
import type { Defer } from '../../conformance/runner/cleanup.ts'

export interface StartedHub {
  readonly url: string
  /** The arguments of Node that run `herma`, without a command. */
  readonly program: readonly string[]
  /** Where it keeps its state; a `herma` with these variables finds this hub. */
  readonly env: Readonly<Record<string, string>>
  /** Stops it, or kills it as a power cut would, and starts it at the same address with the same state. */
  startAgain(end: 'stop' | 'kill'): Promise<void>
}

const readyTimeoutMs = 60_000
/** A stop waits for calls that run; here are none that last. */
const stopTimeoutMs = 40_000

/** Starts a hub as a person does, with its homes in this folder. */
export async function startHub(folder: string, isSource: boolean, defer: Defer): Promise<StartedHub> {
  const env = { HERMA_CONFIG_HOME: join(folder, 'config'), HERMA_STATE_HOME: join(folder, 'state') }
  const home = join(folder, 'home')
  await mkdir(home)
  const program = isSource
    ? ['--conditions=herma-source', '--import', import.meta.resolve('tsx'), inHub('src/cli/herma.ts')]
    : [inHub('bin/herma.js')]
  const addressFile = join(env.HERMA_STATE_HOME, 'hub.json')
  const start = (listen: string) =>
    startChild(process.execPath, [...program, 'up', '--listen', listen], {
      env: { ...withoutSettings(process.env), HOME: home, ...env },
      stopTimeoutMs,
    })
  let hub = start('127.0.0.1:0')
  defer(async () => {
    if (await hub.stop()) await stopLeftPostgres(env.HERMA_STATE_HOME)
  })
  const url = await readUrl(addressFile, hub)
  return {
    url,
    program,
    env,
    async startAgain(end) {
      if (end === 'stop') await hub.stop()
      else {
        hub.kill()
        await hub.ended
      }
      await rm(addressFile, { force: true })
      hub = start(new URL(url).host)
      await readUrl(addressFile, hub)
    },
  }
}

/** A hub for a test must not meet the database of a person. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DATABASE_URL, HERMA_CLUSTER_URL, HERMA_LISTEN, ...rest } = env
  return rest
}

/** Where the hub says that it listens, once it is ready. */
async function readUrl(file: string, hub: Child): Promise<string> {
  const deadline = Date.now() + readyTimeoutMs
  while (hub.isRunning() && Date.now() < deadline) {
    // It is not there yet.
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text.endsWith('\n')) return (JSON.parse(text) as { url: string }).url.replace(/\/$/, '')
    await sleep(50)
  }
  throw new Error(`The hub did not get ready. Its last lines:\n${hub.lastLines()}`)
}

function inHub(path: string): string {
  return fileURLToPath(new URL(`../../../packages/hub/${path}`, import.meta.url))
}

/** A hub that had to be killed leaves its PostgreSQL running, for the next hub of this home. Here there is none. */
async function stopLeftPostgres(stateHome: string): Promise<void> {
  // Without the file there is no PostgreSQL.
  const text = await readFile(join(stateHome, 'postgres/data/postmaster.pid'), 'utf8').catch(() => '')
  const processId = Number(text.split('\n')[0])
  if (processId > 0) process.kill(processId, 'SIGQUIT')
}
