import { isModern, knows, type Revision } from '../revision.ts'
import type { Json } from '../wire-message.ts'
import type { ClientTransport } from './client-transport.ts'
import { HttpTransport } from './http-transport.ts'
import { LegacyClient } from './legacy-client.ts'
import type { RawClient } from './matrix-client.ts'
import { ModernClient } from './modern-client.ts'
import { SseTransport } from './sse-transport.ts'
import { StdioTransport, type Command } from './stdio-transport.ts'

/** Where a client finds what it talks to. */
export type Endpoint =
  | { readonly transport: 'http' | 'sse'; readonly url: string }
  | { readonly transport: 'stdio'; readonly command: Command }

export interface ClientOptions {
  readonly name: string
  readonly revision: Revision
  readonly endpoint: Endpoint
  readonly capabilities: Json
}

/** A connected client. */
export async function openClient({ name, revision, endpoint, capabilities }: ClientOptions): Promise<RawClient> {
  const own = { name, revision, capabilities, transport: createTransport(endpoint, revision) }
  const client = isModern(revision) ? new ModernClient(own) : new LegacyClient(own)
  try {
    await client.connect()
    return client
  } catch (error) {
    await own.transport.close()
    throw error
  }
}

/** Everything that a client of this revision can declare. */
export function allCapabilities(revision: Revision): Json {
  const forms = knows(revision, 'urlElicitation') ? { form: {}, url: {} } : {}
  return {
    sampling: knows(revision, 'samplingTools') ? { tools: {} } : {},
    roots: isModern(revision) ? {} : { listChanged: true },
    ...(knows(revision, 'elicitation') && { elicitation: forms }),
  }
}

function createTransport(endpoint: Endpoint, revision: Revision): ClientTransport {
  switch (endpoint.transport) {
    case 'http':
      return new HttpTransport(endpoint.url, revision)
    case 'sse':
      return new SseTransport(endpoint.url)
    case 'stdio':
      return new StdioTransport(endpoint.command)
  }
}
