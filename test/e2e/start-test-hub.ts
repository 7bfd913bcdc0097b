import { fileURLToPath } from 'node:url'
import type { ConnectorInput, ConnectorView, DownstreamHealth } from '@herma/contract'
import * as modern from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { operatorHeaders } from './operator-headers.ts'
import { startHub, type HubOptions } from '../../packages/hub/src/hub.ts'
import { createLog } from '../../packages/hub/src/platform/log.ts'
import { prepareState } from '../../packages/hub/src/platform/testing/prepare-state.ts'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'

export interface TestHubOptions extends Partial<HubOptions> {
  readonly connectors?: readonly ConnectorInput[]
}

export interface TestHub extends AsyncDisposable {
  readonly url: string
  readonly endpoint: URL
  readonly stateHome: string
  /** What the operator shows to the management API. */
  readonly operator: { readonly authorization: string }
  /** Adds a connector and waits until it was looked at once. */
  add(connector: ConnectorInput): Promise<ConnectorView>
  /** Calls the management API; throws on an error status unless told otherwise. */
  api(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>
  health(name: string): Promise<DownstreamHealth>
  /** A connected client of the v1 SDK. */
  connectV1(capabilities?: object): Promise<Client>
  /** A connected client of the v2 SDK, of either era. */
  connectV2(mode: 'auto' | 'legacy', capabilities?: object): Promise<modern.Client>
  stop(): Promise<void>
}

/** A real hub in this process, with its own embedded PostgreSQL, on a free port. Everything is gone afterwards. */
export async function startTestHub(options: TestHubOptions = {}): Promise<TestHub> {
  const home = await createTemporaryHome()
  const log = createLog('silent')
  const base = {
    host: '127.0.0.1',
    port: 0,
    configHome: home.path,
    stateHome: `${home.path}/state`,
    log,
    graceMs: 5000,
    // As for a hub of its own: the whole suite can be run without the lane for ordinary HTTP.
    http: process.env['HERMA_HTTP'] === 'node' ? ('node' as const) : undefined,
  }
  if (options.stateHome === undefined && options.databaseUrl === undefined) await prepareState(base.stateHome)
  const hub = await startHub({ ...base, ...options })
  const endpoint = new URL(`${hub.url}/mcp`)
  const operator = await operatorHeaders(options.stateHome ?? base.stateHome)
  const clients: { close(): Promise<void> }[] = []

  const api: TestHub['api'] = async (method, path, body) => {
    const headers = { ...operator, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    const response = await fetch(hub.url + path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }
  const stop = async () => {
    await Promise.allSettled(clients.map((client) => client.close()))
    await hub.stop()
    await home.remove()
  }
  const testHub: TestHub = {
    url: hub.url,
    endpoint,
    stateHome: base.stateHome,
    operator,
    api,
    async add(connector) {
      const added = await api('POST', '/api/connectors', connector)
      if (added.status !== 201) throw new Error(JSON.stringify(added.body))
      return waitFor(async () => {
        const { body } = await api('GET', `/api/connectors/${connector.name}`)
        const view = body as ConnectorView
        return view.health.state === 'ready' || view.health.lastError !== null || !view.enabled ? view : undefined
      })
    },
    async health(name) {
      const { status, body } = await api('GET', `/api/connectors/${name}/health`)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body as DownstreamHealth
    },
    async connectV1(capabilities = {}) {
      const client = new Client({ name: 'test-v1', version: '1.0.0' }, { capabilities })
      clients.push(client)
      await client.connect(new StreamableHTTPClientTransport(endpoint))
      return client
    },
    async connectV2(mode, capabilities = {}) {
      const client = new modern.Client(
        { name: 'test-v2', version: '1.0.0' },
        { versionNegotiation: { mode }, capabilities },
      )
      clients.push(client)
      await client.connect(new modern.StreamableHTTPClientTransport(endpoint))
      return client
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
  for (const connector of options.connectors ?? []) await testHub.add(connector)
  return testHub
}

/** Tries until there is a value. The limit is only there so that a broken test ends. */
export async function waitFor<T>(look: () => Promise<T | undefined> | T | undefined, limitMs = 30_000): Promise<T> {
  const until = Date.now() + limitMs
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
    if (Date.now() > until) throw new Error('what the test waits for did not happen')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Path of the program of an installed MCP server. */
export function serverProgram(name: 'everything' | 'filesystem' | 'memory'): string {
  return fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`))
}

/** A connector for a stdio server that runs with the Node of this test. */
export function stdioConnector(name: string, args: string[], rest: Partial<ConnectorInput> = {}): ConnectorInput {
  return { name, transport: 'stdio', cmd: process.execPath, args, ...rest }
}
