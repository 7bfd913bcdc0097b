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

/** What a route needs to know of who uses connectors. */
export interface UseService {
  list(): ConnectorUses[]
  /** Throws CONNECTOR_NOT_FOUND. */
  of(name: string): ConnectorUses
}

export function connectorUseApi(uses: UseService): Route[] {
  return serve(connectorUseOperations, {
    listConnectorUses: () => ({ uses: uses.list() }),
    getConnectorUses: ({ params: { name } }) => uses.of(name),
  })
}

/** Who would miss which connector, put together from the features that refer to connectors. */
export function connectorUses({ connectors, servers, agents, catalog }: UseOptions): UseService {
  const list = () => {
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
  return {
    list,
    of(name) {
      const { connector } = connectors.find(name).stored
      return list().find((uses) => uses.connector === connector.name)!
    },
  }
}
