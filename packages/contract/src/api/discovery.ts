import { z } from 'zod'

import { BundleView } from '../discovery/bundle.ts'
import {
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
} from '../discovery/discovery.ts'
import { StoreSecretsFlag } from '../secret/secret.ts'
import type { ApiOperation } from './operation.ts'

const plan = { 200: { description: 'What would be done, and what stands in the way.', schema: DiscoveryPlan } }
const report = { 200: { description: 'How it went; status tells the outcome.', schema: DiscoveryReport } }
const settings = { 200: { description: 'The settings.', schema: DiscoverySettings } }

export const discoveryOperations = {
  parsePaste: {
    method: 'POST',
    path: '/api/discovery/parse',
    summary: 'Reads connectors out of anything that somebody pasted. Nothing is stored, run or reached.',
    body: PasteInput,
    responses: { 200: { description: 'Drafts of connectors, and what was guessed.', schema: PasteReport } },
  },
  searchRegistry: {
    method: 'GET',
    path: '/api/discovery/registry',
    role: 'member',
    summary: 'Searches a registry of MCP servers.',
    query: RegistryQuery,
    responses: { 200: { description: 'A page of servers, and what each of them needs.', schema: RegistryPage } },
  },
  listClientConfigs: {
    method: 'GET',
    path: '/api/discovery/clients',
    role: 'admin',
    summary: 'The configurations of MCP clients on the machine of the hub, and the servers that they name.',
    responses: {
      200: { description: 'The configurations.', schema: z.object({ clients: z.array(ClientConfigView) }) },
    },
  },
  importFromClient: {
    method: 'POST',
    path: '/api/discovery/clients/import',
    summary: "Adds servers of a client's configuration on the machine of the hub.",
    body: ClientImport,
    responses: { 200: { description: 'What was added, skipped and refused.', schema: ImportAnswer } },
  },
  listBundles: {
    method: 'GET',
    path: '/api/discovery/bundles',
    summary: 'The bundles that come with Herma and those that are installed.',
    responses: { 200: { description: 'The bundles.', schema: z.object({ bundles: z.array(BundleView) }) } },
  },
  planInstall: {
    method: 'POST',
    path: '/api/discovery/plan',
    summary: 'Says what an install would do. Nothing is changed.',
    body: InstallRequest,
    responses: plan,
  },
  install: {
    method: 'POST',
    path: '/api/discovery/install',
    summary: 'Installs a server or a bundle as planned, or changes nothing and says why.',
    body: InstallRequest,
    responses: report,
  },
  planRemoval: {
    method: 'POST',
    path: '/api/discovery/remove-plan',
    summary: 'Says what a removal would take away and keep. Nothing is changed.',
    body: RemoveRequest,
    responses: plan,
  },
  removeInstalled: {
    method: 'POST',
    path: '/api/discovery/remove',
    summary:
      'Removes a connector with the secrets that came with it, or what a bundle brought and nobody changed since.',
    body: RemoveRequest,
    responses: report,
  },
  getDiscoverySettings: {
    method: 'GET',
    path: '/api/discovery/settings',
    summary: 'Which registries are asked.',
    responses: settings,
  },
  setDiscoverySettings: {
    method: 'PUT',
    path: '/api/discovery/settings',
    summary: 'Sets which registries are asked.',
    body: DiscoverySettings,
    responses: settings,
  },
  importConnectors: {
    method: 'POST',
    path: '/api/import',
    summary: "Adds the servers of an MCP client's configuration.",
    query: z.object({ storeSecrets: StoreSecretsFlag }),
    body: z
      .record(z.string(), z.unknown())
      .describe('As the client has it: mcpServers, servers, mcp.servers or a bare map of names to servers.'),
    responses: { 200: { description: 'What was added, skipped and refused.', schema: ImportAnswer } },
  },
} as const satisfies Record<string, ApiOperation>
