import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startChild, type Child } from './child.ts'
import type { Defer } from './cleanup.ts'

const readyTimeoutMs = 60_000

/** A running hub, and the folder with the token of its operator. */
export interface TestedHub {
  readonly url: string
  readonly stateHome: string
}

/** Starts a hub with fresh homes. */
export async function startHub(isSource: boolean, defer: Defer): Promise<TestedHub> {
  const home = await mkdtemp(join(tmpdir(), 'herma-conformance-'))
  defer(() => rm(home, { recursive: true, force: true, maxRetries: 5 }))
  // As root, the hub's PostgreSQL runs as somebody else, who has to reach the state home.
  await chmod(home, 0o755)

  const address = `127.0.0.1:${await findFreePort()}`
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HERMA_CONFIG_HOME: join(home, 'config'),
    HERMA_STATE_HOME: join(home, 'state'),
  }
  // A hub for a test must not meet the database of a person.
  for (const name of ['DATABASE_URL', 'HERMA_CLUSTER_URL', 'HERMA_LISTEN']) delete env[name]
  const command = isSource
    ? ['--conditions=herma-source', '--import', 'tsx', inHub('src/cli/herma.ts')]
    : [inHub('bin/herma.js')]
  const hub = startChild(process.execPath, [...command, 'up', '--listen', address], { env })
  defer(async () => {
    if (await hub.stop()) await stopLeftPostgres(home)
  })

  await waitUntilReady(`http://${address}/readyz`, hub)
  return { url: `http://${address}`, stateHome: join(home, 'state') }
}

function inHub(path: string): string {
  return fileURLToPath(new URL(`../../../packages/hub/${path}`, import.meta.url))
}

async function waitUntilReady(url: string, hub: Child): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs
  while (hub.isRunning() && Date.now() < deadline) {
    const status = await fetch(url, { signal: AbortSignal.timeout(5000) }).then(
      async (response) => {
        await response.body?.cancel()
        return response.status
      },
      // Nobody listens yet.
      () => 0,
    )
    if (status === 200) return
    await sleep(100)
  }
  throw new Error(`The hub did not get ready at ${url}. Its last lines:\n${hub.lastLines()}`)
}

export async function findFreePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', resolve)
  })
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** A hub that had to be killed leaves its PostgreSQL running, for the next hub of this home. Here there is none. */
async function stopLeftPostgres(home: string): Promise<void> {
  const files = await readdir(home, { recursive: true })
  for (const file of files.filter((name) => name.endsWith('postmaster.pid'))) {
    const [processId] = (await readFile(join(home, file), 'utf8')).split('\n')
    try {
      process.kill(Number(processId), 'SIGQUIT')
    } catch (error) {
      // It is gone, and only its file is left.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
