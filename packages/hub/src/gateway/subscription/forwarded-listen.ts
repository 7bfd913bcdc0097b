import type { HubError } from '@herma/contract'
import {
  isObject,
  metaKeys,
  WholeAnswerCall,
  type Answer,
  type Caller,
  type Meta,
  type NotificationMessage,
  type Params,
  type RpcError,
} from '../../wire/index.ts'

interface ForwardOptions {
  readonly caller: Caller
  /** The part of the client's filter that we do not know, as an extension defines it. */
  readonly wanted: Params
  readonly meta: Meta
  onNotification(message: NotificationMessage): void
  /** Called once: what the server agreed to send, or nothing when it refused. */
  onSettled(agreed: Params): void
}

/** A `subscriptions/listen` at one server on behalf of one client, for what only extensions know, such as tasks. */
export class ForwardedListen extends WholeAnswerCall {
  readonly #options: ForwardOptions
  #isSettled = false

  constructor(options: ForwardOptions) {
    const params = { notifications: options.wanted, _meta: options.meta }
    super('subscriptions/listen', params, options.caller)
    this.#options = options
  }

  override notify(message: NotificationMessage): boolean {
    if (message.method === 'notifications/subscriptions/acknowledged') {
      const agreed = message.params?.['notifications']
      this.#settle(isObject(agreed) ? agreed : {})
    } else if (!this.isDone) this.#options.onNotification(withoutSubscription(message))
    return true
  }

  /** The client listens no more. */
  stop(): void {
    if (this.isDone) return
    this.#end()
    this.runner?.cancel('the client closed its stream')
  }

  respond(): void {
    this.#end()
  }

  // A server that is away or knows nothing of the extension has nothing to tell; the client's other demands stand.
  fail(_error: HubError): void {
    this.#end()
  }

  failWith(_error: RpcError): void {
    this.#end()
  }

  ask(): Promise<Answer> {
    return Promise.resolve({ error: { code: -32601, message: 'A listening client cannot be asked.' } })
  }

  #end(): void {
    this.isDone = true
    this.#settle({})
  }

  #settle(agreed: Params): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#options.onSettled(agreed)
  }
}

/** The id of our subscription means nothing to the client, which has its own. */
function withoutSubscription(message: NotificationMessage): NotificationMessage {
  const meta = message.params?.['_meta']
  if (!isObject(meta)) return message
  const { [metaKeys.subscriptionId]: _, ...kept } = meta
  return { ...message, params: { ...message.params, _meta: kept } }
}
