import { McpServer, type RegisteredPrompt, type RegisteredTool } from '@modelcontextprotocol/server'
import { offerAskingTools } from './offer-asking-tools.ts'
import { offerContentTools } from './offer-content-tools.ts'
import { offerPrompts } from './offer-prompts.ts'
import { offerResources } from './offer-resources.ts'
import { offerWireTools } from './offer-wire-tools.ts'
import type { World } from './world.ts'

/** A server with every tool, resource and prompt that the scenarios name; each works in both eras. */
export function buildServer(world: World, era: 'legacy' | 'modern'): McpServer {
  const mcp = new McpServer(
    { name: 'herma-conformance', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
      },
      requestState: { verify: (state, context) => world.states.verify(state, context) },
    },
  )
  offerContentTools(mcp)
  offerAskingTools(mcp, world)
  const extraTool = offerWireTools(mcp, world)
  const extraPrompt = offerPrompts(mcp, world)
  const subscriptions = offerResources(mcp, world)
  if (era === 'legacy') followChanges(mcp, world, { extraTool, extraPrompt, subscriptions })
  return mcp
}

type Followed = { extraTool: RegisteredTool; extraPrompt: RegisteredPrompt; subscriptions: Set<string> }

/** A legacy connection keeps its server object, which has to hear of changes; modern clients listen to the bus itself. */
function followChanges(mcp: McpServer, world: World, { extraTool, extraPrompt, subscriptions }: Followed): void {
  const unsubscribe = world.bus.subscribe((event) => {
    switch (event.kind) {
      case 'tools_list_changed':
        extraTool.update({ enabled: world.hasExtraTool })
        break
      case 'prompts_list_changed':
        extraPrompt.update({ enabled: world.hasExtraPrompt })
        break
      case 'resource_updated':
        // The client may be gone at this moment, and then nobody misses the news.
        if (subscriptions.has(event.uri)) mcp.server.sendResourceUpdated({ uri: event.uri }).catch(() => {})
        break
      case 'resources_list_changed':
        mcp.sendResourceListChanged()
        break
    }
  })
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- The SDK has a callback, no events.
  mcp.server.onclose = unsubscribe
}
