import type { Scopes } from '../catalog/index.ts'
import type { Connectors } from '../downstream/index.ts'
import type { ServerFacts } from '../gateway/index.ts'
import { managementName, managementToolCount } from '../management/index.ts'
import { localOperator } from '../wire/index.ts'
import type { AgentDirectory } from './agent/agent-directory.ts'

interface FactOptions {
  readonly connectors: Connectors
  readonly scopes: Scopes
  readonly agents: AgentDirectory
}

/** What the other parts of the hub know of served servers. */
export function serverFacts({ connectors, scopes, agents }: FactOptions): ServerFacts {
  return {
    connectorId: (name) => connectors.find(name).stored.id,
    connectorName: (id) => connectors.entryOf(id)?.stored.connector.name,
    toolCount: (server) =>
      server === managementName
        ? managementToolCount
        : scopes.for({ server, principal: localOperator, clientInfo: undefined }).listedCount(),
    own: (server) => agents.factsOf(server),
  }
}
