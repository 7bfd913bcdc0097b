import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../machine/free-port.ts'
import { makeTemporaryFolder } from '../machine/temporary-folder.ts'
import { peerServers } from './peer-servers.ts'
import { startGateway } from './start-gateway.ts'
import type { Target } from './target.ts'

/** The Python of the environment that `fastmcp` is installed in. */
export const fastmcp: Target = {
  name: 'fastmcp',
  kind: 'foreign',
  program: 'fastmcp',
  note: 'FastMCP, in Python: `fastmcp run` with a file of servers, over Streamable HTTP',
  dialects: { legacy: 'legacy' },
  refuses: ({ era }) => (era === 'modern' ? 'its proxy opens servers with initialize' : null),
  async start(fleet) {
    const [port, home] = [await freePort(), await makeTemporaryFolder('fastmcp')]
    const config = join(home, 'mcp.json')
    await writeFile(config, JSON.stringify({ mcpServers: peerServers(fleet) }))
    const args = ['run', config, '--transport', 'http', '--host', '127.0.0.1', '--port', String(port), '--no-banner']
    const env = { FASTMCP_LOG_LEVEL: 'ERROR', HOME: home }
    return startGateway({ name: 'fastmcp', command: 'fastmcp', args, port, fleet, dialect: 'legacy', env, home })
  },
}
