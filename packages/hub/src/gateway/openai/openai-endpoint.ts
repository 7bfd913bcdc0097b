import type { IncomingMessage, ServerResponse } from 'node:http'
import { HubError, type Principal, type Usage } from '@herma/contract'
import type { Admission, Entrance } from '../../access/index.ts'
import type { BufferBudget } from '@herma/framework/wire'
import type { Events } from '../../platform/events.ts'
import type { Log } from '../../platform/log.ts'
import { isObject, parseJson, readPathHeaders, sessionServer, type CallPath } from '../../wire/index.ts'
import { crossOriginHeaders } from '../transport/cross-origin.ts'
import type { Gatekeeper } from '../transport/http-server.ts'
import { beginOpenAiCall, type OpenAiRecord } from './openai-call.ts'
import { readOpenAiPath, type OpenAiPath } from './openai-path.ts'
import { toOpenAiProblem, type OpenAiProblem } from './openai-problem.ts'
import { OpenAiReply } from './openai-reply.ts'
import type { Rulings } from '../call/permission.ts'
import { readRequestBody } from '../transport/read-body.ts'
import { toHubError } from '../transport/refuse.ts'
import { requireJson } from '../transport/request-headers.ts'
import type { Servers } from '../server/servers.ts'
import { beginTrace, type TraceContext } from '../call/trace-context.ts'

/** Who answers; `session` fills it. */
export interface OpenAiSessions {
  /** Sessions that can be asked now. */
  models(): readonly { readonly name: string; readonly createdAt: Date }[]
  answer(call: {
    readonly api: 'chat.completions' | 'responses'
    readonly session: string
    readonly body: unknown
    readonly principal: Principal
    readonly isLocal: boolean
    readonly trace: TraceContext
    readonly cameBy: CallPath
    readonly signal: AbortSignal
    isBegun(): boolean
    send(frame: { readonly event?: string; readonly data: object | string }): void
    explain(error: unknown): OpenAiProblem['error']
    onRoute(route: string): void
  }): Promise<{
    readonly body: object | null
    readonly usage: Usage
    readonly costUsd: number | null
    readonly thread: string | null
  }>
  /** Whether work that failed has changed something. */
  hadEffect(error: unknown): boolean
}

export interface OpenAiEndpointOptions {
  readonly sessions: OpenAiSessions
  readonly gatekeeper: Gatekeeper
  readonly servers: Pick<Servers, 'entranceOf' | 'refusalOf'>
  readonly rulings: Pick<Rulings, 'check' | 'take'>
  readonly events: Events
  readonly log: Log
  readonly maxBodyBytes: number
  readonly buffers: BufferBudget
  /** What texts of errors pass. */
  redact(text: string): string
}

interface ServerRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly reply: OpenAiReply
  readonly trace: TraceContext
  readonly path: OpenAiPath
}

/** Somebody who is let in, and where. */
interface Guest {
  readonly principal: Principal
  readonly session: string
}

/** The sessions as models of OpenAI's APIs: existing clients use them unchanged, at `/v1` or `/v1/sessions/NAME`. */
export class OpenAiEndpoint {
  readonly #options: OpenAiEndpointOptions
  #running = 0

  constructor(options: OpenAiEndpointOptions) {
    this.#options = options
  }

  /** Requests under way. */
  get running(): number {
    return this.#running
  }

  handle(request: IncomingMessage, response: ServerResponse, path: string): void {
    if (request.headers.origin !== undefined) crossOriginHeaders(request, response)
    // A browser asks what it may send before it sends a key.
    if (request.method === 'OPTIONS') return void response.writeHead(204, ['Allow', 'GET, POST, OPTIONS']).end()
    const trace = beginTrace(request.headers['traceparent'])
    const reply = new OpenAiReply(response, ['X-Request-Id', trace.traceId])
    this.#handle(request, response, { reply, trace, path }).catch((error: unknown) => {
      // An unread body would be taken for the next request.
      request.resume()
      const known = toHubError(error)
      if (known.code === 'INTERNAL') this.#options.log.error('a request of an OpenAI client failed', { path, error })
      const { status, headers } = known instanceof RefusedRequest ? known : { status: undefined, headers: [] }
      const problem = this.#explain(known)
      reply.fail({ ...problem, status: status ?? problem.status }, headers)
    })
  }

  async #handle(
    request: IncomingMessage,
    response: ServerResponse,
    { reply, trace, path }: { reply: OpenAiReply; trace: TraceContext; path: string },
  ): Promise<void> {
    const place = readOpenAiPath(path)
    const named = place?.session ?? null
    // Who is nobody learns nothing about what there is, and cannot make us read what they send.
    await this.#admit(request, (named === null ? undefined : this.#entrance(named)) ?? loosest)
    if (place === null) throw unknownPath(path)
    const visit = { request, response, reply, trace, path: place }
    const isReading = place.api === 'models'
    if (isReading !== (request.method === 'GET' || request.method === 'HEAD'))
      throw wrongMethod(isReading ? 'GET' : 'POST', path)
    if (isReading) return await this.#sendModels(visit)
    requireJson(request.headers)
    await this.#run(visit, await this.#read(request))
  }

  async #sendModels({ request, reply, path }: ServerRequest): Promise<void> {
    request.resume()
    const asked = path.model ?? path.session
    const seen: object[] = []
    for (const { name, createdAt } of this.#options.sessions.models()) {
      if (asked !== null && name !== asked) continue
      if (!(await this.#mayUse(request, name))) continue
      seen.push({ id: name, object: 'model', created: Math.floor(createdAt.getTime() / 1000), owned_by: 'herma' })
    }
    if (asked !== null && seen.length === 0) throw noModel(asked)
    reply.whole(path.model === null ? { object: 'list', data: seen } : seen[0]!)
  }

  async #mayUse(request: IncomingMessage, session: string): Promise<boolean> {
    const entrance = this.#entrance(session)
    if (entrance === undefined) return false
    const admission = await this.#options.gatekeeper.admit(request, entrance)
    return !('refused' in admission) && this.#check(request, { principal: admission, session }).allowed
  }

  async #run(visit: ServerRequest, body: { value: Record<string, unknown>; bytes: number }): Promise<void> {
    const { request, response, reply, trace, path } = visit
    const session = path.session ?? readModel(body.value)
    const entrance = this.#entrance(session)
    if (entrance === undefined) throw noModel(session)
    const principal = await this.#admit(request, entrance)
    const { sessions, rulings, events } = this.#options
    const api = path.api as 'chat.completions' | 'responses'
    const record = beginOpenAiCall({ events, trace, principal, session, api, requestBytes: body.bytes })
    this.#running++
    let turn: ReturnType<Rulings['take']> | null = null
    const controller = new AbortController()
    const leave = () => controller.abort(new HubError('CANCELLED', 'The client left.'))
    response.once('close', leave)
    // It may have left while it was found out who it is.
    if (response.destroyed) leave()
    try {
      this.#require(request, { principal, session }, record)
      turn = rulings.take(principal, chatMethod)
      if ('refused' in turn)
        throw new HubError('RATE_LIMITED', turn.refused.message, { data: { retryAfterMs: turn.retryAfterMs } })
      // An answer may take as long as a model does, and a silent socket would be taken for a dead one.
      response.setTimeout(0)
      if (body.value['stream'] === true) reply.keepAlive()
      const result = await sessions.answer({
        api,
        session,
        body: body.value,
        principal,
        isLocal: this.#options.gatekeeper.isLocal(request),
        trace,
        cameBy: readPathHeaders(request.headers, () => trace.traceId),
        signal: controller.signal,
        isBegun: () => reply.isBegun,
        send: (frame) => reply.send(frame),
        explain: (error) => this.#explain(error).error,
        onRoute: (route) => record.routed(route),
      })
      if (result.body === null) reply.end()
      else reply.whole(result.body)
      record.finished(result, reply.bytes)
    } catch (error) {
      record.failed(error, { isCancelled: controller.signal.aborted, responseBytes: reply.bytes })
      throw error
    } finally {
      response.off('close', leave)
      this.#running--
      if (turn !== null && 'release' in turn) turn.release()
    }
  }

  /** Throws when the session is off, or a rule says no. */
  #require(request: IncomingMessage, guest: Guest, record: OpenAiRecord): void {
    const refusal = this.#options.servers.refusalOf(sessionServer(guest.session))
    if (refusal !== null) throw refusal
    const { allowed, why, rule } = this.#check(request, guest)
    if (allowed) return
    record.refused(why, rule)
    throw new HubError('FORBIDDEN', why)
  }

  #check(request: IncomingMessage, { principal, session }: Guest): ReturnType<Rulings['check']> {
    return this.#options.rulings.check({
      principal,
      server: sessionServer(session),
      method: chatMethod,
      target: session,
      arguments: undefined,
      loopback: this.#options.gatekeeper.isLocal(request),
      connector: undefined,
      original: undefined,
      annotations: undefined,
    })
  }

  #entrance(session: string): Entrance | undefined {
    return this.#options.servers.entranceOf(sessionServer(session))
  }

  async #admit(request: IncomingMessage, entrance: Entrance): Promise<Principal> {
    const admission: Admission = await this.#options.gatekeeper.admit(request, entrance)
    if (!('refused' in admission)) return admission
    const { refused, challenge } = admission
    throw new RefusedRequest(refused, challenge === undefined ? [] : ['WWW-Authenticate', challenge])
  }

  #read(request: IncomingMessage): Promise<{ value: Record<string, unknown>; bytes: number }> {
    const { maxBodyBytes: limit, buffers } = this.#options
    return new Promise((resolve, reject) => {
      request.once('close', () => reject(new HubError('CANCELLED', 'The client left.')))
      readRequestBody(request, { limit, buffers }, (error, body) => {
        try {
          if (error !== null) throw error
          const value = parseJson(body)
          if (!isObject(value)) throw new HubError('INVALID_REQUEST', 'The body must be a JSON object.')
          resolve({ value, bytes: body.length })
        } catch (problem) {
          reject(problem)
        }
      })
    })
  }

  #explain(error: unknown): OpenAiProblem {
    const problem = toOpenAiProblem(toHubError(error))
    const message = this.#options.redact(problem.error.message)
    const isTransient = problem.isTransient && !this.#options.sessions.hadEffect(error)
    return { ...problem, error: { ...problem.error, message }, isTransient }
  }
}

/** A refusal with headers of its own, and perhaps a status. */
class RefusedRequest extends HubError {
  readonly headers: readonly string[]
  readonly status: number | undefined

  constructor({ code, message, data }: HubError, headers: readonly string[], status?: number) {
    super(code, message, { data })
    this.headers = headers
    this.status = status
  }
}

function wrongMethod(method: string, path: string): HubError {
  return new RefusedRequest(new HubError('INVALID_REQUEST', `Use ${method} for ${path}.`), ['Allow', method], 405)
}

/** What rules and limits call a talk with a session. */
const chatMethod = 'session/chat'
/** Nobody who could not use any session gets further than this. */
const loosest: Entrance = {
  server: null,
  opens: 'locally',
  keyHeader: 'authorization',
  takesCookies: false,
  scopes: ['mcp', 'mcp:read'],
}

function readModel({ model }: Readonly<Record<string, unknown>>): string {
  if (typeof model === 'string' && model !== '') return model
  const text = '"model" must be the name of a session. See: GET /v1/models'
  throw new HubError('INVALID_PARAMS', text, { data: { param: 'model' } })
}

function noModel(name: string): HubError {
  const text = `No session is named ${JSON.stringify(name.slice(0, 100))}, or it is not for you. See: GET /v1/models`
  return new HubError('SESSION_NOT_FOUND', text)
}

function unknownPath(path: string): HubError {
  const text = `There is nothing at ${path.slice(0, 200)}. There are chat/completions, responses and models, below /v1 and /v1/sessions/NAME.`
  return new HubError('METHOD_NOT_FOUND', text)
}
