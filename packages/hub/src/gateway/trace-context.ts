import { randomBytes } from 'node:crypto'

/** Where a request stands among others: its trace, its own span, and the span that it is part of. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
}

const processPart = randomBytes(8).toString('hex')
let lastTrace = 0
let lastSpan = 0

/**
 * The context of a new request. A trace that nobody else began gets an id that sorts by time, because an index takes
 * those several times faster; it is unique by the process and a counter.
 */
export function beginTrace(traceparent: unknown): TraceContext {
  const spanId = processPart.slice(0, 6) + hex(++lastSpan, 10)
  if (isTraceParent(traceparent)) {
    const [, traceId, parentId] = traceparent.split('-')
    return { traceId: traceId!, spanId, parentId }
  }
  return { traceId: hex(Date.now(), 12) + processPart.slice(0, 10) + hex(++lastTrace, 10), spanId, parentId: undefined }
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
export function toTraceParent({ traceId, spanId }: TraceContext): string {
  return `00-${traceId}-${spanId}-01`
}

/** Whether somebody else has begun a trace; ids of nothing but zeros are none. */
export function isTraceParent(value: unknown): value is string {
  return typeof value === 'string' && traceParentPattern.test(value)
}

const traceParentPattern = /^[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/

// Cheaper than padding: every call needs one.
function hex(number: number, digits: number): string {
  return (number + 16 ** digits).toString(16).slice(1)
}
