import {
  Client,
  StreamableHTTPClientTransport,
  type ClientCapabilities,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client'

export type Era = 'legacy' | 'modern'
type FrontOptions = {
  era: Era
  capabilities: ClientCapabilities
  signIn?: StreamableHTTPClientTransportOptions
}

/** Connects the SDK's client. It accepts whatever form it is asked to fill in, with `confirmed` and the defaults. */
export async function openFront(url: string, { era, capabilities, signIn }: FrontOptions): Promise<Client> {
  const client = new Client(
    { name: 'herma-conformance-client', version: '1.0.0' },
    { capabilities, versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' } },
  )
  if (capabilities.elicitation) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      const content: Record<string, boolean> = 'confirmed' in fieldsOf(params) ? { confirmed: true } : {}
      return { action: 'accept', content }
    })
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), signIn))
  return client
}

function fieldsOf(params: object): object {
  const { requestedSchema } = params as { requestedSchema?: { properties?: object } }
  return requestedSchema?.properties ?? {}
}
