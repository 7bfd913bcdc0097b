import type { TestHub } from '../e2e/start-test-hub.ts'
import type { CellKind } from './cell.ts'
import type { Endpoint } from './client/open-client.ts'
import { serverName, startServers, type MatrixServer, type ServerKind } from './server/start-servers.ts'
import { hubEndpoint, startMatrixHub } from './start-matrix-hub.ts'

/** The servers of a run and the hub in front of them. */
export interface Stage extends AsyncDisposable {
  readonly servers: readonly MatrixServer[]
  /** Where the client of a cell connects to. */
  endpoint(kind: CellKind): Endpoint
  /** In front of the names of a server's tools and prompts. */
  prefix(server: MatrixServer): string
}

/** Starts what the cells need: every server once, and the hub unless clients shall talk to the servers themselves. */
export async function openStage(cells: readonly CellKind[], isDirect = false): Promise<Stage> {
  const kinds = new Map(cells.map(toServerKind).map((kind) => [serverName(kind), kind]))
  const started = await startServers([...kinds.values()])
  let hub: TestHub | null = null
  try {
    if (!isDirect) hub = await startMatrixHub(started.servers)
  } catch (error) {
    await started[Symbol.asyncDispose]()
    throw error
  }
  return {
    servers: started.servers,
    endpoint: (kind) =>
      hub === null ? directEndpoint(serverOf(started.servers, kind)) : hubEndpoint(hub, kind.clientTransport),
    prefix: ({ name }) => (hub === null ? '' : `${name}__`),
    async [Symbol.asyncDispose]() {
      await hub?.stop()
      await started[Symbol.asyncDispose]()
    },
  }
}

export function serverOf(servers: readonly MatrixServer[], kind: CellKind): MatrixServer {
  const name = serverName(toServerKind(kind))
  const found = servers.find((server) => server.name === name)
  if (found === undefined) throw new Error(`The stage has no server ${name}.`)
  return found
}

function toServerKind({ server, serverTransport }: CellKind): ServerKind {
  return { revision: server, transport: serverTransport }
}

function directEndpoint({ connector, transport }: MatrixServer): Endpoint {
  if (transport === 'stdio') return { transport, command: { cmd: connector.cmd!, args: connector.args ?? [] } }
  return { transport, url: connector.baseUrl! }
}
