import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../machine/free-port.ts'
import { startProcess, type StartedProcess } from '../machine/start-process.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from '../machine/temporary-folder.ts'
import { hubPath } from '../paths.ts'
import { httpEndpoint, totalTools, waitUntilServing, type Fleet, type Target } from './target.ts'

export const herma: Target = {
  name: 'herma',
  kind: 'ours',
  note: 'this repository, embedded PostgreSQL',
  dialects: { legacy: 'legacy', modern: 'modern' },
  refuses: () => null,
  async start(fleet) {
    const home = await makeTemporaryFolder('herma')
    const hub = await launchHub(home)
    const stop = async () => {
      await hub.started.stop()
      await removeTemporaryFolder(home)
    }
    try {
      await waitUntilReady(hub)
      await addConnectors(hub, fleet)
      const endpoint = httpEndpoint(hub.endpoint)
      await waitUntilServing({ endpoint, dialect: 'legacy', toolCount: totalTools(fleet) }, hub.started)
      return { endpoints: [endpoint], toolCount: totalTools(fleet), processId: hub.started.processId, stop }
    } catch (error) {
      await stop()
      throw error
    }
  },
}

export interface RunningHub {
  origin: string
  endpoint: string
  stateHome: string
  started: StartedProcess
}

/** Starts the hub without waiting for it. */
export async function launchHub(home: string, nodeOptions: string[] = []): Promise<RunningHub> {
  const port = await freePort()
  const started = startProcess({
    name: 'herma',
    command: process.execPath,
    args: [...nodeOptions, hubPath(), 'up', '--listen', `127.0.0.1:${port}`],
    env: { HERMA_CONFIG_HOME: join(home, 'config'), HERMA_STATE_HOME: join(home, 'state') },
  })
  const origin = `http://127.0.0.1:${port}`
  return { origin, endpoint: `${origin}/mcp`, stateHome: join(home, 'state'), started }
}

/** Waits until the hub says that it is ready. */
export async function waitUntilReady(hub: RunningHub): Promise<void> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const isReady = await fetch(`${hub.origin}/readyz`).then(
      (response) => response.status === 200,
      // Not listening yet.
      () => false,
    )
    if (isReady) return
    if (Date.now() > deadline)
      throw new Error(`herma was not ready after 60 s. Its last output:\n${hub.started.output()}`)
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 50)), hub.started.failed])
  }
}

/** Adds the fleet's servers through the management API, as a person would. */
export async function addConnectors({ origin, stateHome }: RunningHub, fleet: Fleet): Promise<void> {
  const token = await readFile(join(stateHome, 'operator-token'), 'utf8')
  for (const { name, endpoint } of fleet.connectors) {
    const body =
      endpoint.kind === 'http'
        ? streamConnector(endpoint.url)
        : { transport: 'stdio', cmd: endpoint.command, args: endpoint.args }
    const response = await fetch(`${origin}/api/connectors`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token.trim()}` },
      body: JSON.stringify({ name, ...body }),
    })
    if (!response.ok)
      throw new Error(`adding connector ${name} failed: HTTP ${response.status} ${await response.text()}`)
  }
}

function streamConnector(url: string) {
  const { origin, pathname } = new URL(url)
  return { transport: 'stream', baseUrl: origin, endpointPath: pathname }
}
