import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../machine/free-port.ts'
import { makeTemporaryFolder } from '../machine/temporary-folder.ts'
import { peersPath } from '../paths.ts'
import { peerServers } from './peer-servers.ts'
import { startGateway } from './start-gateway.ts'
import type { Target } from './target.ts'

export const mcpHub: Target = {
  name: 'mcp-hub',
  kind: 'peer',
  note: 'npm mcp-hub 4.2.1; its clients must use HTTP+SSE of 2024-11-05',
  dialects: { legacy: 'sse' },
  refuses: () => null,
  async start(fleet) {
    const port = await freePort()
    const home = await makeTemporaryFolder('mcp-hub')
    const config = join(home, 'servers.json')
    await writeFile(config, JSON.stringify({ mcpServers: peerServers(fleet) }))
    const args = [peersPath('node_modules/mcp-hub/dist/cli.js'), '--port', String(port), '--config', config]
    // It keeps its state and its log in the home directory.
    const env = { HOME: home, XDG_STATE_HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home }
    return startGateway({ name: 'mcp-hub', args, port, fleet, dialect: 'sse', env, home })
  },
}
