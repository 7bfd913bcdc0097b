import {
  context,
  createTraceState,
  isSpanContextValid,
  propagation,
  trace,
  type Context,
  type Link,
  type SpanContext,
  type TextMapGetter,
} from '@opentelemetry/api'

type Meta = Readonly<Record<string, unknown>>

/**
 * Whose child a request's span is: of the span that `_meta` names, else of the active one. With both, the active one is
 * linked, because it belongs to the transport: https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/
 */
export function parentOf(meta: Meta): { readonly parent: Context; readonly links: Link[] } {
  const ambient = context.active()
  // The propagators that the application configured bring baggage and formats other than W3C's.
  const extracted = propagation.extract(ambient, meta, stringsOf)
  const remote = remoteSpan(meta)
  const parent = remote === undefined ? extracted : trace.setSpanContext(extracted, remote)
  const around = trace.getSpanContext(ambient)
  const chosen = trace.getSpanContext(parent)
  if (around === undefined || chosen === undefined || chosen.spanId === around.spanId) return { parent, links: [] }
  return { parent, links: [{ context: around }] }
}

const stringsOf: TextMapGetter<Meta> = {
  keys: (meta) => Object.keys(meta),
  get: (meta, key) => {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined
    return typeof value === 'string' ? value : undefined
  },
}

const traceParent = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/

// The specification asks for at least this much: https://www.w3.org/TR/trace-context/#tracestate-limits
const longestState = 512

/** `traceparent` and `tracestate` as W3C defines them; undefined when they are missing or malformed. */
function remoteSpan(meta: Meta): SpanContext | undefined {
  const header = stringsOf.get(meta, 'traceparent')
  const [, version, traceId, spanId, flags, more] = (typeof header === 'string' && traceParent.exec(header)) || []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  // Version 00 ends after the flags, later ones may go on, and ff is none.
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined
  const state = stringsOf.get(meta, 'tracestate')
  const span: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(typeof state === 'string' && { traceState: createTraceState(state.slice(0, longestState)) }),
  }
  return isSpanContextValid(span) ? span : undefined
}
