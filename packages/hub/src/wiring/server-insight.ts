import type { ServedTool, ServerHealth } from '@herma/contract'
import { tokenCost, type Scopes } from '../catalog/index.ts'
import type { Servers } from '../gateway/index.ts'
import type { ServerInsight } from '../gateway/server/insight-api.ts'
import { managementName } from '../management/index.ts'
import { localOperator } from '../wire/index.ts'

type Descriptor = Readonly<Record<string, unknown>>

interface InsightOptions {
  readonly servers: Pick<Servers, 'list' | 'get'>
  readonly scopes: Scopes
  healthOf(server: string): ServerHealth
  /** Asks a server of the hub as a client would. */
  listTools(path: string): Promise<Descriptor[]>
}

/** What pages show of served servers. */
export function serverInsight({ servers, scopes, healthOf, listTools }: InsightOptions): ServerInsight {
  return {
    health: () => servers.list().map(({ name }) => healthOf(name)),
    async tools(server) {
      const { path } = servers.get(server)
      // The management server has no scope in the catalog: it knows its tools itself.
      if (server === managementName)
        return (await listTools(path)).map((tool) => describe(textOr(tool['name'], ''), tool, tokenCost(tool)))
      const listed = scopes.for({ server, principal: localOperator, clientInfo: undefined }).listedTools()
      return listed.map((tool) => describe(tool.name, tool.descriptor(), tool.tokens))
    },
  }
}

function describe(name: string, { title, description }: Descriptor, tokens: number): ServedTool {
  return { name, title: textOr(title, null), description: textOr(description, ''), tokens }
}

/** Servers may send anything in place of a text. */
function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === 'string' ? value : other
}
