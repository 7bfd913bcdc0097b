import { fileURLToPath } from 'node:url'
import { startTestHub, type TestHub } from '../e2e/start-test-hub.ts'
import type { ClientTransportKind } from './client/client-transport.ts'
import type { Endpoint } from './client/open-client.ts'
import type { MatrixServer } from './server/start-servers.ts'

const program = fileURLToPath(new URL('../../packages/hub/bin/herma.js', import.meta.url))

/** One hub with all of the servers behind it, which serves every transport. */
export async function startMatrixHub(servers: readonly MatrixServer[]): Promise<TestHub> {
  const hub = await startTestHub()
  try {
    const { status } = await hub.api('PATCH', '/api/servers/facade', { sse: true })
    if (status !== 200) throw new Error(`The hub refused to serve HTTP+SSE with status ${status}.`)
    for (const { connector, name, revision } of servers) {
      const { health } = await hub.add(connector)
      if (health.revision === revision) continue
      throw new Error(`The hub speaks ${health.revision} with ${name}: ${health.lastError?.message ?? 'no error'}`)
    }
    return hub
  } catch (error) {
    await hub.stop()
    throw error
  }
}

/** Where a client finds the hub. The program is the built one, as people run it; scripts/prepare.mjs builds it. */
export function hubEndpoint(hub: TestHub, transport: ClientTransportKind): Endpoint {
  switch (transport) {
    case 'http':
      return { transport, url: hub.endpoint.href }
    case 'sse':
      return { transport, url: `${hub.url}/sse` }
    case 'stdio':
      return { transport, command: { cmd: process.execPath, args: [program, 'stdio', '--hub', hub.url] } }
  }
}
