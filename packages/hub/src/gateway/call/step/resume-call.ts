import { HubError } from '@herma/contract'
import type { ShapedEntry, ShapedTool } from '../../../catalog/index.ts'
import type { Exchange } from '../exchange.ts'
import { useOriginalName } from './call-downstream.ts'
import type { CallContext } from './call-steps.ts'

/** Finds out what the retry continues. A call that runs here takes the retry over, and the steps end. */
export function resumeCall(exchange: Exchange, context: CallContext): void {
  exchange.entry = findEntry(exchange, context) ?? null
  if (exchange.entry !== null) exchange.target = exchange.entry.name
  exchange.resumedAt = context.parking.resume(exchange)?.connectorId ?? null
}

/** The name must still lead to the server that asked for the input. */
export function requireSameServer({ method, target, entry, resumedAt }: Exchange): void {
  if (method === 'resources/read') return
  if (entry === null)
    throw new HubError(
      'TOOL_NOT_FOUND',
      `Unknown ${method === 'tools/call' ? 'tool' : 'prompt'}: ${JSON.stringify(target)}. It was there when the call began.`,
    )
  if (entry.source.id !== resumedAt)
    throw new HubError('INVALID_PARAMS', 'The server of this call changed. Send the request again from the start.')
}

/** Sends the input on to the server that waits for it. */
export function continueCall(exchange: Exchange, { downstreams }: CallContext): void {
  if (exchange.entry !== null) useOriginalName(exchange, exchange.entry.original)
  downstreams.byId(exchange.resumedAt!).call(exchange)
}

function findEntry(
  { method, target, caller }: Exchange,
  { scopes }: CallContext,
): ShapedTool | ShapedEntry | undefined {
  if (typeof target !== 'string' || method === 'resources/read') return undefined
  const scope = scopes.for(caller)
  return method === 'tools/call' ? scope.tool(target) : scope.prompt(target)
}
