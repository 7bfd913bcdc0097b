import { makeClient } from './make-client.ts'
import { listToolNames, type Dialect, type Endpoint, type McpClient } from './mcp-client.ts'

/** One of several callers at once: a client and the tools that it calls in turn. */
export interface Worker {
  client: McpClient
  tools: string[]
}

export interface WorkerOptions {
  endpoints: Endpoint[]
  dialect: Dialect
  concurrency: number
  timeoutMs: number
  /** Tools that each endpoint must list. */
  toolCount: number
  /** The test tool to call; null when nothing is called. */
  tool: string | null
}

/** Opens the clients, spread over the endpoints, into `workers`; what is there must be closed even after an error. */
export async function openWorkers(workers: Worker[], options: WorkerOptions): Promise<void> {
  const { endpoints, dialect, concurrency, timeoutMs } = options
  const tools = new Map<Endpoint, string[]>()
  const shared = new Map<Endpoint, McpClient>()
  for (let index = 0; index < concurrency; index++) {
    const endpoint = endpoints[index % endpoints.length]
    if (!endpoint) throw new Error('a load needs at least one endpoint')
    const client = shared.get(endpoint) ?? makeClient(endpoint, dialect, timeoutMs)
    const worker: Worker = { client, tools: [] }
    workers.push(worker)
    if (!shared.has(endpoint)) await client.open()
    if (client.canShare) shared.set(endpoint, client)
    worker.tools = tools.get(endpoint) ?? (await findTools(client, options))
    tools.set(endpoint, worker.tools)
  }
}

async function findTools(client: McpClient, { toolCount, tool }: WorkerOptions): Promise<string[]> {
  const listed = await listToolNames(client)
  if (listed.length !== toolCount) throw new Error(`${listed.length} tools listed instead of ${toolCount}`)
  return tool === null ? [] : matchTools(listed, tool)
}

/** The target's own names of a test tool: gateways put the connector before it or after it. */
export function matchTools(listed: string[], wanted: string): string[] {
  const before = new RegExp(`^(.*[^A-Za-z0-9])?${wanted}$`)
  const after = new RegExp(`^${wanted}[^A-Za-z0-9]`)
  const names = listed.filter((name) => before.test(name) || after.test(name))
  if (names.length === 0) throw new Error(`no tool named like '${wanted}' among ${listed.slice(0, 8).join(', ')}`)
  return names
}
