import type { ClientTransportKind } from './client/client-transport.ts'
import type { RawClient, RequestOptions } from './client/matrix-client.ts'
import { revisions, type Revision } from './revision.ts'
import type { MatrixServer, ServerTransport } from './server/start-servers.ts'
import type { Json } from './wire-message.ts'

/** One pair of a client and a server, each over its transport. */
export interface CellKind {
  readonly client: Revision
  readonly clientTransport: ClientTransportKind
  readonly server: Revision
  readonly serverTransport: ServerTransport
}

/** A cell while a feature runs in it. */
export interface Cell<Client extends RawClient = RawClient> {
  readonly kind: CellKind
  readonly client: Client
  readonly server: MatrixServer
  /** Fires when the feature has taken too long. */
  readonly signal: AbortSignal
  /** The name of a tool or prompt as the client sees it. */
  exposed(name: string): string
  uri(path: string): string
  /** Different in every feature of every cell. */
  readonly key: string
  call(tool: string, args?: Json, options?: RequestOptions): Promise<Json>
  /** Another client of the same kind, closed when the feature is over. */
  open(name: string, capabilities?: Json): Promise<RawClient>
}

export const clientTransports = ['http', 'stdio', 'sse'] as const satisfies readonly ClientTransportKind[]
export const serverTransports = ['http', 'stdio', 'sse'] as const satisfies readonly ServerTransport[]

/**
 * Whether a revision is spoken over a transport. HTTP+SSE belongs to 2024-11-05; later revisions let servers and clients
 * keep it for compatibility, until 2026-07-28 took the stream away that it needs. Streamable HTTP came with 2025-03-26;
 * 2024-11-05 over it is what SDKs negotiate with older peers, and custom transports were always allowed.
 */
export function isSpoken(revision: Revision, transport: ClientTransportKind | ServerTransport): boolean {
  return transport !== 'sse' || revision < '2026-07-28'
}

/** All cells of the matrix, client by client. */
export function allCells(): CellKind[] {
  return revisions.flatMap((client) =>
    clientTransports
      // The hub serves HTTP+SSE for clients that know nothing newer; the others have Streamable HTTP.
      .filter((transport) => transport !== 'sse' || client === '2024-11-05')
      .flatMap((clientTransport) =>
        revisions.flatMap((server) =>
          serverTransports
            .filter((transport) => isSpoken(server, transport))
            .map((serverTransport) => ({ client, clientTransport, server, serverTransport })),
        ),
      ),
  )
}

/** Each revision against itself over each transport, to prove the tools before anything stands between them. */
export function directCells(): CellKind[] {
  return revisions.flatMap((revision) =>
    serverTransports
      .filter((transport) => isSpoken(revision, transport))
      .map((transport) => ({
        client: revision,
        clientTransport: transport,
        server: revision,
        serverTransport: transport,
      })),
  )
}

export function nameCell({ client, clientTransport, server, serverTransport }: CellKind): string {
  return `${client} ${clientTransport} → ${server} ${serverTransport}`
}
