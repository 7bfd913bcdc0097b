import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectorInput } from '@herma/contract'
import type { Defer } from '../../conformance/runner/cleanup.ts'
import { operatorHeaders } from '../../e2e/operator-headers.ts'
import { modernStdioConnector } from '../../fixtures/modern-stdio-connector.ts'
import { serverProgram, startEverything } from '../server/everything.ts'
import type { InteropServer } from '../server/interop-server.ts'
import type { Place } from './client.ts'
import { startHub, type StartedHub } from './start-hub.ts'

/** A hub with real servers behind it, and everything that clients and attempts need to know of it. */
export interface Stage extends Omit<Place, 'answers'> {
  /** The folder that server-filesystem may touch. */
  readonly files: string
  readonly tools: readonly { readonly name: string; readonly description: string }[]
  /** Those of the servers that answered. */
  readonly servers: readonly InteropServer[]
  /** Why the others did not, by their name. */
  readonly broken: Readonly<Record<string, string>>
  readonly startHubAgain: StartedHub['startAgain']
  /** Runs the work when all that took its turn before is done. */
  takeTurn(work: () => Promise<void>): Promise<void>
}

interface StageOptions {
  readonly isSource: boolean
  readonly servers: readonly InteropServer[]
  readonly defer: Defer
}

/** Adds a connector and waits until its server was looked at, so that its tools are known. */
type Ask = (path: string, init?: RequestInit) => Promise<unknown>

const readyTimeoutMs = 60_000
/** Servers that start at the same time. */
const atOnce = 3

export async function startStage({ isSource, servers, defer }: StageOptions): Promise<Stage> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'herma-interop-')))
  defer(() => rm(home, { recursive: true, force: true, maxRetries: 5 }))
  // As root, the hub's PostgreSQL runs as somebody else, who has to reach the state home.
  await chmod(home, 0o755)
  const folders = { files: join(home, 'files'), person: join(home, 'person'), hub: join(home, 'hub') }
  for (const folder of Object.values(folders)) await mkdir(folder)

  const baseUrl = await startEverything(defer)
  const hub = await startHub(folders.hub, isSource, defer)
  const headers = { ...(await operatorHeaders(hub.env['HERMA_STATE_HOME']!)), 'content-type': 'application/json' }
  const ask: Ask = (path, init) => requestApi(hub.url + path, { ...init, headers })
  for (const connector of [
    stdioConnector('everything', [serverProgram('everything'), 'stdio']),
    { name: 'remote', transport: 'stream', baseUrl } as const,
    stdioConnector('files', [serverProgram('filesystem'), folders.files]),
    stdioConnector('memory', [serverProgram('memory')], {
      env: [{ name: 'MEMORY_FILE_PATH', value: join(home, 'memory.jsonl') }],
    }),
    modernStdioConnector('modern'),
  ]) {
    await addConnector(ask, connector)
  }
  const broken = await addServers(ask, servers, { folder: home, defer })
  return {
    endpoint: `${hub.url}/mcp`,
    stdio: [process.execPath, ...hub.program, 'stdio'],
    env: personEnvironment(folders.person, hub.env),
    folder: folders.person,
    files: folders.files,
    tools: await listTools(ask),
    servers: servers.filter(({ name }) => broken[name] === undefined),
    broken,
    startHubAgain: (end) => hub.startAgain(end),
    defer,
    takeTurn: createTurns(),
  }
}

/** Returns why a server could not be added, by its name; the others are there. */
async function addServers(
  ask: Ask,
  servers: readonly InteropServer[],
  place: Parameters<InteropServer['connect']>[0],
): Promise<Record<string, string>> {
  const broken: Record<string, string> = {}
  const waiting = servers.values()
  const work = async () => {
    for (const server of waiting) {
      try {
        await addConnector(ask, { name: server.name, ...(await server.connect(place)) })
      } catch (error) {
        broken[server.name] = (error as Error).message
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return broken
}

function createTurns(): Stage['takeTurn'] {
  let last = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    // Whoever took the turn sees its failure; the next one starts all the same.
    last = turn.catch(() => {})
    return turn
  }
}

function stdioConnector(name: string, args: string[], rest: Partial<ConnectorInput> = {}): ConnectorInput {
  return { name, transport: 'stdio', cmd: process.execPath, args, ...rest }
}

/**
 * Nothing of the person who runs this is read or changed by a client: no home, no settings, no tokens. What a client
 * would ask somebody beyond this machine ends at a port where nobody listens.
 */
function personEnvironment(home: string, hub: Readonly<Record<string, string>>): Record<string, string> {
  const kept = ['PATH', 'SystemRoot', 'LANG'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const nowhere = 'http://127.0.0.1:9'
  const loopback = '127.0.0.1,localhost,::1'
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    http_proxy: nowhere,
    https_proxy: nowhere,
    NO_PROXY: loopback,
    no_proxy: loopback,
    ...hub,
  }
}

async function addConnector(ask: Ask, connector: ConnectorInput): Promise<void> {
  await ask('/api/connectors', { method: 'POST', body: JSON.stringify(connector) })
  const deadline = Date.now() + readyTimeoutMs
  while (Date.now() < deadline) {
    const view = await ask(`/api/connectors/${connector.name}`)
    const { counts, health } = view as { counts: { tools: number }; health: { lastError: unknown } }
    if (health.lastError !== null) throw new Error(`${connector.name} does not start: ${JSON.stringify(health)}`)
    if (counts.tools > 0) return
    await sleep(50)
  }
  throw new Error(`${connector.name} did not offer a tool within ${readyTimeoutMs / 1000} s.`)
}

async function listTools(ask: Ask): Promise<Stage['tools']> {
  const { tools } = (await ask('/api/tools')) as { tools: { name: string; description?: string | null }[] }
  return tools.map(({ name, description }) => ({ name, description: description ?? '' }))
}

async function requestApi(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) })
  if (!response.ok) throw new Error(`The hub answered ${url} with ${response.status}: ${await response.text()}`)
  return response.json()
}
