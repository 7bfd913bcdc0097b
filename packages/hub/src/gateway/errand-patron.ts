import { writeCallPath, type Errand } from '../wire/index.ts'
import type { Patron } from './tool-run.ts'
import { toTraceParent } from './trace-context.ts'

/** Servers may report progress, which shows that they live; the one who wants the work hears of whole steps. */
const progressToken = 0

interface ErrandCall {
  /** Ends this call alone. */
  readonly signal: AbortSignal
  /** Whether servers are told of the trace. */
  readonly isTraced: boolean
}

/** The one on whose behalf the hub itself works, while it calls tools of servers. */
export function errandPatron(errand: Errand, { signal: early, isTraced }: ErrandCall): Patron {
  const { ask, traceId, spanId } = errand
  const signal = AbortSignal.any([errand.signal, early])
  const traceparent = isTraced ? toTraceParent({ traceId, spanId, parentId: undefined }) : null
  return {
    // A server is not told that somebody can be asked where nobody can.
    caller: ask === null ? { ...errand.caller, capabilities: {} } : errand.caller,
    signal,
    traceparent,
    meta: { ...writeCallPath(errand.path), ...(traceparent !== null && { traceparent }) },
    errand: () => ({ ...errand, signal }),
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
