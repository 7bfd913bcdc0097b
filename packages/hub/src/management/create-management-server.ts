import { HubError, HubStatus, type ServerView } from '@herma/contract'
import { server } from '@herma/framework'
import { z } from 'zod'
import { actAsVisitor } from './act-as-visitor.ts'
import { managementName } from './management-name.ts'
import { addConnectorTools, type ManagedConnectors } from './connector-tools.ts'
import { addDiscoveryTools, type ManagedDiscovery } from './discovery-tools.ts'

/** What the management server needs of the hub. */
export interface ManagedHub {
  readonly version: string
  readonly connectors: ManagedConnectors
  readonly discovery: ManagedDiscovery
  status(): Promise<HubStatus>
  servers(): readonly ServerView[]
}

const instructions = `Herma is one MCP endpoint for many MCP servers. A connector is the stored definition of one of them.
Look with list_connectors, add with add_connector, and test with test_connector before you rely on a new one.
Find new ones with discover_servers and list_bundles, and install them with install_server, whose plan you show first.`

/** The hub as an MCP server: agents do with it what people do with the CLI. */
export function createManagementServer(hub: ManagedHub) {
  const app = server({
    name: managementName,
    title: 'Herma',
    version: hub.version,
    instructions,
    // The hub's own errors are written for people and carry no secrets; anything else is masked.
    errors: (error) =>
      error instanceof HubError ? error.message : 'Something went wrong inside Herma. See: herma logs',
  })
  app.use('tools/call', (_request, next, context) => actAsVisitor(context, () => next()))
  app.tool(
    'get_status',
    {
      description: 'How the hub is doing: version, endpoint, connectors, tools, calls under way.',
      output: HubStatus,
      annotations: { readOnlyHint: true },
    },
    () => hub.status(),
  )
  app.tool(
    'list_servers',
    {
      description: 'The MCP servers that Herma serves, with the path of each.',
      output: z.object({ servers: z.array(z.object({ name: z.string(), kind: z.string(), path: z.string() })) }),
      annotations: { readOnlyHint: true },
    },
    () => ({ servers: hub.servers().map(({ name, kind, path }) => ({ name, kind, path })) }),
  )
  return addDiscoveryTools(addConnectorTools(app, hub.connectors), hub.discovery)
}
