import { HubError } from '@herma/contract'
import type { ToolResult } from '../../../wire/index.ts'
import { startTurnClock } from '../../turn/turn-clock.ts'
import { approvalOf } from '../tool/ask-approval.ts'
import type { RouteChoice, RoutedTool } from '../choose-route.ts'
import { fillArguments } from '../fill-arguments.ts'
import { afterCall } from '../had-effect.ts'
import type { WorkEnvironment } from '../work-environment.ts'
import { findSessionTool, textOfResult, type SessionTool } from '../tool/session-tools.ts'
import { compileToolPolicy } from '../tool/tool-policy.ts'
import type { WorkRequest, WorkResult } from '../types.ts'
import { withoutModel } from './without-model.ts'

/** Lets a tool of a bound connector answer in place of the model. */
export async function runToolRoute(
  request: WorkRequest,
  choice: RouteChoice & { readonly use: RoutedTool },
  outside: WorkEnvironment,
): Promise<WorkResult> {
  const { use } = choice
  const tool = await requireTool(request, use, outside)
  const args = fillArguments(use.arguments, request.ability, request.input)
  await requireApproval(request, tool, args)
  const result = await callSessionTool(request, tool, args)
  return {
    ...withoutModel(choice, textOfResult(result.content)),
    toolResult: result,
    toolCalls: 1,
    hadEffect: hasEffect(request, tool),
  }
}

/** Calls a tool and rejects when it reports a failure, so that somebody else may be asked. */
export async function callSessionTool(
  request: Pick<WorkRequest, 'ability' | 'workContext' | 'limits' | 'session'>,
  tool: SessionTool,
  args: Record<string, unknown>,
): Promise<ToolResult> {
  const { signal } = request.workContext
  const timeoutMs = Math.min(request.session.limits.timeoutMs, request.limits?.timeoutMs ?? Number.POSITIVE_INFINITY)
  const clock = startTurnClock(signal, timeoutMs)
  try {
    const result = await tool.call(args, clock.signal)
    if (result.isError !== true) return result
    const said = textOfResult(result.content).slice(0, 2000)
    throw new HubError('DOWNSTREAM_FAILED', `'${tool.tool}' of '${tool.connector}' reported a failure: ${said}`)
  } catch (error) {
    const isLate = clock.isTimeUp && !signal.aborted
    throw afterCall(isLate ? tooLate(tool, timeoutMs) : error, hasEffect(request, tool))
  } finally {
    clock.stop()
  }
}

function tooLate({ tool, connector }: SessionTool, timeoutMs: number): HubError {
  const text = `'${tool}' of '${connector}' took longer than ${timeoutMs / 1000} s. Raise the time limit of the session.`
  return new HubError('DOWNSTREAM_TIMEOUT', text)
}

async function requireTool(request: WorkRequest, use: RoutedTool, outside: WorkEnvironment): Promise<SessionTool> {
  const { session, workContext, thread } = request
  const rules = compileToolPolicy(session.tools)
  const tool = await findSessionTool(use, { session, workContext, rules, thread }, outside)
  if (tool !== undefined) return tool
  const what = `A rule of '${session.name}' sends ${request.ability} to '${use.tool}' of '${use.connector}'`
  const next = `Bind the connector, allow the tool, change the rule, or, where its pin has blocked it, see: herma catalog review ${use.connector}`
  throw new HubError('SESSION_UNREADY', `${what}, which it does not have or may not use. ${next}`)
}

async function requireApproval(request: WorkRequest, tool: SessionTool, args: Record<string, unknown>): Promise<void> {
  if (tool.needsApproval !== true) return
  const { workContext, session } = request
  const call = { id: 'route', name: tool.name, arguments: args }
  const approve = request.approve?.bind(request) ?? approvalOf(workContext, session.name)
  if (approve !== undefined) request.onEvent({ type: 'approval-wanted', ...call })
  const answer = await approve?.(call, workContext.signal)
  workContext.signal.throwIfAborted()
  if (answer === 'once') return
  const why = answer === 'refused' ? 'which was refused' : 'and nobody here can give one'
  throw new HubError('FORBIDDEN', `'${tool.tool}' of '${tool.connector}' needs an approval, ${why}.`)
}

/** A search changes nothing, whatever its tool says or forgets to say. */
function hasEffect({ ability }: Pick<WorkRequest, 'ability'>, tool: SessionTool): boolean {
  return !tool.isReadOnly && ability !== 'search.web' && ability !== 'search.code'
}
