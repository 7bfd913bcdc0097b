import { HubError } from '@herma/contract'
import { ClearedMap } from '../platform/cleared-map.ts'
import {
  isRequest,
  metaOf,
  progressTokenOf,
  type Call,
  type Era,
  type Message,
  type NotificationMessage,
  type Params,
  type Question,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from '../wire/index.ts'
import type { Handshake } from './handshake.ts'
import { RequestCall } from './request-call.ts'
import type { LinkSettings } from './link-settings.ts'

/** A call under way on a link. */
export interface Pending {
  readonly id: number
  readonly call: Call
  readonly startedAt: number
  lastActivityAt: number
  /** Ends the call towards the server, as its transport does it. */
  cancel(reason: string): void
}

/** What a link tells the downstream that owns it. */
export interface LinkOwner {
  onNotification(message: NotificationMessage): void
  /** A question that belongs to no call; the owner may know whom to ask. */
  onQuestion(question: Question, signal: AbortSignal): Promise<Answer>
  /** The server certainly did not run this call: it may be sent again. */
  onUnsent(call: Call, cause: HubError): void
  onFinished(pending: Pending, error: HubError | null): void
  onClosed(link: Link, cause: HubError | null): void
  /** A remark for the downstream's log. */
  onRemark(text: string): void
}

export type Answer = Pick<ResponseMessage, 'result' | 'error'>

/** One live connection to an MCP server: a process, an HTTP session, or an event stream. */
export abstract class Link {
  readonly pending = new ClearedMap<number, Pending>()
  readonly owner: LinkOwner
  readonly settings: LinkSettings
  handshake: Handshake | null = null
  isClosed = false
  #lastId = 0
  readonly #questions = new Map<RequestId, AbortController>()

  constructor(settings: LinkSettings, owner: LinkOwner) {
    this.settings = settings
    this.owner = owner
  }

  get era(): Era {
    return this.handshake?.era ?? 'legacy'
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

  nextId(): number {
    return ++this.#lastId
  }

  /** A request of the hub's own. */
  request(method: string, params: Params | undefined, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call = new RequestCall(method, params, this.era, { resolve, reject })
      const timer = setTimeout(() => {
        call.giveUp(
          new HubError(
            'DOWNSTREAM_TIMEOUT',
            `'${this.settings.name}' did not answer ${method} within ${timeoutMs} ms.`,
          ),
        )
      }, timeoutMs)
      call.onEnd = () => clearTimeout(timer)
      this.send(call)
    })
  }

  protected finish(pending: Pending, error: HubError | null): void {
    if (!this.pending.delete(pending.id)) return
    this.owner.onFinished(pending, error)
  }

  /** Fails every call under way: the server may have run them, so none is sent again. */
  protected failPending(cause: HubError): void {
    for (const pending of this.pending.values()) {
      this.pending.delete(pending.id)
      this.owner.onFinished(pending, cause)
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
  protected receive(message: Message, related: Pending | null): void {
    if (isRequest(message)) return void this.#answerQuestion(message, related)
    if (!('method' in message)) {
      this.owner.onRemark(`ignored an answer to the unknown id ${JSON.stringify(message.id)}`)
      return
    }
    if (message.method === 'notifications/progress') return this.#passProgress(message)
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
    this.owner.onNotification(message)
  }

  #passProgress(message: NotificationMessage): void {
    const token = message.params?.['progressToken']
    const pending = typeof token === 'number' ? this.pending.get(token) : undefined
    if (pending === undefined) return
    pending.lastActivityAt = performance.now()
    const clientToken = progressTokenOf(metaOf(pending.call.params))
    if (clientToken === undefined) return
    pending.call.notify({ ...message, params: { ...message.params, progressToken: clientToken } })
  }

  async #answerQuestion(message: RequestMessage, related: Pending | null): Promise<void> {
    const { id, method, params } = message
    if (method === 'ping') return this.post({ jsonrpc: '2.0', id, result: {} })
    const controller = new AbortController()
    this.#questions.set(id, controller)
    const asked = related ?? this.attribute()
    if (asked !== null) asked.lastActivityAt = Number.POSITIVE_INFINITY
    let answer: Answer
    try {
      const question = { method, params }
      answer =
        asked === null
          ? await this.owner.onQuestion(question, controller.signal)
          : await asked.call.ask(question, controller.signal)
    } catch (error) {
      answer = {
        error: { code: -32603, message: error instanceof Error ? error.message : 'The question could not be asked.' },
      }
    }
    // While a person thinks, the call is not silent; its clock starts again with the answer.
    if (asked !== null) asked.lastActivityAt = performance.now()
    this.#questions.delete(id)
    if (!this.isClosed && !controller.signal.aborted) this.post({ jsonrpc: '2.0', id, ...answer })
  }

  /** The call that a question without a stream of its own belongs to, or null when that cannot be known. */
  protected attribute(): Pending | null {
    return null
  }
}

/** The message of an error with its code, where the message does not have it already. */
export function toErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = (error as NodeJS.ErrnoException).code
  return typeof code !== 'string' || error.message.includes(code) ? error.message : `${error.message} (${code})`
}
