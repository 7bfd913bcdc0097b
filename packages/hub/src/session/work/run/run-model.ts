import { HubError } from '@herma/contract'
import { isObject } from '../../../wire/index.ts'
import { runTurn } from '../../turn/run-turn.ts'
import type { AgentTool, Turn, TurnLimits, TurnResult } from '../../turn/types.ts'
import { approvalOf } from '../tool/ask-approval.ts'
import { editingTools } from '../tool/edit-tools.ts'
import { openModel } from '../open-model.ts'
import type { WorkEnvironment } from '../work-environment.ts'
import type { TurnContext } from './run-staged.ts'
import { listSessionTools } from '../tool/session-tools.ts'
import { testingTool } from './testing-tool.ts'
import { compileToolPolicy } from '../tool/tool-policy.ts'
import type { WorkRequest } from '../types.ts'
import { readingTools } from '../tool/workspace-tools.ts'

/** A turn of the session's model with all of its tools. */
export async function runModel(
  request: WorkRequest,
  context: TurnContext,
  outside: WorkEnvironment,
): Promise<TurnResult> {
  const { session, workContext, settings = {} } = request
  requireTools(request)
  const model = await openModel(session, workContext, outside)
  const approve = request.approve?.bind(request) ?? approvalOf(workContext, session.name)
  const turn: Turn = {
    messages: request.messages,
    instructions: instructionsFor(request, context.workspace?.cwd ?? null),
    tools: await listTools(request, context, outside),
    limits: limitsOf(request),
    pricing: session.pricing,
    signal: workContext.signal,
    onEvent: (event) => request.onEvent(event),
    ...(approve !== undefined && { approve }),
    responseSchema: request.responseSchema,
    ...settings,
    temperature: settings.temperature ?? session.temperature ?? undefined,
    maxOutputTokens: lowest(settings.maxOutputTokens, session.limits.maxOutputTokens),
  }
  return await runTurn(model, turn)
}

/** What the session is told before anything else. */
export function instructionsFor({ session, extraInstructions, needs }: WorkRequest, cwd: string | null): string {
  const place = cwd === null || needs === 'none' ? '' : `Your workspace is the folder ${cwd}; paths are relative to it.`
  const rights = {
    none: '',
    read: 'You may read its files, not change them.',
    write: 'Your changes are committed together at the end.',
  }
  const about = place === '' ? '' : `${place} ${rights[needs]}`
  return [session.instructions, extraInstructions, about].filter((text) => text !== '').join('\n\n')
}

/** The limits of the session; a call may ask for less. */
export function limitsOf({ session, limits: asked }: WorkRequest): TurnLimits {
  const { maxSteps, maxTokens, maxCostUsd, timeoutMs, maxParallelTools } = session.limits
  return {
    maxSteps: Math.min(maxSteps, asked?.maxSteps ?? maxSteps),
    maxTokens,
    maxCostUsd,
    timeoutMs: Math.min(timeoutMs, asked?.timeoutMs ?? timeoutMs),
    maxParallelTools,
  }
}

async function listTools(request: WorkRequest, context: TurnContext, outside: WorkEnvironment): Promise<AgentTool[]> {
  const { session, workContext, thread, clientTools = [], writeGlobs } = request
  const { workspace, stage } = context
  const rules = compileToolPolicy(session.tools)
  const ofFiles = workspace === null ? [] : readingTools({ ...context, workspace })
  const { timeoutMs } = limitsOf(request)
  const testing = { machine: outside.machine, signal: workContext.signal, timeoutMs, atEnd: context.atEnd }
  const ofStage = stage === null ? [] : [...editingTools({ stage, writeGlobs }), testingTool({ stage, ...testing })]
  const own = [...ofFiles, ...ofStage]
    .filter((tool) => rules.mayUse(tool))
    // Tests have no effect on the workspace, but they are programs, and a person may want to be asked.
    .map((tool) => ({
      ...tool,
      needsApproval: rules.needsApproval({ ...tool, isReadOnly: tool.name !== 'run_tests' }),
    }))
  const taken = new Set([...ofFiles, ...ofStage, ...clientTools].map(({ name }) => name))
  const onProblem = (text: string) => request.onEvent({ type: 'warning', text })
  const ofServers = await listSessionTools({ session, workContext, rules, thread, taken, onProblem }, outside)
  const clients = new Set(clientTools.map(({ name }) => name))
  // A client knows best what its own tools are called.
  return [...own.filter(({ name }) => !clients.has(name)), ...ofServers, ...clientTools]
}

/** A model without tools cannot change a file, and would only say that it did. */
function requireTools({ session, workContext, needs, ability }: WorkRequest): void {
  if (session.provider !== 'sampling' || needs !== 'write' || ability === 'chat') return
  const { sampling } = workContext.caller.capabilities
  if (!isObject(sampling) || isObject(sampling['tools'])) return
  const text = `'${session.name}' works with the model of its client, which lends it without tools (sampling.tools). Give the session a provider of its own to let it change files.`
  throw new HubError('CAPABILITY_MISSING', text)
}

function lowest(asked: number | undefined, limit: number | null): number | undefined {
  if (limit === null) return asked
  return asked === undefined ? limit : Math.min(asked, limit)
}
