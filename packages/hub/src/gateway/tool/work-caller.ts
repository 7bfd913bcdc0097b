import { writeCallPath, type WorkContext } from '../../wire/index.ts'
import type { WorkCaller } from './tool-run.ts'
import { toTraceParent } from '../call/trace-context.ts'

/** Servers may report progress, which shows that they live; the one who wants the work hears of whole steps. */
const progressToken = 0

interface WorkContextCall {
  /** Ends this call alone. */
  readonly signal: AbortSignal
  /** Whether servers are told of the trace. */
  readonly isTraced: boolean
}

/** The one on whose behalf the hub itself works, while it calls tools of servers. */
export function workCallerOf(workContext: WorkContext, { signal: early, isTraced }: WorkContextCall): WorkCaller {
  const { ask, traceId, spanId } = workContext
  const signal = AbortSignal.any([workContext.signal, early])
  const traceparent = isTraced ? toTraceParent({ traceId, spanId, parentId: undefined }) : null
  return {
    // A server is not told that somebody can be asked where nobody can.
    caller: ask === null ? { ...workContext.caller, capabilities: {} } : workContext.caller,
    signal,
    traceparent,
    meta: { ...writeCallPath(workContext.path), ...(traceparent !== null && { traceparent }) },
    workContext: () => ({ ...workContext, signal }),
    progressToken: () => progressToken,
    notify: () => true,
    ask: async (question, withdrawn) => {
      if (ask !== null) return ask(question, withdrawn)
      return { error: { code: -32601, message: 'Nobody is there who could be asked.' } }
    },
    // Steps of a composite are no steps of the work.
    progress: () => {},
  }
}
