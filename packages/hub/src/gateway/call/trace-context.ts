import { randomBytes } from 'node:crypto'

/** Where a request stands among others: its trace, its own span, and the span that it is part of. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
}

const processPart = randomBytes(8).toString('hex')
const [tracePart, spanPart] = [processPart.slice(0, 10), processPart.slice(0, 6)]

/**
 * The context of a new request. A trace that nobody else began gets an id that sorts by time, because an index takes
 * those several times faster; it is unique by the process and a counter.
 */
export function beginTrace(traceparent: unknown): TraceContext {
  const count = nextCount()
  const spanId = spanPart + count
  if (isTraceParent(traceparent)) {
    const [, traceId, parentId] = traceparent.split('-')
    return { traceId: traceId!, spanId, parentId }
  }
  return { traceId: timePart() + tracePart + count, spanId, parentId: undefined }
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

// Every call needs two ids, and V8 turns a number beyond 31 bits into text slowly. So only what changes is made anew.
const digitPairs = Array.from({ length: 256 }, (_, byte) => hex(byte, 2))
let highCount = 0
let lowCount = 0
let highDigits = hex(highCount, 6)
let lastMs = 0
let lastTimePart = hex(lastMs, 12)

/** Ten digits, another number each time. */
function nextCount(): string {
  lowCount = (lowCount + 1) & 0xffff
  if (lowCount === 0) highDigits = hex(++highCount, 6)
  return highDigits + digitPairs[lowCount >> 8]! + digitPairs[lowCount & 0xff]!
}

/** The time in twelve digits. */
function timePart(): string {
  const now = Date.now()
  if (now !== lastMs) {
    lastMs = now
    lastTimePart = hex(now, 12)
  }
  return lastTimePart
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0')
}
