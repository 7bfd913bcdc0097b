import {
  BundleView,
  ClientConfigView,
  ClientImport,
  DiscoveryPlan,
  DiscoveryReport,
  DiscoverySettings,
  ImportAnswer,
  InstallRequest,
  PasteInput,
  PasteReport,
  RegistryPage,
  RegistryQuery,
  RemoveRequest,
} from '@herma/contract'
import { z } from 'zod'

import { defineRoute, type Route } from '../platform/http/index.ts'
import type { DiscoveryDesk } from './discovery-desk.ts'
import { type ConnectorAdder, importConnectors } from './import-connectors.ts'
import { parsePaste } from './paste/parse-paste.ts'

/** What the routes need of discovery. */
export type DiscoveryService = Pick<
  DiscoveryDesk,
  'search' | 'clients' | 'importFrom' | 'bundles' | 'settings' | 'setSettings' | 'installer'
>

/** Finding servers, and bringing and removing them with a plan. */
export function discoveryRoutes(service: DiscoveryService): Route[] {
  return [...findingRoutes(service), ...installRoutes(service), ...settingRoutes(service)]
}

function findingRoutes(service: DiscoveryService): Route[] {
  return [
    defineRoute({
      id: 'parsePaste',
      method: 'POST',
      path: '/api/discovery/parse',
      summary: 'Reads connectors out of anything that somebody pasted. Nothing is stored, run or reached.',
      body: PasteInput,
      responses: { 200: { description: 'Drafts of connectors, and what was guessed.', schema: PasteReport } },
      handle: ({ body }) => ({ status: 200, body: parsePaste(body.text) }),
    }),
    defineRoute({
      id: 'searchRegistry',
      method: 'GET',
      path: '/api/discovery/registry',
      summary: 'Searches a registry of MCP servers.',
      query: RegistryQuery,
      responses: { 200: { description: 'A page of servers, and what each of them needs.', schema: RegistryPage } },
      handle: async ({ query }) => ({ status: 200, body: await service.search(query) }),
    }),
    defineRoute({
      id: 'listClientConfigs',
      method: 'GET',
      path: '/api/discovery/clients',
      summary: 'The configurations of MCP clients on the machine of the hub, and the servers that they name.',
      responses: {
        200: { description: 'The configurations.', schema: z.object({ clients: z.array(ClientConfigView) }) },
      },
      handle: async () => ({ status: 200, body: { clients: await service.clients() } }),
    }),
    defineRoute({
      id: 'importFromClient',
      method: 'POST',
      path: '/api/discovery/clients/import',
      summary: "Adds servers of a client's configuration on the machine of the hub.",
      body: ClientImport,
      responses: { 200: { description: 'What was added, skipped and refused.', schema: ImportAnswer } },
      handle: async ({ body }) => ({ status: 200, body: await service.importFrom(body) }),
    }),
    defineRoute({
      id: 'listBundles',
      method: 'GET',
      path: '/api/discovery/bundles',
      summary: 'The bundles that come with Herma and those that are installed.',
      responses: { 200: { description: 'The bundles.', schema: z.object({ bundles: z.array(BundleView) }) } },
      handle: async () => ({ status: 200, body: { bundles: await service.bundles() } }),
    }),
  ]
}

function installRoutes({ installer }: DiscoveryService): Route[] {
  const plan = { 200: { description: 'What would be done, and what stands in the way.', schema: DiscoveryPlan } }
  const report = { 200: { description: 'How it went; status tells the outcome.', schema: DiscoveryReport } }
  return [
    defineRoute({
      id: 'planInstall',
      method: 'POST',
      path: '/api/discovery/plan',
      summary: 'Says what an install would do. Nothing is changed.',
      body: InstallRequest,
      responses: plan,
      handle: async ({ body }) => ({ status: 200, body: await installer.plan(body) }),
    }),
    defineRoute({
      id: 'install',
      method: 'POST',
      path: '/api/discovery/install',
      summary: 'Installs a server or a bundle as planned, or changes nothing and says why.',
      body: InstallRequest,
      responses: report,
      handle: async ({ body }) => ({ status: 200, body: await installer.install(body) }),
    }),
    defineRoute({
      id: 'planRemoval',
      method: 'POST',
      path: '/api/discovery/remove-plan',
      summary: 'Says what a removal would take away and keep. Nothing is changed.',
      body: RemoveRequest,
      responses: plan,
      handle: async ({ body }) => ({ status: 200, body: await installer.planRemoval(body) }),
    }),
    defineRoute({
      id: 'removeInstalled',
      method: 'POST',
      path: '/api/discovery/remove',
      summary:
        'Removes a connector with the secrets that came with it, or what a bundle brought and nobody changed since.',
      body: RemoveRequest,
      responses: report,
      handle: async ({ body }) => ({ status: 200, body: await installer.remove(body) }),
    }),
  ]
}

function settingRoutes(service: DiscoveryService): Route[] {
  const settings = { 200: { description: 'The settings.', schema: DiscoverySettings } }
  return [
    defineRoute({
      id: 'getDiscoverySettings',
      method: 'GET',
      path: '/api/discovery/settings',
      summary: 'Which registries are asked.',
      responses: settings,
      handle: () => ({ status: 200, body: service.settings() }),
    }),
    defineRoute({
      id: 'setDiscoverySettings',
      method: 'PUT',
      path: '/api/discovery/settings',
      summary: 'Sets which registries are asked.',
      body: DiscoverySettings,
      responses: settings,
      handle: async ({ body }) => ({ status: 200, body: await service.setSettings(body) }),
    }),
  ]
}

export function importRoutes(connectors: ConnectorAdder): Route[] {
  return [
    defineRoute({
      id: 'importConnectors',
      method: 'POST',
      path: '/api/import',
      summary: "Adds the servers of an MCP client's configuration.",
      body: z
        .record(z.string(), z.unknown())
        .describe('As the client has it: mcpServers, servers, mcp.servers or a bare map of names to servers.'),
      responses: { 200: { description: 'What was added, skipped and refused.', schema: ImportAnswer } },
      handle: async ({ body }) => ({ status: 200, body: await importConnectors(body, connectors) }),
    }),
  ]
}
