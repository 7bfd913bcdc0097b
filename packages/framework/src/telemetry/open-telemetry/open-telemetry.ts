import {
  context,
  metrics,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type MeterProvider,
  type Span,
  type TracerProvider,
} from '@opentelemetry/api'
import { ConfigError } from '../../protocol/errors.ts'
import { on, type Events } from '../events.ts'
import { spanAttributes, spanName } from './operation-attributes.ts'
import { operationMetrics } from './operation-metrics.ts'
import { errorTypeOf } from '../outcome.ts'
import { cut, recordableArguments } from '../redact.ts'
import { installSpanRunner, removeSpanRunner, setSpan, type SpanRunner } from '../span.ts'
import { parentOf } from './trace-parent.ts'

/** Where spans and metrics go, and what they tell. */
export interface OpenTelemetryOptions {
  /** Instead of the globally registered one. */
  readonly tracerProvider?: TracerProvider
  /** Instead of the globally registered one. */
  readonly meterProvider?: MeterProvider
  /** Writes the arguments of tools into spans, cut to 4096 characters and without what is named like a secret. */
  readonly recordArguments?: boolean
  /** Puts the URI of a resource into the name of its span. There may be any number of URIs. */
  readonly resourceUriInName?: boolean
}

const scope = '@herma/framework'
const longestArguments = 4096
const longestMessage = 1024

/**
 * Turns the events of every server in this process into spans and metrics with the semantic conventions of MCP. Call it
 * after the OpenTelemetry SDK has started: a meter that was asked for earlier stays silent.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): { stop(): void } {
  const tracer = (options.tracerProvider ?? trace).getTracer(scope)
  const measure = operationMetrics((options.meterProvider ?? metrics).getMeter(scope))
  const live = new WeakMap<object, { readonly span: Span; readonly within: Context }>()

  const runWithin: SpanRunner = (key, run) => {
    const request = live.get(key)
    return request === undefined ? run() : context.with(request.within, run)
  }
  if (!installSpanRunner(runWithin)) {
    throw new ConfigError('openTelemetry() is installed already.', 'Call stop() of the first one before the second.')
  }

  const ends = [
    on('mcp.request.start', (event) => {
      const { parent, links } = parentOf(event.meta)
      const attributes = { ...spanAttributes(event), ...argumentsOf(event, options) }
      const name = spanName(event, options.resourceUriInName === true)
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes, links }, parent)
      live.set(event.key, { span, within: trace.setSpan(parent, span) })
      setSpan(event.key, span)
    }),
    on('mcp.request.end', (event) => {
      const request = live.get(event.key)
      measure.served(event, request?.within)
      // A request that began before the bridge has no span.
      if (request === undefined) return
      describeEnd(request.span, event)
      request.span.end()
    }),
    on('mcp.client.request', (event) => {
      measure.asked(event)
      const startTime = Date.now() - event.ms
      const attributes = spanAttributes(event)
      const span = tracer.startSpan(spanName(event, false), { kind: SpanKind.CLIENT, attributes, startTime })
      describeEnd(span, event)
      span.end()
    }),
    on('mcp.connection.closed', (event) => measure.closed(event)),
  ]
  return {
    stop() {
      for (const end of ends.splice(0)) end()
      removeSpanRunner(runWithin)
    },
  }
}

function argumentsOf(event: Events['mcp.request.start'], options: OpenTelemetryOptions): Attributes {
  if (options.recordArguments !== true || event.method !== 'tools/call' || event.arguments === undefined) return {}
  return { 'gen_ai.tool.call.arguments': recordableArguments(event.arguments, longestArguments) }
}

function describeEnd(span: Span, event: Events['mcp.request.end'] | Events['mcp.client.request']): void {
  const type = errorTypeOf(event)
  if (type === undefined) return
  span.setAttribute('error.type', type)
  const { failure } = event
  if (failure?.code !== undefined) span.setAttribute('rpc.response.status_code', String(failure.code))
  if (failure?.reference !== undefined) span.setAttribute('herma.error.reference', failure.reference)
  const { error } = failure ?? {}
  const message = error instanceof Error ? cut(error.message, longestMessage) : undefined
  span.setStatus({ code: SpanStatusCode.ERROR, message })
  if (error instanceof Error) span.recordException(error)
}
