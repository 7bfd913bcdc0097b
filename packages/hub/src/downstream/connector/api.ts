import type { ConnectorPatch } from '@herma/contract'
import { connectorOperations } from '@herma/contract/api'
import { Reply, type Route, serve } from '../../platform/http/index.ts'
import type { Connectors } from './connectors.ts'

/** Management of connectors for people and programs. */
export function connectorApi(service: Connectors): Route[] {
  return serve(connectorOperations, {
    listConnectors: () => ({ connectors: service.list() }),
    addConnector: async ({ body, query }) => {
      const connector = await service.add(body, { storeSecrets: query.storeSecrets === 'true' })
      const location = `/api/connectors/${encodeURIComponent(connector.name)}`
      return new Reply(connector, { headers: { location } })
    },
    getConnector: ({ params: { name } }) => service.get(name),
    // As sent: a default filled in for an absent option would overwrite the stored one.
    updateConnector: ({ params: { name }, query, sent }) =>
      service.update(name, sent as ConnectorPatch, { storeSecrets: query.storeSecrets === 'true' }),
    removeConnector: ({ params: { name } }) => service.remove(name),
    testConnector: ({ params: { name }, body }) => service.test(name, body),
    removeBrokenCache: ({ params: { name }, query: { folder } }) => service.removeBrokenCache(name, folder),
    testConnectorInput: ({ body: { connector, ...request } }) => service.testInput(connector, request),
    getConnectorHealth: ({ params: { name } }) => service.health(name),
    listConnectorTools: ({ params: { name } }) => ({ tools: service.tools(name) }),
    getConnectorLogs: ({ params: { name }, query }) => ({ lines: service.logs(name, query.limit) }),
  })
}
