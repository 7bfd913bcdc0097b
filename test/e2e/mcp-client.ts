import type { ConnectorInput } from '@herma/contract'
import * as modern from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdioTransport } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport, getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { relayedCapabilities } from '../../packages/hub/src/wire/index.ts'
import type { TestHub } from './start-test-hub.ts'

export const clientKinds = ['v1', 'v2 legacy', 'v2 auto'] as const
export type ClientKind = (typeof clientKinds)[number]

type Answer = Record<string, unknown>
type Named = { name: string; arguments?: Record<string, unknown> }
type Progress = { progress: number; total?: number }

/** What the clients of both SDKs have in common. */
export interface McpClient {
  listTools(): Promise<Answer & { tools: { name: string }[] }>
  listResources(): Promise<Answer & { resources: { uri: string }[] }>
  listResourceTemplates(): Promise<Answer & { resourceTemplates: { uriTemplate: string }[] }>
  listPrompts(): Promise<Answer & { prompts: { name: string }[] }>
  callTool(params: Named): Promise<Answer>
  readResource(params: { uri: string }): Promise<Answer>
  getPrompt(params: Named): Promise<Answer>
  complete(params: Answer): Promise<Answer>
  getInstructions(): string | undefined
  close(): Promise<void>
}

/** Calls a tool; the clients differ in where their options stand. */
export function callWithProgress(client: McpClient, params: Named, onprogress: (event: Progress) => void) {
  if (client instanceof Client) return client.callTool(params, undefined, { onprogress })
  return (client as unknown as modern.Client).callTool(params, { onprogress })
}

export async function connectThrough(hub: TestHub, kind: ClientKind): Promise<McpClient> {
  return kind === 'v1' ? hub.connectV1() : hub.connectV2(kind === 'v2 auto' ? 'auto' : 'legacy')
}

/** A client of the server itself, which announces what Herma announces, because servers choose their tools by that. */
export async function connectDirect(kind: ClientKind, connector: ConnectorInput): Promise<McpClient> {
  const info = { name: 'test-direct', version: '1.0.0' }
  const capabilities = relayedCapabilities
  if (kind === 'v1') {
    const client = new Client(info, { capabilities })
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }))
    await client.connect(connector.transport === 'stdio' ? stdio(connector) : http(connector))
    return client
  }
  const mode = kind === 'v2 auto' ? 'auto' : 'legacy'
  const client = new modern.Client(info, { capabilities, versionNegotiation: { mode } })
  client.setRequestHandler('roots/list', () => ({ roots: [] }))
  await client.connect(connector.transport === 'stdio' ? modernStdio(connector) : modernHttp(connector))
  return client
}

const stdio = (connector: ConnectorInput) => new StdioClientTransport(processOf(connector))
const modernStdio = (connector: ConnectorInput) => new ModernStdioTransport(processOf(connector))
const http = (connector: ConnectorInput) => new StreamableHTTPClientTransport(new URL(connector.baseUrl!))
const modernHttp = (connector: ConnectorInput) => new modern.StreamableHTTPClientTransport(new URL(connector.baseUrl!))

function processOf({ cmd, args, env = [] }: ConnectorInput) {
  const own = Object.fromEntries(env.map(({ name, value = '' }) => [name, value]))
  return { command: cmd!, args: [...args!], env: { ...getDefaultEnvironment(), ...own }, stderr: 'ignore' as const }
}
