import { setTimeout as sleep } from 'node:timers/promises'
import { fromJsonSchema, type McpServer, type RegisteredTool, type ServerContext } from '@modelcontextprotocol/server'
import { textResult } from './content.ts'
import { watchedUri } from './offer-resources.ts'
import { headerSchema, vocabularySchema } from './wire-schemas.ts'
import type { World } from './world.ts'

/** Tools about the wire itself: broken streams, mirrored headers, schemas, changing lists. Returns the tool that comes and goes. */
export function offerWireTools(mcp: McpServer, world: World): RegisteredTool {
  mcp.registerTool('test_reconnection', { description: 'Closes its stream before it answers.' }, callAcrossStreams)
  mcp.registerTool(
    'test_header_parameter',
    {
      description: 'Its region is mirrored in a header.',
      inputSchema: fromJsonSchema<{ region?: string }>(headerSchema),
    },
    ({ region }) => textResult(`region=${region ?? ''}`),
  )
  mcp.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Its schema uses the whole vocabulary.', inputSchema: fromJsonSchema(vocabularySchema) },
    (contact) => textResult(JSON.stringify(contact)),
  )
  mcp.registerTool('test_trigger_tool_change', { description: 'Adds or removes a tool.' }, () => {
    world.hasExtraTool = !world.hasExtraTool
    world.bus.publish({ kind: 'tools_list_changed' })
    return textResult('The list of tools changed.')
  })
  mcp.registerTool('test_trigger_prompt_change', { description: 'Adds or removes a prompt.' }, () => {
    world.hasExtraPrompt = !world.hasExtraPrompt
    world.bus.publish({ kind: 'prompts_list_changed' })
    return textResult('The list of prompts changed.')
  })
  mcp.registerTool('test_trigger_resource_update', { description: 'Changes the watched resource.' }, () => {
    world.watchedEdition++
    world.bus.publish({ kind: 'resource_updated', uri: watchedUri })
    return textResult('The watched resource changed.')
  })
  const extra = mcp.registerTool('test_extra_tool', { description: 'Is there only sometimes.' }, () =>
    textResult('Here I am.'),
  )
  extra.update({ enabled: world.hasExtraTool })
  return extra
}

/** Answers after the client's stream is gone, so that the client has to come back for the answer (SEP-1699). */
async function callAcrossStreams({ http }: ServerContext) {
  http?.closeSSE?.()
  await sleep(100)
  return textResult('The answer came after the stream was closed.')
}
