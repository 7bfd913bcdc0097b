import { HubError, type ErrorCode } from '@herma/contract'
import { isObject, localOperator, type Caller } from '../../../wire/index.ts'
import type { Arguments, ToolContext, ToolReference, ToolResult } from '../../core/own-tool.ts'

export interface SentCall {
  readonly server?: string
  readonly tool: string
  readonly arguments: Arguments
  readonly timeoutMs?: number
}

/** What the tools answer, by name: one result for every call, or a list of which each call takes the next. */
export type Script = Readonly<Record<string, unknown>>

export interface ScriptedContext extends ToolContext {
  readonly sent: SentCall[]
  readonly told: { done: number; total: number | undefined; message: string }[]
  /** The most calls that were running at once. */
  readonly peak: () => number
}

export interface ScriptedOptions {
  readonly principal?: string
  readonly signal?: AbortSignal
}

/** A ToolContext whose tools answer what the script says: `{ error: { code, message } }` rejects, `echo` repeats. */
export function createScriptedContext(script: Script, options: ScriptedOptions = {}): ScriptedContext {
  const sent: SentCall[] = []
  const told: ScriptedContext['told'] = []
  const taken = new Map<string, number>()
  let running = 0
  let peak = 0
  const answer = async ({ tool }: ToolReference, args: Arguments): Promise<ToolResult> => {
    running++
    peak = Math.max(peak, running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    const line = Object.hasOwn(script, tool) ? script[tool] : undefined
    const index = taken.get(tool) ?? 0
    taken.set(tool, index + 1)
    return toResult(Array.isArray(line) ? line[index] : line, tool, args)
  }
  return {
    signal: options.signal ?? new AbortController().signal,
    caller: callerOf(options.principal ?? localOperator),
    workContext: noWorkContext,
    sent,
    told,
    peak: () => peak,
    call: async (reference, args, settings) => {
      sent.push({
        ...(reference.server === undefined ? {} : { server: reference.server }),
        tool: reference.tool,
        arguments: args,
        ...(settings?.timeoutMs === undefined ? {} : { timeoutMs: settings.timeoutMs }),
      })
      return await answer(reference, args)
    },
    callExposed: async (name, args) => await answer({ tool: name }, args),
    readResource: async (uri) => {
      throw new HubError('RESOURCE_NOT_FOUND', `There is no resource '${uri}'.`)
    },
    progress: (done, total, message) => void told.push({ done, total, message }),
  }
}

function toResult(line: unknown, tool: string, args: Arguments): ToolResult {
  if (line === 'echo') return { content: [{ type: 'text', text: JSON.stringify(args) }] }
  if (!isObject(line)) throw new HubError('TOOL_NOT_FOUND', `There is no tool '${tool}'.`)
  const { error } = line
  if (isObject(error)) throw new HubError(error['code'] as ErrorCode, String(error['message']))
  return line as unknown as ToolResult
}

function callerOf(principal: string): Caller {
  return {
    principal,
    server: 'facade',
    era: 'legacy',
    revision: '2025-11-25',
    clientInfo: undefined,
    capabilities: {},
    connectionId: null,
    logLevel: null,
  }
}

function noWorkContext(): never {
  throw new Error('Composites call tools; they do no errands.')
}
