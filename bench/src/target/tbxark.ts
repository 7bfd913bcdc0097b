import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../machine/free-port.ts'
import { makeTemporaryFolder } from '../machine/temporary-folder.ts'
import { startGateway } from './start-gateway.ts'
import type { Target } from './target.ts'

/** Its program has the name of two others, so that it is called `tbxark-mcp-proxy` here. */
const program = 'tbxark-mcp-proxy'

export const tbxark: Target = {
  name: 'tbxark',
  kind: 'foreign',
  program,
  note: 'TBXark/mcp-proxy, in Go; one path for each server, no 2026-07-28',
  dialects: { legacy: 'legacy' },
  refuses: ({ connectors, era }) => {
    if (era === 'modern') return 'it does not know servers of 2026-07-28'
    return connectors.length > 1 ? 'it does not join servers' : null
  },
  async start(fleet) {
    const [port, home] = [await freePort(), await makeTemporaryFolder('tbxark')]
    const config = join(home, 'config.json')
    const mcpServers = Object.fromEntries(
      fleet.connectors.map(({ name, endpoint }) => [
        name,
        endpoint.kind === 'http'
          ? { transportType: 'streamable-http', url: endpoint.url }
          : { command: endpoint.command, args: endpoint.args },
      ]),
    )
    const mcpProxy = {
      baseURL: `http://127.0.0.1:${port}`,
      addr: `127.0.0.1:${port}`,
      name: 'bench',
      version: '1.0.0',
      type: 'streamable-http',
      options: { logEnabled: false },
    }
    await writeFile(config, JSON.stringify({ mcpProxy, mcpServers }))
    const path = `/${fleet.connectors[0]?.name}/`
    const args = ['--config', config]
    return startGateway({ name: 'tbxark', command: program, args, port, path, fleet, dialect: 'legacy', home })
  },
}
