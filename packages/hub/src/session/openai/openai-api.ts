import { randomBytes } from 'node:crypto'
import { HubError, type Principal, type Usage } from '@herma/contract'
import type { Metric } from '../../platform/metric/metrics.ts'
import type { CallPath, WorkContext } from '../../wire/index.ts'
import type { StoredSession } from '../store.ts'
import type { ThreadStore } from '../thread/store.ts'
import { hadEffect } from '../work/had-effect.ts'
import { hasPlace } from '../work/open-place.ts'
import type { WorkEvent, WorkRequest, WorkResult } from '../work/types.ts'
import { AnswerText } from './answer-text.ts'
import { ChatForm } from './chat-form.ts'
import { readChatRequest } from './chat-request.ts'
import { Responses, type OpenResponse } from './responses.ts'
import { ResponsesForm } from './responses-form.ts'
import { readResponsesBody, toResponsesRequest } from './responses-request.ts'
import type { AnswerForm, OpenAiFrame, OpenAiError, OpenAiRequest } from './types.ts'

interface ManagerOptions {
  readonly store: ThreadStore
  sessions(): readonly StoredSession[]
  /** Throws when there is none, or it cannot work. */
  session(name: string): StoredSession
  workContextFor(
    call: Pick<OpenAiCall, 'principal' | 'session' | 'signal' | 'trace' | 'isLocal' | 'cameBy'>,
  ): WorkContext
  work(request: WorkRequest): Promise<WorkResult>
  /** Without the secrets that the hub knows. */
  redact<T>(value: T): T
}

/** A request of a client of one of OpenAI's APIs, who may do this. */
export interface OpenAiCall {
  readonly api: 'chat.completions' | 'responses'
  readonly session: string
  readonly body: unknown
  readonly principal: Principal
  readonly isLocal: boolean
  readonly trace: { readonly traceId: string; readonly spanId: string }
  /** The servers that the request has passed. */
  readonly cameBy: CallPath
  readonly signal: AbortSignal
  /** Whether the client has got a part of the answer, so that it cannot be told otherwise of a failure. */
  isBegun(): boolean
  send(frame: OpenAiFrame): void
  explain(error: unknown): OpenAiError
  onRoute(route: string): void
}

export interface OpenAiResult {
  /** Null when it was sent as events. */
  readonly body: object | null
  readonly usage: Usage
  readonly costUsd: number | null
  readonly thread: string | null
}

/** A request that was read. */
interface Asked {
  readonly request: OpenAiRequest
  readonly form: AnswerForm
  readonly response: OpenResponse | null
}

const maxRunning = 1000

/** Sessions for clients of OpenAI's APIs. A turn ends when its client leaves. */
export class OpenAiApi {
  readonly #parts: ManagerOptions
  readonly #responses: Responses
  readonly #running = new Map<Promise<unknown>, AbortController>()
  readonly metrics: readonly Metric[] = [
    {
      name: 'openai_turns_running',
      help: 'Turns under way for clients of the OpenAI APIs.',
      kind: 'gauge',
      read: () => this.#running.size,
    },
  ]

  constructor(parts: ManagerOptions) {
    this.#parts = parts
    this.#responses = new Responses(parts)
  }

  /** Sessions that can be asked now, as models. */
  models(): { name: string; createdAt: Date }[] {
    return this.#parts.sessions().filter(({ enabled }) => enabled)
  }

  hadEffect(error: unknown): boolean {
    return hadEffect(error)
  }

  /** Answers a request, in events where it wants them. When it settles, nothing of the turn goes on. */
  async answer(call: OpenAiCall): Promise<OpenAiResult> {
    if (this.#running.size >= maxRunning)
      throw new HubError('OVERLOADED', `${maxRunning} turns are under way, the limit. Try again later.`)
    const controller = new AbortController()
    const signal = AbortSignal.any([call.signal, controller.signal])
    const end = this.#answer({ ...call, signal })
    this.#running.set(end, controller)
    try {
      return await end
    } finally {
      this.#running.delete(end)
    }
  }

  /** Ends every turn; nothing of them is kept. */
  async stop(): Promise<void> {
    for (const controller of this.#running.values()) controller.abort(new HubError('CANCELLED', 'The hub stops.'))
    await Promise.allSettled(this.#running.keys())
  }

  async #answer(call: OpenAiCall): Promise<OpenAiResult> {
    const session = this.#parts.session(call.session)
    const asked = call.api === 'responses' ? await this.#readResponses(call, session) : readChat(call, session)
    try {
      return await this.#run(call, session, asked)
    } finally {
      await asked.response?.close()
    }
  }

  async #readResponses(call: OpenAiCall, session: StoredSession): Promise<Asked> {
    const body = readResponsesBody(call.body)
    const response = await this.#responses.open({ session, principal: call.principal }, body)
    try {
      const request = toResponsesRequest(body, response.before)
      const head = { id: response.id, createdAt: seconds(), model: session.name, asked: body }
      return { request, form: new ResponsesForm(head), response }
    } catch (error) {
      await response.close()
      throw error
    }
  }

  async #run(call: OpenAiCall, session: StoredSession, asked: Asked): Promise<OpenAiResult> {
    const { request, form, response } = asked
    const text = new AnswerText(request.responseSchema !== undefined)
    const workContext = this.#parts.workContextFor(call)
    const stream = request.isStream ? new Stream(form, call) : null
    try {
      const work = toWork(session, asked, workContext)
      const result = await this.#parts.work({
        ...work,
        onBegin: (route) => call.onRoute(route),
        onEvent: (event) => {
          const piece = text.take(event)
          stream?.take(event, piece)
        },
      })
      await response?.keep(request.messages, result, workContext.traceId)
      const last = text.end(result)
      const answer = { text: text.text, result }
      stream?.end(last, () => form.end(answer))
      const { usage, costUsd } = result
      return { body: stream === null ? form.whole(answer) : null, usage, costUsd, thread: response?.thread ?? null }
    } catch (error) {
      // Who has heard a part of the answer, or a sign of life, can only be told in its stream.
      if (call.isBegun()) stream?.end('', () => form.fail(call.explain(error)))
      throw error
    }
  }
}

function readChat(call: OpenAiCall, session: StoredSession): Asked {
  const request = readChatRequest(call.body)
  const id = `chatcmpl-${randomBytes(16).toString('hex')}`
  const head = { id, created: seconds(), model: session.name, includesUsage: request.includesUsage }
  return { request, form: new ChatForm(head), response: null }
}

function toWork(
  session: StoredSession,
  { request, response }: Asked,
  workContext: WorkContext,
): Omit<WorkRequest, 'onEvent'> {
  const { clientTools, settings, responseSchema, instructions } = request
  if (settings.toolChoice !== undefined && (session.provider === 'command' || session.provider === 'mcp')) {
    const text = `'${session.name}' cannot use tools of its client, so that none can be demanded. Leave out tool_choice.`
    throw new HubError('CAPABILITY_MISSING', text, { data: { param: 'tool_choice' } })
  }
  const place = {}
  return {
    session,
    ability: 'chat',
    input: { text: lastText(request), fields: {} },
    messages: [...(response?.before ?? []), ...request.messages],
    extraInstructions: instructions,
    workContext,
    place,
    needs: hasPlace(session, place) ? 'write' : 'none',
    thread: response?.thread ?? null,
    clientTools,
    responseSchema,
    settings,
  }
}

/** What the user said last, by which routes are chosen. */
function lastText({ messages }: OpenAiRequest): string {
  const said = messages.findLast(({ role }) => role === 'user')?.parts ?? []
  return said.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function seconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** An answer on its way. It begins late, because a failure before it has a status that clients understand. */
class Stream {
  readonly #form: AnswerForm
  readonly #call: OpenAiCall
  #isBegun = false

  constructor(form: AnswerForm, call: OpenAiCall) {
    this.#form = form
    this.#call = call
  }

  take({ type }: WorkEvent, piece: string): void {
    if (type !== 'retry' && type !== 'warning') this.#begin()
    if (piece !== '') this.#send(this.#form.text(piece))
  }

  /** Frames are numbered as they are made, so the last ones are made last. */
  end(piece: string, last: () => readonly OpenAiFrame[]): void {
    this.#begin()
    if (piece !== '') this.#send(this.#form.text(piece))
    this.#send(last())
  }

  #begin(): void {
    if (this.#isBegun) return
    this.#isBegun = true
    this.#send(this.#form.begin())
  }

  #send(frames: readonly OpenAiFrame[]): void {
    for (const frame of frames) this.#call.send(frame)
  }
}
