import { freePort } from '../machine/free-port.ts'
import { startProcess } from '../machine/start-process.ts'
import { programPath } from '../paths.ts'
import { httpEndpoint, totalTools, waitUntilServing, type Target } from './target.ts'

/** The limit of what a gateway on Node can reach: it moves bytes and understands nothing. */
export const bare = createBare('bare')

/** The same on another Node. */
export function createBare(name: string, node = process.execPath): Target {
  return {
    name,
    kind: 'reference',
    note: 'node:http in, undici dispatch out, no MCP; in front of stdio: node:http in, pipe out, ids rewritten',
    dialects: { legacy: 'legacy', modern: 'modern' },
    isBlind: true,
    limit: name,
    refuses: () => null,
    async start(fleet) {
      const port = await freePort()
      const behind = fleet.whole ? [fleet.whole] : fleet.connectors.map((connector) => connector.endpoint)
      const first = behind[0]
      const args =
        first?.kind === 'stdio'
          ? [programPath('bare-bridge'), String(port), first.command, ...first.args]
          : [programPath('bare-proxy'), String(port), ...behind.map((each) => (each.kind === 'http' ? each.url : ''))]
      const started = startProcess({ name, command: node, args, isPinned: true })
      const endpoints = behind.map((_, index) => httpEndpoint(`http://127.0.0.1:${port}/${index}/mcp`))
      const toolCount = fleet.whole ? totalTools(fleet) : fleet.toolsEach
      const dialect = fleet.era ?? 'legacy'
      for (const endpoint of endpoints) await waitUntilServing({ endpoint, dialect, toolCount }, started)
      return { endpoints, toolCount, processId: started.processId, stop: started.stop }
    },
  }
}
