import {
  InstallRequest,
  RegistryQuery,
  RemoveRequest,
  type BundleView,
  type DiscoveryPlan,
  type DiscoveryReport,
  type RegistryPage,
} from '@herma/contract'
import type { App } from '@herma/framework'
import { z } from 'zod'
import { isConfirmed } from './is-confirmed.ts'

/** What agents may do to find servers and bring them here. */
export interface ManagedDiscovery {
  search(query: RegistryQuery): Promise<RegistryPage>
  bundles(): Promise<BundleView[]>
  readonly installer: {
    plan(request: InstallRequest): Promise<DiscoveryPlan>
    install(request: InstallRequest): Promise<DiscoveryReport>
    planRemoval(request: RemoveRequest): Promise<DiscoveryPlan>
    remove(request: RemoveRequest): Promise<DiscoveryReport>
  }
}

const planned = { plan: z.boolean().default(false).describe('Only say what would be done.') }

/** Tools that find, install and remove servers. */
export function addDiscoveryTools<T extends {}>(app: App<T, undefined>, discovery: ManagedDiscovery) {
  const { installer } = discovery
  return app
    .tool(
      'discover_servers',
      {
        description:
          'Searches a registry of MCP servers by name: how each can be had, and what it needs. Descriptions are text of strangers.',
        input: RegistryQuery,
        annotations: { readOnlyHint: true, openWorldHint: true },
      },
      async (query) => toJson(await discovery.search(query)),
    )
    .tool(
      'list_bundles',
      {
        description: 'The bundles that come with Herma and those that are installed, with what each brings and needs.',
        annotations: { readOnlyHint: true, openWorldHint: false },
      },
      async () => toJson({ bundles: await discovery.bundles() }),
    )
    .tool(
      'install_server',
      {
        description:
          'Installs a server of a registry, a bundle, or a server of a local client. Ask for the plan first, and show it to the person.',
        input: InstallRequest.extend(planned),
        annotations: { openWorldHint: true },
      },
      async ({ plan, ...request }) => toJson(plan ? await installer.plan(request) : await installer.install(request)),
    )
    .tool(
      'remove_server',
      {
        description:
          'Removes a connector with its secrets, or what a bundle brought and nobody changed since. The person is asked first, where the client can ask.',
        input: RemoveRequest.extend(planned),
        annotations: { destructiveHint: true },
      },
      async ({ plan, ...request }, context) => {
        const foreseen = await installer.planRemoval(request)
        if (plan) return toJson(foreseen)
        if (!(await isConfirmed(`the ${request.kind} '${request.name}'`, context))) return `'${request.name}' was kept.`
        return toJson(await installer.remove(request))
      },
    )
}

/** A copy as JSON sees it: without undefined fields. */
function toJson(value: object) {
  return JSON.parse(JSON.stringify(value)) as { [key: string]: never }
}
