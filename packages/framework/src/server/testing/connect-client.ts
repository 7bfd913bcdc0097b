import { Client, InMemoryTransport, type ClientCapabilities } from '@modelcontextprotocol/client'
import type { Served } from '../served.ts'

/** The official client in both eras: what a handler does must look the same to both. */
export const clientModes = [
  { era: 'legacy', mode: 'legacy' },
  { era: 'modern', mode: { pin: '2026-07-28' } },
] as const

export type ClientMode = (typeof clientModes)[number]['mode']

/** Connects the SDK's client to a server, in memory. Handlers are set by `prepare` before it connects. */
export async function connectClient(
  served: Served,
  mode: ClientMode,
  options: { capabilities?: ClientCapabilities; prepare?(client: Client): void } = {},
) {
  const { capabilities = {}, prepare } = options
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities, versionNegotiation: { mode } })
  prepare?.(client)
  const [near, far] = InMemoryTransport.createLinkedPair()
  await served.connect(far)
  await client.connect(near)
  return { client, [Symbol.asyncDispose]: () => client.close() }
}
