import type { Fleet } from './target.ts'

/** The fleet as the `mcpServers` object that most MCP programs read. */
export function peerServers(fleet: Fleet): Record<string, object> {
  return Object.fromEntries(
    fleet.connectors.map(({ name, endpoint }) => [
      name,
      endpoint.kind === 'http' ? { url: endpoint.url } : { command: endpoint.command, args: endpoint.args },
    ]),
  )
}
