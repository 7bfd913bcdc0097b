import type { Endpoint } from '../client/mcp-client.ts'
import { freePort } from '../machine/free-port.ts'
import { peersPath } from '../paths.ts'
import { startGateway } from './start-gateway.ts'
import type { Target } from './target.ts'

export const mcpProxy: Target = {
  name: 'mcp-proxy',
  kind: 'peer',
  note: 'npm mcp-proxy 6.7.19; one server only',
  dialects: { legacy: 'legacy', modern: 'modern' },
  refuses: (fleet) => (fleet.connectors.length > 1 ? 'it serves one server only' : null),
  async start(fleet) {
    const port = await freePort()
    const args = programArgs(port, fleet.connectors[0]?.endpoint as Endpoint)
    return startGateway({ name: 'mcp-proxy', args, port, fleet, dialect: 'legacy' })
  },
}

function programArgs(port: number, endpoint: Endpoint): string[] {
  if (endpoint.kind === 'http') return [peersPath('mcp-proxy-http.mjs'), String(port), endpoint.url]
  const program = peersPath('node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs')
  return [program, '--host', '127.0.0.1', '--port', String(port), '--', endpoint.command, ...endpoint.args]
}
