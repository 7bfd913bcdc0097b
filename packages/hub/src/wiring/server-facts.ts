import type { Scopes } from '../catalog/index.ts'
import type { Connectors } from '../downstream/index.ts'
import type { ServerFacts } from '../gateway/index.ts'
import { managementName, managementToolCount } from '../management/index.ts'
import { localOperator } from '../wire/index.ts'

interface FactOptions extends Pick<ServerFacts, 'own'> {
  readonly connectors: Connectors
  readonly scopes: Scopes
}

/** What the other parts of the hub know of served servers. */
export function serverFacts({ connectors, scopes, own }: FactOptions): ServerFacts {
  return {
    connectorId: (name) => connectors.find(name).stored.id,
    connectorName: (id) => connectors.entryOf(id)?.stored.connector.name,
    toolCount: (server) =>
      server === managementName
        ? managementToolCount
        : scopes.for({ server, principal: localOperator, clientInfo: undefined }).listedCount(),
    own,
  }
}
