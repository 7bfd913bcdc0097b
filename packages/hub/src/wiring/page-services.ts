import type { Access } from '../access/access.ts'
import type { OpenCatalog } from '../catalog/index.ts'
import { ConnectorUseIndex } from './connector-uses.ts'
import type { Connectors } from '../downstream/index.ts'
import {
  listOwnTools,
  mirrorArguments,
  OwnClient,
  testServer,
  type Servers,
  type TestServer,
} from '../gateway/index.ts'
import type { OpenAgents } from './agent/open-agents.ts'
import { mask, type Redactor } from '../secret/index.ts'
import { Replays, type OpenTrace } from '../trace/index.ts'
import { operator } from '../wire/index.ts'
import { browseFolder, type BrowseFolder } from '../workspace/index.ts'

interface PageOptions {
  readonly access: Access
  readonly connectors: Connectors
  readonly servers: Servers
  readonly agents: OpenAgents
  readonly catalog: OpenCatalog
  readonly trace: OpenTrace
  readonly redactor: Redactor
  /** Folders and files of the hub itself. */
  readonly hidden: readonly string[]
  /** The address of this hub for itself. */
  origin(): string
}

/** What pages ask that takes more than one feature. */
export interface PageServices {
  readonly uses: ConnectorUseIndex
  readonly testServer: TestServer
  readonly replays: Replays
  readonly browseFolder: BrowseFolder
  /** The tools at a path of the hub, as the operator sees them. */
  listTools(path: string): Promise<Record<string, unknown>[]>
}

export function pageServices(options: PageOptions): PageServices {
  const { access, servers, trace, redactor, hidden } = options
  const client = new OwnClient({
    origin: () => options.origin(),
    lend: (principal, use) => access.passes.lend(principal, use),
  })
  const redactValue = (value: unknown) => redactor.redactValue(value, { byName: false })
  return {
    uses: new ConnectorUseIndex(options),
    testServer: (name, principal, request) =>
      testServer(
        { server: servers.get(name), principal, request },
        { client, redactValue, unanswered: (server) => servers.ownFacts(server)?.unanswered ?? [] },
      ),
    replays: new Replays({
      trace: (traceId) => trace.management.traces.trace(traceId),
      async send(principal, { server, method, params }) {
        const { path } = servers.get(server)
        if (method !== 'tools/call') return client.request(principal, { path, method, params })
        const tools = await listOwnTools(client, principal, path)
        const args = (params['arguments'] ?? {}) as Record<string, unknown>
        const headers = mirrorArguments(
          tools.find(({ name }) => name === params['name']),
          args,
        )
        return client.request(principal, { path, method, params, headers })
      },
      mask,
      redactValue,
    }),
    browseFolder: (query) => browseFolder(query, { hidden }),
    listTools: (path) => listOwnTools(client, operator, path),
  }
}
