import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve as resolvePath } from 'node:path'
import { freePort } from '../machine/free-port.ts'
import { startProcess, type StartedProcess } from '../machine/start-process.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from '../machine/temporary-folder.ts'
import { hubPath } from '../paths.ts'
import { totalTools, waitUntilServing, type Fleet, type Target } from './target.ts'

export const herma = createHerma({ name: 'herma', note: 'this repository, embedded PostgreSQL' })

/** Without the lane for ordinary HTTP: what is left of it is what node:http and undici cost. */
export const hermaNode = createHerma({
  name: 'herma-node-http',
  note: 'the same with HERMA_HTTP=node',
  env: { HERMA_HTTP: 'node' },
})

/** Another clone of this repository that was built, such as the commit before a change. */
export function createBefore(clone: string, index: number): Target {
  // npm runs this in the folder of the workspace, and people name folders from where they are.
  const folder = resolvePath(process.env['INIT_CWD'] ?? '.', clone)
  const program = join(folder, 'packages/hub/bin/herma.js')
  if (!existsSync(join(folder, 'packages/hub/dist')))
    throw new Error(`--against ${clone}: there is no built clone in ${folder}. Run there: npm ci && npm run build`)
  const name = index === 0 ? 'before' : `before-${index + 1}`
  return createHerma({ name, note: 'another clone of this repository', program })
}

export interface HermaOptions {
  readonly name: string
  readonly note: string
  /** May return a key for its clients. */
  readonly prepare?: (ask: AskHub) => Promise<string | undefined>
  readonly program?: string
  readonly node?: string
  readonly env?: Readonly<Record<string, string>>
  readonly limit?: string
}

/** The hub, as this repository or another clone has it. */
export function createHerma({ name, note, prepare, limit, ...how }: HermaOptions): Target {
  return {
    name,
    kind: 'ours',
    note,
    ...(limit !== undefined && { limit }),
    dialects: { legacy: 'legacy', modern: 'modern' },
    refuses: () => null,
    async start(fleet) {
      const home = await makeTemporaryFolder('herma')
      const hub = await launchHub(home, [], how)
      const stop = async () => {
        await hub.started.stop()
        await removeTemporaryFolder(home)
      }
      try {
        await waitUntilReady(hub)
        const ask = await openApi(hub)
        await addConnectors(ask, fleet)
        const key = await prepare?.(ask)
        const endpoint = { kind: 'http' as const, url: hub.endpoint, ...(key !== undefined && { key }) }
        await waitUntilServing({ endpoint, dialect: 'legacy', toolCount: totalTools(fleet) }, hub.started)
        return { endpoints: [endpoint], toolCount: totalTools(fleet), processId: hub.started.processId, stop }
      } catch (error) {
        await stop()
        throw error
      }
    },
  }
}

/** Sends a request to the management API. */
export type AskHub = (method: string, path: string, body?: object) => Promise<unknown>

/** The management API of a hub that runs, for its operator. */
export async function openApi({ origin, stateHome }: RunningHub): Promise<AskHub> {
  const token = await readFile(join(stateHome, 'operator-token'), 'utf8')
  const authorization = `Bearer ${token.trim()}`
  return async (method, path, body) => {
    const sent = body && { body: JSON.stringify(body) }
    const headers = { authorization, ...(sent && { 'content-type': 'application/json' }) }
    const response = await fetch(origin + path, { method, headers, ...sent })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} failed: HTTP ${response.status} ${text}`)
    return text === '' ? null : (JSON.parse(text) as unknown)
  }
}

export interface RunningHub {
  origin: string
  endpoint: string
  stateHome: string
  started: StartedProcess
}

/** Starts the hub without waiting for it. */
export async function launchHub(
  home: string,
  nodeOptions: string[] = [],
  { node = process.execPath, program = hubPath(), env }: Pick<HermaOptions, 'node' | 'program' | 'env'> = {},
): Promise<RunningHub> {
  const port = await freePort()
  const started = startProcess({
    name: 'herma',
    command: node,
    args: [...nodeOptions, program, 'up', '--listen', `127.0.0.1:${port}`],
    env: { ...env, HERMA_CONFIG_HOME: join(home, 'config'), HERMA_STATE_HOME: join(home, 'state') },
    isPinned: true,
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
export async function addConnectors(ask: AskHub, fleet: Fleet): Promise<void> {
  for (const { name, endpoint } of fleet.connectors) {
    const body =
      endpoint.kind === 'http'
        ? streamConnector(endpoint.url)
        : { transport: 'stdio', cmd: endpoint.command, args: endpoint.args }
    await ask('POST', '/api/connectors', { name, ...body })
  }
}

function streamConnector(url: string) {
  const { origin, pathname } = new URL(url)
  return { transport: 'stream', baseUrl: origin, endpointPath: pathname }
}
