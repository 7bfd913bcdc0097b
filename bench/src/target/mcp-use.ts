import { freePort } from '../machine/free-port.ts'
import { makeTemporaryFolder } from '../machine/temporary-folder.ts'
import { peersPath } from '../paths.ts'
import { peerServers } from './peer-servers.ts'
import { startGateway } from './start-gateway.ts'
import type { Target } from './target.ts'

export const mcpUse: Target = {
  name: 'mcp-use',
  kind: 'peer',
  note: 'npm mcp-use 1.34.6, the last line that runs on Node 20; no 2026-07-28',
  dialects: { legacy: 'legacy' },
  refuses: () => null,
  async start(fleet) {
    const port = await freePort()
    // It writes sessions and generated types into its working directory.
    const home = await makeTemporaryFolder('mcp-use')
    const args = [peersPath('mcp-use-gateway.mjs'), String(port), JSON.stringify(peerServers(fleet))]
    // Production leaves out its inspector, its file watching and its session files, which is in its favour.
    const env = { NODE_ENV: 'production', MCP_USE_ANONYMIZED_TELEMETRY: 'false' }
    return startGateway({ name: 'mcp-use', args, port, fleet, dialect: 'legacy', env, home })
  },
}
