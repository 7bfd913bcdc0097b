import { ConnectorUses } from '@herma/contract'
import { z } from 'zod'
import type { OpenCatalog } from './catalog/index.ts'
import type { ConnectorBook } from './downstream/index.ts'
import type { ServerBook } from './gateway/index.ts'
import type { OpenAgents } from './open-agents.ts'
import { defineRoute, type Route } from './platform/http/index.ts'

interface UseParts {
  readonly book: Pick<ConnectorBook, 'entries' | 'find'>
  readonly servers: Pick<ServerBook, 'list'>
  readonly agents: Pick<OpenAgents, 'sessions' | 'bindings'>
  readonly catalog: Pick<OpenCatalog, 'compositeUses'>
}

/** What a route needs to know of who uses connectors. */
export interface UseService {
  list(): ConnectorUses[]
  /** Throws CONNECTOR_NOT_FOUND. */
  of(name: string): ConnectorUses
}

/** Who would miss which connector, put together from the features that refer to connectors. */
export function connectorUses({ book, servers, agents, catalog }: UseParts): UseService {
  const list = () => {
    const hosts = servers.list()
    const composites = catalog.compositeUses()
    const bound = agents.sessions.all().map(({ id, name }) => ({
      name,
      connectors: new Set(agents.bindings.of(id).map(({ connectorId }) => connectorId)),
    }))
    return book.entries().map(({ stored: { id, connector } }) => ({
      connector: connector.name,
      servers: hosts.filter((server) => server.connector === connector.name).map(({ name }) => name),
      sessions: bound.filter(({ connectors }) => connectors.has(id)).map(({ name }) => name),
      aggregates: composites.filter(({ connectors }) => connectors.has(connector.name)).map(({ name }) => name),
    }))
  }
  return {
    list,
    of(name) {
      const { connector } = book.find(name).stored
      return list().find((uses) => uses.connector === connector.name)!
    },
  }
}

export function useRoutes(uses: UseService): Route[] {
  return [
    defineRoute({
      id: 'listConnectorUses',
      method: 'GET',
      path: '/api/connector-uses',
      summary: 'Who would miss each connector: servers, sessions, tools made of tools.',
      responses: { 200: { description: 'One for each.', schema: z.object({ uses: z.array(ConnectorUses) }) } },
      handle: () => ({ status: 200, body: { uses: uses.list() } }),
    }),
    defineRoute({
      id: 'getConnectorUses',
      method: 'GET',
      path: '/api/connectors/:name/uses',
      summary: 'The same for one connector.',
      params: z.object({ name: z.string() }),
      responses: { 200: { description: 'Its uses.', schema: ConnectorUses } },
      handle: ({ params: { name } }) => ({ status: 200, body: uses.of(name) }),
    }),
  ]
}
