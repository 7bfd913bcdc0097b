import type { Catalog, OutputWatch, Scopes } from '../../../catalog/index.ts'
import type { Exchange } from '../exchange.ts'
import type { Parking } from '../parking.ts'
import type { Permission } from '../permission.ts'
import type { VisibleDownstreams } from '../visible-downstreams.ts'
import { callDownstream } from './call-downstream.ts'
import { checkParamHeaders } from './check-param-headers.ts'
import { checkPermission } from './check-permission.ts'
import { resolvePrompt, resolveTool } from './resolve-entry.ts'
import { continueCall, requireSameServer, resumeCall } from './resume-call.ts'
import { runOwnTool } from './run-own-tool.ts'
import { takeTurn } from './take-turn.ts'

/** What the steps of a call work with. */
export interface CallContext {
  readonly catalog: Catalog
  readonly scopes: Scopes
  readonly outputs: OutputWatch
  readonly parking: Parking
  readonly permission: Permission
  readonly downstreams: VisibleDownstreams
}

/** One step of a request for something that the catalog names. The next one waits for its promise. */
export type CallStep = (exchange: Exchange, context: CallContext) => void | Promise<void>

/**
 * Every tools/call passes these steps, in this order. Before them come those of every request: the listener
 * (transport/http-server.ts), who asks (access/admission.ts), the message (transport/mcp-endpoint.ts) and its exchange
 * (request-receiver.ts).
 */
export const callToolSteps: readonly CallStep[] = [
  takeTurn,
  resolveTool,
  checkPermission,
  checkParamHeaders,
  runOwnTool,
  callDownstream,
]

export const getPromptSteps: readonly CallStep[] = [takeTurn, resolvePrompt, checkPermission, callDownstream]

/** A modern client comes back with the input that its call waits for, here or at a modern server. */
export const retrySteps: readonly CallStep[] = [
  resumeCall,
  takeTurn,
  requireSameServer,
  checkPermission,
  checkParamHeaders,
  continueCall,
]

/** Goes through the steps until one has ended the exchange, or given it to whoever runs the call. */
export function runSteps(
  exchange: Exchange,
  context: CallContext,
  steps: readonly CallStep[],
  from = 0,
): void | Promise<void> {
  for (let at = from; at < steps.length && !exchange.isDone && exchange.runner === null; at++) {
    const waiting = steps[at]!(exchange, context)
    if (waiting !== undefined) return waiting.then(() => runSteps(exchange, context, steps, at + 1))
  }
}
