import type { ServerHealth } from '@herma/contract'
import type { ScopeBook } from './catalog/index.ts'
import type { ServerBook } from './gateway/index.ts'
import type { ServerInsight } from './gateway/insight-routes.ts'
import { managementName } from './management/index.ts'
import { localOperator } from './wire/index.ts'

interface InsightParts {
  readonly servers: Pick<ServerBook, 'list' | 'get'>
  readonly scopes: ScopeBook
  healthOf(server: string): ServerHealth
}

/** What pages show of served servers. */
export function serverInsight({ servers, scopes, healthOf }: InsightParts): ServerInsight {
  return {
    health: () => servers.list().map(({ name }) => healthOf(name)),
    tools(server) {
      servers.get(server)
      // The management server is read when somebody first asks it.
      if (server === managementName) return null
      const listed = scopes.for({ server, principal: localOperator, clientInfo: undefined }).listedTools()
      return listed.map((tool) => {
        const { title, description } = tool.descriptor()
        return {
          name: tool.name,
          title: textOr(title, null),
          description: textOr(description, ''),
          tokens: tool.tokens,
        }
      })
    },
  }
}

/** Servers may send anything in place of a text. */
function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === 'string' ? value : other
}
