import { HubError } from '@herma/contract'
import { ClearedMap } from '../../platform/cleared-map.ts'
import {
  isRequest,
  lacking,
  legacyRevisions,
  markMembers,
  progressTokenFor,
  readInputRequired,
  translateAnswer,
  type Answer,
  type Call,
  type Capabilities,
  type Era,
  type InputRequired,
  type Message,
  type NotificationMessage,
  type Params,
  type Question,
  type RequestId,
  type RequestMessage,
} from '../../wire/index.ts'
import { askerOf, Attribution } from '../supervision/attribution.ts'
import type { Handshake } from './handshake.ts'
import { RequestCall } from './request-call.ts'
import type { LinkSettings } from './link-settings.ts'

/** A call under way on a link. */
export interface Pending {
  readonly id: number
  readonly call: Call
  readonly startedAt: number
  lastActivityAt: number
  /** The highest progress that was passed on. */
  progress?: number
  /** Questions about it that wait for an answer; while a person thinks, a call is not silent. */
  asking: number
  /** Ends the call towards the server, as its transport does it. */
  cancel(reason: string): void
  /** The link has no more to do with the call. */
  onOver?(): void
}

/** How a server refused a request of the handshake. */
export interface HttpRefusal {
  readonly status: number
  /** Whether a JSON-RPC error came with it. */
  readonly isRpc: boolean
}

/** What a link tells the downstream that owns it. */
export interface LinkOwner {
  /** A notification that belongs to no call; `connectionId` is whom it concerns, where only one client is meant. */
  onNotification(message: NotificationMessage, connectionId: string | null): void
  /** A question that belongs to no call; the owner may know whom to ask. */
  onQuestion(question: Question, signal: AbortSignal): Promise<Answer>
  /** The server asks without saying for which call. */
  onStrayQuestion(): void
  /** The server asks a client that lacks this, because it was told that its client can do it. */
  onUnanswerable(missing: Capabilities): void
  /** A modern server wants input for the call of a legacy client. */
  onInputRequired(call: Call, input: InputRequired): void
  /** The server refused the call until a person signs in; it did not run. */
  onSignInRequired(call: Call, error: HubError): void
  /** The server certainly did not run this call: it may be sent again. */
  onUnsent(call: Call, cause: HubError): void
  onFinished(pending: Pending, error: HubError | null): void
  /** Something suggests that the server offers something else by now. */
  onDoubt(link: Link): void
  onClosed(link: Link, cause: HubError | null): void
  /** A remark for the downstream's log. */
  onRemark(text: string): void
}

/** Questions of a server that may wait for answers, and sign-in pages whose end it may report. */
const maxQuestions = 256

/** Requests that must not be cancelled: a server that hears of it may take the whole handshake for withdrawn. */
export const handshakeMethods: ReadonlySet<string> = new Set(['initialize', 'server/discover'])

const ambiguous =
  'Herma cannot tell which client this question is for: several had calls under way. From now on it keeps them apart. Try again, or set the option isolation=connection.'

/** One live connection to an MCP server: a process, an HTTP session, or an event stream. */
export abstract class Link {
  readonly pending = new ClearedMap<number, Pending>()
  readonly owner: LinkOwner
  readonly settings: LinkSettings
  handshake: Handshake | null = null
  isClosed = false
  /** What the server says of its tools was compared with what was approved, so that calls of them may go out. */
  isCleared = false
  /** When a legacy server was last asked whether it lives, and when it last said so. */
  readonly pings = { isUnderWay: false, askedAt: 0, answeredAt: 0 }
  /** Why there was no handshake, where HTTP says so. */
  refusal: HttpRefusal | null = null
  #lastId = 0
  readonly #questions = new Map<RequestId, AbortController>()
  protected readonly attribution = new Attribution(this.pending)
  /** The server has asked before without saying for which call. */
  #hasStrayed = false
  /** Questions that came without a call, with their client; they end with its last call. */
  readonly #strays = new Map<AbortController, unknown>()
  /** Whom a server sent to a page, by the id that it will report. */
  readonly #elicitations = new Map<unknown, string>()

  constructor(settings: LinkSettings, owner: LinkOwner) {
    this.settings = settings
    this.owner = owner
  }

  get era(): Era {
    return this.handshake?.era ?? 'legacy'
  }

  /** Whether parameters of tools go into headers too. */
  get mirrorsParams(): boolean {
    return false
  }

  /** Process of the server, where it is ours. */
  get processId(): number | null {
    return null
  }

  /** Connects and shakes hands. Rejects with a HubError that says what failed. */
  abstract open(knownEra: Era | null): Promise<void>
  abstract send(call: Call): void
  abstract post(message: Message): void
  /** Tells the server which resources to report changes of. */
  abstract subscribe(uris: ReadonlySet<string>, added: string | null, removed: string | null): void
  abstract close(): Promise<void>

  /** Takes no more calls; those under way may still be answered where the transport lets them. */
  retire(): Promise<void> {
    return this.close()
  }

  nextId(): number {
    return ++this.#lastId
  }

  /** A request of the hub's own. A signal ends it when its answer is of no use any more. */
  request(method: string, params: Params | undefined, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call = new RequestCall(method, params, this.era, { resolve, reject })
      const giveUp = (why: string) => call.giveUp(new HubError('DOWNSTREAM_TIMEOUT', `'${this.settings.name}' ${why}`))
      const timer = setTimeout(() => giveUp(`did not answer ${method} within ${timeoutMs} ms.`), timeoutMs)
      const drop = () => giveUp(`was not waited for: ${method}`)
      signal?.addEventListener('abort', drop, { once: true })
      call.onEnd = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', drop)
      }
      this.send(call)
    })
  }

  /** Tells a legacy server which resource to report changes of. */
  protected changeSubscription(added: string | null, removed: string | null): void {
    const change = (method: string, uri: string) => {
      this.request(method, { uri }, this.settings.options.handshakeTimeoutMs).catch((error: Error) =>
        this.owner.onRemark(`${method} ${uri}: ${error.message}`),
      )
    }
    if (added !== null) change('resources/subscribe', added)
    if (removed !== null) change('resources/unsubscribe', removed)
  }

  /** The call needs this link no more: it was answered, failed, or was given up. */
  finish(pending: Pending, error: HubError | null): void {
    if (!this.pending.delete(pending.id)) return
    pending.onOver?.()
    if (this.attribution.isWaiting) this.attribution.look()
    for (const [ended, asker] of this.#strays) if (!this.#isBusyWith(asker)) ended.abort(new Error('The call is over.'))
    this.owner.onFinished(pending, error)
  }

  /** Passes the answer of a server on, or sees to the input that it wants first. */
  answer(pending: Pending, bytes: Buffer): void {
    this.finish(pending, null)
    const { call } = pending
    const input = this.era === 'modern' && call.caller.era === 'legacy' ? readSafely(bytes) : null
    if (input === null) call.respond(bytes, pending.id, this.era)
    else {
      if (pending.progress !== undefined) call.progressFloor = pending.progress
      this.owner.onInputRequired(call, input)
    }
  }

  /** Fails every call under way: the server may have run them, so none is sent again. */
  protected failPending(cause: HubError): void {
    for (const pending of this.pending.values()) {
      this.finish(pending, cause)
      pending.call.fail(cause)
    }
    for (const controller of this.#questions.values()) controller.abort(cause)
    this.#questions.clear()
  }

  /** The server did not see this call. A handshake has its own way to start again; any other call may be sent again. */
  unsent(call: Call, cause: HubError): void {
    if (this.handshake === null) call.fail(cause)
    else this.owner.onUnsent(call, cause)
  }

  /** Handles what is not an answer. `related` is the call whose stream it came on, where the transport can tell. */
  receive(message: Message, related: Pending | null): void {
    if (isRequest(message)) return void this.#answerQuestion(message, related)
    if (!('method' in message)) {
      if (this.attribution.answered(message.id)) return
      this.owner.onRemark(`ignored an answer to the unknown id ${JSON.stringify(message.id)}`)
      return
    }
    if (message.method === 'notifications/progress') return this.#passProgress(message)
    if (message.method === 'notifications/elicitation/complete') return this.#passCompletion(message)
    if (message.method === 'notifications/cancelled') {
      const id = message.params?.['requestId'] as RequestId
      this.#questions.get(id)?.abort(new HubError('DOWNSTREAM_FAILED', 'The server withdrew its question.'))
      return
    }
    if (
      related !== null &&
      !message.method.endsWith('/list_changed') &&
      message.method !== 'notifications/resources/updated'
    ) {
      related.lastActivityAt = performance.now()
      related.call.notify(message)
      return
    }
    // Whose call it is about is not known: it may be any, so none of them is silent.
    if (message.method === 'notifications/message') this.#noteLife()
    this.owner.onNotification(message, null)
  }

  #noteLife(): void {
    const now = performance.now()
    for (const pending of this.pending.values()) pending.lastActivityAt = now
  }

  /** Concerns the client that was sent to the page; a modern one learns it by asking again. */
  #passCompletion(message: NotificationMessage): void {
    const id = message.params?.['elicitationId']
    const connectionId = this.#elicitations.get(id)
    if (connectionId === undefined) return
    this.#elicitations.delete(id)
    this.owner.onNotification(message, connectionId)
  }

  #passProgress(message: NotificationMessage): void {
    const token = message.params?.['progressToken']
    const pending = typeof token === 'number' ? this.pending.get(token) : undefined
    if (pending === undefined) return
    pending.lastActivityAt = performance.now()
    const clientToken = progressTokenFor(pending.call)
    if (clientToken === undefined) return
    const progress = Number(message.params?.['progress'])
    if (progress <= (pending.call.progressFloor ?? Number.NEGATIVE_INFINITY)) return
    pending.progress = progress
    pending.call.notify({ ...message, params: { ...message.params, progressToken: clientToken } })
  }

  async #answerQuestion(message: RequestMessage, related: Pending | null): Promise<void> {
    markMembers(message)
    const { id, method, params } = message
    if (method === 'ping') return this.post({ jsonrpc: '2.0', id, result: {} })
    if (this.#questions.size >= maxQuestions) {
      const error = { code: -32603, message: `${maxQuestions} questions wait for answers, the limit.` }
      return this.post({ jsonrpc: '2.0', id, error })
    }
    const controller = new AbortController()
    this.#questions.set(id, controller)
    const answer = await this.#ask({ method, params }, related, controller.signal).catch((error: unknown): Answer => ({
      error: { code: -32603, message: toErrorText(error) },
    }))
    this.#questions.delete(id)
    if (this.hasEnded || controller.signal.aborted) return
    const { result } = answer
    const said = result === undefined ? answer : { result: translateAnswer(method, result, this.#revision) }
    this.post({ jsonrpc: '2.0', id, ...said })
  }

  async #ask(question: Question, related: Pending | null, signal: AbortSignal): Promise<Answer> {
    const asked = related ?? (await this.#attribute(signal))
    if (asked === 'unclear') return { error: { code: -32603, message: ambiguous } }
    if (asked === null) return this.owner.onQuestion(question, signal)
    const { connectionId, capabilities } = asked.call.caller
    const missing = lacking(question.method, question.params, capabilities)
    if (missing !== null && lacking(question.method, question.params, this.settings.capabilities) === null)
      this.owner.onUnanswerable(missing)
    const elicitationId = question.params?.['elicitationId']
    if (elicitationId !== undefined && connectionId !== null && this.#elicitations.size < maxQuestions)
      this.#elicitations.set(elicitationId, connectionId)
    const asker = askerOf(asked.call)
    // A question without a call of its own may be about any call of its client.
    const waiting = related === null ? this.#callsOf(asker) : [related]
    for (const pending of waiting) pending.asking++
    const ended = new AbortController()
    if (related === null) this.#strays.set(ended, asker)
    try {
      const withdrawn = AbortSignal.any([signal, ended.signal])
      return await asked.call.ask({ ...question, isStray: related === null }, withdrawn)
    } finally {
      this.#strays.delete(ended)
      for (const pending of waiting) {
        pending.asking--
        pending.lastActivityAt = performance.now()
      }
    }
  }

  /** The call that a question belongs to that does not say. The first one may wait; from then on clients are apart. */
  async #attribute(signal: AbortSignal): Promise<Pending | null | 'unclear'> {
    // What is asked while nobody calls, as at the start, is asked of nobody, and no reason to keep clients apart.
    if (this.askers().size === 0) return null
    const isFirst = !this.#hasStrayed
    this.#hasStrayed = true
    this.owner.onStrayQuestion()
    // A server that never asked before does not begin with a call that was given up.
    const askers = isFirst ? this.attribution.askersUnderWay() : this.askers()
    if (askers.size <= 1) return this.attribution.newest()
    if (isFirst && (await this.attribution.clear(signal))) return this.attribution.newest()
    this.attribution.refuseWaiting()
    return 'unclear'
  }

  #callsOf(asker: unknown): Pending[] {
    return [...this.pending.values()].filter(({ call }) => askerOf(call) === asker)
  }

  #isBusyWith(asker: unknown): boolean {
    return this.#callsOf(asker).length > 0
  }

  /** Everybody whom a question without a call of its own may be for. */
  askers(): Set<unknown> {
    return this.attribution.askers()
  }

  /** Our side has no more use for the call; the server may still work on it. */
  giveUp(pending: Pending): void {
    if (this.era === 'legacy') this.attribution.givenUp(pending)
    this.finish(pending, null)
  }

  get #revision(): string {
    return this.handshake?.revision ?? legacyRevisions[0]
  }

  /** True when nothing can be sent any more. */
  get hasEnded(): boolean {
    return this.isClosed
  }
}

// What is no JSON is told by whoever takes the answer.
function readSafely(bytes: Buffer): InputRequired | null {
  try {
    return readInputRequired(bytes)
  } catch {
    return null
  }
}

/** The message of an error with its code, where the message does not have it already. */
export function toErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = error instanceof HubError ? undefined : (error as NodeJS.ErrnoException).code
  return typeof code !== 'string' || error.message.includes(code) ? error.message : `${error.message} (${code})`
}
