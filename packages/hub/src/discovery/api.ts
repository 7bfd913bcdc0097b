import { discoveryOperations } from '@herma/contract/api'
import { type Route, serve } from '../platform/http/index.ts'
import type { Discoveries } from './discoveries.ts'
import { type ConnectorAdder, importConnectors } from './import-connectors.ts'
import { parsePaste } from './paste/parse-paste.ts'

/** Finding servers, and bringing and removing them with a plan. */
export function discoveryApi(service: Discoveries, connectors: ConnectorAdder): Route[] {
  const { installer } = service
  return serve(discoveryOperations, {
    parsePaste: ({ body }) => parsePaste(body.text),
    searchRegistry: ({ query }) => service.search(query),
    listClientConfigs: async () => ({ clients: await service.clients() }),
    importFromClient: ({ body }) => service.importFrom(body),
    listBundles: async () => ({ bundles: await service.bundles() }),
    planInstall: ({ body }) => installer.plan(body),
    install: ({ body }) => installer.install(body),
    planRemoval: ({ body }) => installer.planRemoval(body),
    removeInstalled: ({ body }) => installer.remove(body),
    getDiscoverySettings: () => service.settings(),
    setDiscoverySettings: ({ body }) => service.setSettings(body),
    importConnectors: ({ body, query }) =>
      importConnectors(body, connectors, { storeSecrets: query.storeSecrets === 'true' }),
  })
}
