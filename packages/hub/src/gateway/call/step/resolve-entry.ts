import { HubError } from '@herma/contract'
import type { ShapedEntry, ShapedTool } from '../../../catalog/index.ts'
import type { Exchange } from '../exchange.ts'
import type { CallContext } from './call-steps.ts'

/** Looks the name of a tool up in the catalog as the client sees it. */
export function resolveTool(exchange: Exchange, context: CallContext): void | Promise<void> {
  const name = exchange.params?.['name']
  const tool = typeof name === 'string' ? context.scopes.for(exchange.caller).tool(name) : undefined
  if (tool !== undefined) return accept(exchange, tool)
  const error = new HubError('TOOL_NOT_FOUND', `Unknown tool: ${JSON.stringify(name)}`)
  return onceLookedAt(exchange, context, error, resolveTool)
}

export function resolvePrompt(exchange: Exchange, context: CallContext): void | Promise<void> {
  const name = exchange.params?.['name']
  const prompt = typeof name === 'string' ? context.scopes.for(exchange.caller).prompt(name) : undefined
  if (prompt !== undefined) return accept(exchange, prompt)
  const error = new HubError('PROMPT_NOT_FOUND', `Unknown prompt: ${JSON.stringify(name)}`)
  return onceLookedAt(exchange, context, error, resolvePrompt)
}

function accept(exchange: Exchange, entry: ShapedTool | ShapedEntry): void {
  exchange.entry = entry
  exchange.target = entry.name
}

/** A name that nobody has may be one of a server that is being looked at for the first time, or whose lists changed. */
async function onceLookedAt(
  exchange: Exchange,
  context: CallContext,
  error: HubError,
  again: typeof resolveTool,
): Promise<void> {
  const { downstreams } = context
  const looked = downstreams.settled(exchange.caller) ?? downstreams.namesRead(exchange)
  if (looked === null) throw error
  await looked
  if (!exchange.isDone) await again(exchange, context)
}
