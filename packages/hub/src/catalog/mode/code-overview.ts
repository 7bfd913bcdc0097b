import type { ModeCatalog, ModeTool } from './mode-catalog.ts'
import { estimateTokens } from '../core/token-cost.ts'
import { shortStub, typescriptStubs } from './typescript-stubs.ts'

/**
 * What a model is told beforehand about the tools that a script can call: declarations of all if they fit into the
 * budget, else their names, else only the servers. A script finds the rest.
 */
export function codeOverview(catalog: ModeCatalog, budgetTokens: number): string {
  const servers = groupByServer(catalog)
  const all = [...servers.values()].flat()
  if (all.length === 0) return 'There are no tools now.'
  return declareAll(all, budgetTokens) ?? listNames(servers, budgetTokens) ?? listServers(servers, budgetTokens)
}

function groupByServer(catalog: ModeCatalog): Map<string, ModeTool[]> {
  const servers = new Map<string, ModeTool[]>()
  for (const tool of catalog.list()) {
    const tools = servers.get(tool.server)
    if (tools === undefined) servers.set(tool.server, [tool])
    else tools.push(tool)
  }
  return servers
}

function declareAll(tools: readonly ModeTool[], budgetTokens: number): string | undefined {
  let tokens = 0
  for (const tool of tools) {
    tokens += estimateTokens(shortStub(tool))
    if (tokens > budgetTokens) return undefined
  }
  return `All tools:\n${typescriptStubs(tools)}`
}

function listNames(servers: ReadonlyMap<string, readonly ModeTool[]>, budgetTokens: number): string | undefined {
  const lines: string[] = []
  let tokens = 0
  for (const [server, tools] of servers) {
    const line = `- ${server}: ${tools.map(({ name }) => name).join(', ')}`
    tokens += estimateTokens(line)
    if (tokens > budgetTokens) return undefined
    lines.push(line)
  }
  return `All tools by server (describeTool(name) has the parameters):\n${lines.join('\n')}`
}

function listServers(servers: ReadonlyMap<string, readonly ModeTool[]>, budgetTokens: number): string {
  const lines: string[] = []
  let tokens = 0
  for (const [server, tools] of servers) {
    const line = `${server} (${tools.length})`
    tokens += estimateTokens(line) + 1
    if (tokens > budgetTokens) {
      lines.push(`and ${servers.size - lines.length} more servers`)
      break
    }
    lines.push(line)
  }
  return `Servers and how many tools each has (find them with searchTools): ${lines.join(', ')}.`
}
