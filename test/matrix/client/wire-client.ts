import { batchRevision, type Revision } from '../revision.ts'
import { AnsweredError, type Json, type Question, type RequestId, type WireMessage } from '../wire-message.ts'
import type { ClientTransport } from './client-transport.ts'
import { Inbox } from './inbox.ts'
import type { Answerer, Interest, RawClient, RequestOptions } from './matrix-client.ts'

export interface WireClientOptions {
  readonly name: string
  readonly revision: Revision
  readonly transport: ClientTransport
  /** What the client can be asked; everything of its revision unless told otherwise. */
  readonly capabilities: Json
}

interface Waiting {
  resolve(message: WireMessage): void
  reject(error: Error): void
}

interface Batch {
  readonly ids: ReadonlySet<unknown>
  resolve(messages: readonly WireMessage[]): void
  reject(error: Error): void
}

/** What the clients of both eras share: ids, answers, notifications and batches. */
export abstract class WireClient implements RawClient {
  readonly name: string
  readonly revision: Revision
  readonly inbox = new Inbox()
  readonly questions: Question[] = []
  capabilities: Json = {}
  protected readonly own: WireClientOptions
  protected readonly waiting = new Map<RequestId, Waiting>()
  #answerer: Answerer = () => {
    throw new Error('Nobody is there to answer.')
  }
  #batch: Batch | null = null
  #broken: Error | null = null

  constructor(options: WireClientOptions) {
    this.name = options.name
    this.revision = options.revision
    this.own = options
  }

  get transport() {
    return this.own.transport.kind
  }

  /** Shakes hands in the way of the era. */
  abstract connect(): Promise<void>
  abstract request(method: string, params?: Json, options?: RequestOptions): Promise<Json>
  abstract requestOnce(method: string, params?: Json, options?: RequestOptions): Promise<Json>
  abstract setLogLevel(level: string): Promise<void>
  abstract watch(interest: Interest): Promise<() => Promise<void>>
  /** Headers that every message of the era carries. */
  protected readonly batchHeaders: Record<string, string> = {}
  protected abstract onQuestion(message: WireMessage): void

  answerWith(answerer: Answerer): void {
    this.#answerer = answerer
  }

  forget(): void {
    this.inbox.clear()
    this.questions.length = 0
  }

  async sendBatch(messages: readonly WireMessage[]): Promise<readonly WireMessage[]> {
    const ids = new Set(messages.map(({ id }) => id))
    const answered = new Promise<readonly WireMessage[]>((resolve, reject) => {
      this.#batch = { ids, resolve, reject }
    })
    try {
      const [answers] = await Promise.all([answered, this.own.transport.send(messages, this.batchHeaders)])
      return answers
    } finally {
      this.#batch = null
    }
  }

  async close(): Promise<void> {
    await this.own.transport.close()
  }

  protected open(): Promise<void> {
    return this.own.transport.open({
      onMessage: (message) => this.#onMessage(message),
      onFailure: (id, error) => this.#onFailure(id, error),
    })
  }

  /** Sends a request and waits for its response. */
  protected async roundTrip(
    message: WireMessage & { id: RequestId },
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Json> {
    if (this.#broken !== null) throw this.#broken
    const { id } = message
    const answered = new Promise<WireMessage>((resolve, reject) => this.waiting.set(id, { resolve, reject }))
    const giveUp = () => {
      this.waiting.get(id)?.reject(new Error('The client gave up.'))
      this.waiting.delete(id)
      this.cancel(id)
    }
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      // Both are awaited together: an answer may come before the transport says that it sent.
      const [response] = await Promise.all([answered, this.own.transport.send(message, headers)])
      if (response.error !== undefined) throw new AnsweredError(response.error)
      return response.result ?? {}
    } finally {
      this.waiting.delete(id)
      signal?.removeEventListener('abort', giveUp)
    }
  }

  /** Tells the server that a request is not wanted any more. */
  protected cancel(requestId: RequestId): void {
    const params = { requestId, reason: 'the person pressed stop' }
    void this.own.transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {
      // Whoever waits for the effect of the cancellation reports that it never came.
    })
  }

  protected async answer(question: Question): Promise<Json> {
    this.questions.push(question)
    return this.#answerer(question)
  }

  #onMessage(message: WireMessage | readonly WireMessage[]): void {
    if (Array.isArray(message)) {
      if (this.#batch === null || this.revision !== batchRevision) this.#onFailure(null, new Error('A batch came.'))
      else this.#batch.resolve(message as readonly WireMessage[])
      return
    }
    const one = message as WireMessage
    if (one.method !== undefined) {
      if (one.id === undefined) this.inbox.push(one)
      else this.onQuestion(one)
      return
    }
    const waiting = this.waiting.get(one.id as RequestId)
    if (waiting !== undefined) waiting.resolve(one)
    // Over a shared channel the refusal of a batch can name no id.
    else if (this.#batch !== null && one.error !== undefined) this.#batch.reject(new AnsweredError(one.error))
  }

  #onFailure(id: RequestId | null, error: Error): void {
    if (id !== null) this.waiting.get(id)?.reject(error)
    if (this.#batch !== null && (id === null || this.#batch.ids.has(id))) this.#batch.reject(error)
    else if (id === null) {
      this.#broken = error
      for (const { reject } of this.waiting.values()) reject(error)
    }
  }
}
