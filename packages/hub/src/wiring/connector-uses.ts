import type { ConnectorUses } from '@herma/contract'
import { connectorUseOperations } from '@herma/contract/api'
import type { OpenCatalog } from '../catalog/index.ts'
import type { Connectors } from '../downstream/index.ts'
import type { Servers } from '../gateway/index.ts'
import type { OpenAgents } from './agent/open-agents.ts'
import { type Route, serve } from '../platform/http/index.ts'

interface UseOptions {
  readonly connectors: Pick<Connectors, 'entries' | 'find'>
  readonly servers: Pick<Servers, 'list'>
  readonly agents: Pick<OpenAgents, 'sessions' | 'bindings'>
  readonly catalog: Pick<OpenCatalog, 'compositeUses'>
}

/** Who would miss which connector, put together from the features that refer to connectors. */
export class ConnectorUseIndex {
  readonly #options: UseOptions

  constructor(options: UseOptions) {
    this.#options = options
  }

  list(): ConnectorUses[] {
    const { connectors, servers, agents, catalog } = this.#options
    const hosts = servers.list()
    const composites = catalog.compositeUses()
    const bound = agents.sessions.all().map(({ id, name }) => ({
      name,
      connectors: new Set(agents.bindings.of(id).map(({ connectorId }) => connectorId)),
    }))
    return connectors.entries().map(({ stored: { id, connector } }) => ({
      connector: connector.name,
      servers: hosts.filter((server) => server.connector === connector.name).map(({ name }) => name),
      sessions: bound.filter((each) => each.connectors.has(id)).map(({ name }) => name),
      aggregates: composites.filter((each) => each.connectors.has(connector.name)).map(({ name }) => name),
    }))
  }

  /** Throws CONNECTOR_NOT_FOUND. */
  of(name: string): ConnectorUses {
    const { connector } = this.#options.connectors.find(name).stored
    return this.list().find((uses) => uses.connector === connector.name)!
  }
}

export function connectorUseApi(uses: ConnectorUseIndex): Route[] {
  return serve(connectorUseOperations, {
    listConnectorUses: () => ({ uses: uses.list() }),
    getConnectorUses: ({ params: { name } }) => uses.of(name),
  })
}
