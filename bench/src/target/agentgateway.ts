import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../machine/free-port.ts'
import { makeTemporaryFolder } from '../machine/temporary-folder.ts'
import { startGateway } from './start-gateway.ts'
import type { Target } from './target.ts'

export const agentgateway: Target = {
  name: 'agentgateway',
  kind: 'foreign',
  program: 'agentgateway',
  note: 'agentgateway, in Rust; no 2026-07-28',
  dialects: { legacy: 'legacy' },
  refuses: ({ era }) => (era === 'modern' ? 'it does not know servers of 2026-07-28' : null),
  async start(fleet) {
    const [port, home] = [await freePort(), await makeTemporaryFolder('agentgateway')]
    const targets = fleet.connectors.map(({ name, endpoint }) => {
      if (endpoint.kind === 'stdio') return { name, stdio: { cmd: endpoint.command, args: endpoint.args } }
      const { hostname, port: behind, pathname } = new URL(endpoint.url)
      return { name, mcp: { host: hostname, port: Number(behind), path: pathname } }
    })
    const routes = [{ backends: [{ mcp: { targets } }] }]
    const config = join(home, 'config.yaml')
    // JSON is YAML too.
    await writeFile(config, JSON.stringify({ binds: [{ port, listeners: [{ routes }] }] }))
    const args = ['-f', config]
    return startGateway({ name: 'agentgateway', command: 'agentgateway', args, port, fleet, dialect: 'legacy', home })
  },
}
