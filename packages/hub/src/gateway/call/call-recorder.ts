import type { Capture } from '@herma/contract'
import type { EventOutcome, Events, HubEvent } from '../../platform/events.ts'
import { metaOf, type Answer, type Outcome, type Pieces, type Question } from '../../wire/index.ts'
import type { Exchange } from './exchange.ts'
import { beginTrace, isTraceParent, toTraceParent, type TraceContext } from './trace-context.ts'

export interface CallRecorderOptions {
  readonly events: Events
  /** What is recorded of a server; from memory. */
  captureOf(server: string): Capture
  /** `mcp:stdio` and the like, for the connector that answered. */
  routeOf(connectorId: string): string
  /** Whether servers hear which trace a call belongs to though its client named none. */
  propagates(): boolean
  readonly masks: BodyMasks
}

/** Masks secrets before a body is cut: of half a secret nobody would know that it is one. */
export interface BodyMasks {
  redactValue(value: unknown): unknown
  /** For texts that come in pieces. */
  createStream(): { push(piece: string): string }
}

/** A call inside of a call. */
export interface RecordedStep extends Pick<
  HubEvent,
  'at' | 'connector' | 'method' | 'target' | 'ms' | 'outcome' | 'errorCode'
> {
  readonly connectorId: string
}

const nothing: HubEvent['data'] = {}

/** Tells what happened to the requests of clients. One event for each is the rule; messages are told where people want them. */
export class CallRecorder {
  readonly #options: CallRecorderOptions

  constructor(options: CallRecorderOptions) {
    this.#options = options
  }

  begin(exchange: Exchange): void {
    const meta = metaOf(exchange.params)
    const given = meta?.['traceparent'] ?? exchange.headers['traceparent']
    const capture = this.#options.captureOf(exchange.caller.server)
    const isVerbose = capture.level === 'messages' || capture.level === 'bodies'
    const isSampled = isVerbose && (capture.sample >= 1 || Math.random() < capture.sample)
    // What is no traceparent is none of ours to mend: it passes as it is.
    if (isTraceParent(given) || this.#options.propagates()) this.#propagate(exchange, beginTrace(given))
    if (!isSampled) return
    exchange.capture = capture
    const body = capture.level === 'bodies' ? this.#body({ params: exchange.params }, capture) : {}
    this.#tell('message.received', exchange, { ...body, client: exchange.caller.clientInfo })
  }

  /** https://modelcontextprotocol.io/specification/2026-07-28/basic#opentelemetry-trace-context */
  #propagate(exchange: Exchange, trace: TraceContext): void {
    exchange.trace = trace
    exchange.traceparent = toTraceParent(trace)
    const { params } = exchange
    exchange.params = { ...params, _meta: { ...metaOf(params), traceparent: exchange.traceparent } }
  }

  traceOf(exchange: Exchange): TraceContext {
    return traceOf(exchange)
  }

  /** A server was chosen. Only told where messages are. */
  routed(exchange: Exchange, why: Record<string, unknown>): void {
    if (exchange.capture !== null) this.#tell('route.chosen', exchange, why)
  }

  /** A call that the hub made while it ran a tool of its own. */
  step(exchange: Exchange, { connectorId, ...step }: RecordedStep): void {
    const { spanId, parentId: _, ...context } = this.#contextOf(exchange)
    const child = beginTrace(toTraceParent({ traceId: context.traceId, spanId, parentId: undefined }))
    this.#options.events.record({
      ...context,
      ...step,
      kind: 'step.finished',
      spanId: child.spanId,
      parentId: spanId,
      route: this.#options.routeOf(connectorId),
      data: nothing,
    })
  }

  part(exchange: Exchange, message: object): void {
    const { capture } = exchange
    if (capture === null) return
    if (capture.level !== 'bodies') return this.#tell('part.sent', exchange, nothing)
    this.#tell('part.sent', exchange, this.#body({ message: this.#join(exchange, message) }, capture))
  }

  sent(exchange: Exchange, { head, body, tail }: Pieces): void {
    const { capture } = exchange
    if (capture === null) return
    const text = capture.level === 'bodies' ? head + (body?.toString('utf8') ?? '') + tail : null
    this.#tell('message.sent', exchange, text === null ? nothing : this.#body({ message: readJson(text) }, capture))
  }

  async question(exchange: Exchange, question: Question, asked: Promise<Answer>): Promise<Answer> {
    const isWhole = exchange.capture?.level === 'bodies'
    const { method, params } = question
    this.#tell('question.asked', exchange, { question: method, ...(isWhole && { params }) })
    const answer = await asked
    const outcome = answer.error === undefined ? 'ok' : 'error'
    this.#tell('question.answered', exchange, { question: method, outcome, ...(isWhole && { answer }) })
    return answer
  }

  refused(exchange: Exchange, why: string, rule: string | null): void {
    this.#tell('access.refused', exchange, { why, rule })
  }

  /** On the hot path: one object, always of the same shape. */
  end(exchange: Exchange, outcome: Outcome): void {
    const { runner, caller, target, bytes, responseBytes } = exchange
    const { traceId, spanId, parentId } = traceOf(exchange)
    this.#options.events.record({
      kind: 'call.finished',
      at: exchange.startedAt,
      connector: runner === null ? null : runner.connector,
      traceId,
      spanId,
      parentId,
      principal: caller.principal,
      server: caller.server,
      connection: caller.connectionId ?? undefined,
      session: undefined,
      thread: undefined,
      route: runner === null ? undefined : this.#routeOf(runner.connectorId),
      transport: exchange.transport,
      era: caller.era,
      method: exchange.method,
      target: typeof target === 'string' ? target : undefined,
      requestBytes: bytes ?? undefined,
      responseBytes: responseBytes > 0 ? responseBytes : undefined,
      ms: performance.now() - exchange.begunAt,
      outcome: outcomeOf(exchange, outcome),
      errorCode: exchange.errorCode ?? undefined,
      data: exchange.errorText === null ? nothing : { error: exchange.errorText },
    })
  }

  /** A body beyond the limit is left out, but for its length and its begin. */
  #body(body: Record<string, unknown>, { maxBodyBytes }: Capture): Record<string, unknown> {
    const masked = this.#options.masks.redactValue(body) as Record<string, unknown>
    const text = JSON.stringify(masked)
    return text.length <= maxBodyBytes ? masked : { truncated: text.slice(0, maxBodyBytes), length: text.length }
  }

  /** What a server tells in pieces is masked as the one text that it is. */
  #join(exchange: Exchange, message: object): object {
    const { params } = message as { params?: Record<string, unknown> }
    const text = params?.['message']
    if (typeof text !== 'string') return message
    const pieces = (exchange.pieces ??= this.#options.masks.createStream())
    return { ...message, params: { ...params, message: pieces.push(text) } }
  }

  #routeOf(connectorId: string): string {
    return connectorId === '' ? 'own' : this.#options.routeOf(connectorId)
  }

  #contextOf(exchange: Exchange) {
    const { traceId, spanId, parentId } = traceOf(exchange)
    const { caller, target } = exchange
    return {
      traceId,
      spanId,
      ...(parentId !== undefined && { parentId }),
      principal: caller.principal,
      server: caller.server,
      ...(caller.connectionId !== null && { connection: caller.connectionId }),
      method: exchange.method,
      ...(typeof target === 'string' && { target }),
    }
  }

  #tell(kind: string, exchange: Exchange, data: Record<string, unknown>): void {
    const context = this.#contextOf(exchange)
    this.#options.events.emit(kind, exchange.runner?.connector ?? null, data, context)
  }
}

function traceOf(exchange: Exchange): TraceContext {
  return (exchange.trace ??= beginTrace(undefined))
}

function outcomeOf({ errorCode, isToolError }: Exchange, outcome: Outcome): EventOutcome {
  if (outcome === 'cancelled') return 'cancelled'
  if (errorCode === 'FORBIDDEN' || errorCode === 'RATE_LIMITED') return 'refused'
  if (isToolError) return 'tool-error'
  return errorCode !== null || outcome === 'failed' ? 'error' : 'ok'
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // What a server sent broken is worth seeing as it is.
    return text
  }
}
