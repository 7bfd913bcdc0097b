import { HubError } from '@herma/contract'
import {
  jsonProblem,
  metaKeys,
  metaOf,
  peekAnswerId,
  readJson,
  toMessage,
  toOneLine,
  writeJson,
  writeRequest,
  type Call,
  type Era,
  type Message,
  type RequestMessage,
  type ResponseMessage,
} from '../../wire/index.ts'
import type { Channel, ChannelEvents } from '../channel/channel.ts'
import { shakeHands } from './handshake.ts'
import { handshakeMethods, Link, type LinkOwner, type Pending } from './link.ts'
import { startAllowance, type LinkSettings } from './link-settings.ts'
import type { LongLine } from '@herma/framework/wire'
import { readCutMessage } from '../channel/read-cut-message.ts'
import { listenParams, withoutSubscription } from './listen-params.ts'
import { translateParams } from './translate-params.ts'

/** A link over one channel that all calls share: stdio of both eras, and HTTP+SSE. */
export class ChannelLink extends Link {
  readonly #channel: Channel
  #speaks: Era = 'legacy'
  #listenId: number | null = null
  /** The calls of which one was answered with a message that was too long to say which. */
  #suspects: { readonly ids: ReadonlySet<number>; readonly error: HubError } | null = null

  constructor(settings: LinkSettings, owner: LinkOwner, createChannel: (events: ChannelEvents) => Channel) {
    super(settings, owner)
    this.#channel = createChannel({
      onMessage: (bytes) => this.#onMessage(bytes),
      onTooLong: (line) => this.#onTooLong(line),
      onEnd: (cause) => this.#onEnd(cause),
      onRemark: (text) => owner.onRemark(text),
    })
  }

  override get era(): Era {
    return this.handshake?.era ?? this.#speaks
  }

  override get processId(): number | null {
    return this.#channel.processId
  }

  async open(knownEra: Era | null): Promise<void> {
    await this.#channel.open()
    const { name, options, capabilities, transport } = this.settings
    const handshake = await shakeHands({
      name,
      // HTTP+SSE was gone before the modern era began.
      wanted: transport === 'sse' ? 'legacy' : options.era,
      // A process serves the era of its first message only, and one that speaks both can ask its clients in the older.
      knownEra: knownEra ?? (transport === 'stdio' ? 'legacy' : null),
      capabilities,
      timeoutMs: startAllowance(this.settings),
      isClosed: () => this.isClosed,
      request: (era, method, params, { timeoutMs, signal }) => {
        this.#speaks = era
        return this.request(method, params, timeoutMs, signal)
      },
      initialized: () => {
        this.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
        return this.#channel.flush?.()
      },
    })
    this.handshake = { ...handshake, transport: this.settings.transport }
    if (this.handshake.era === 'modern') this.#listen(new Set())
  }

  send(call: Call): void {
    const id = this.nextId()
    const message = toOneLine(writeRequest(call, id, translateParams(call, this.era, id)))
    const pending = new ChannelPending(this, id, call)
    this.pending.set(id, pending)
    call.runner = pending
    const refusal = this.#channel.write(message)
    if (refusal === null) return
    this.finish(pending, refusal)
    this.unsent(call, refusal)
  }

  post(message: Message): void {
    const refusal = this.#channel.write(toOneLine(writeJson(message)))
    if (refusal !== null) this.owner.onRemark(refusal.message)
  }

  abandon(pending: Pending, reason: string): void {
    if (!this.pending.has(pending.id)) return
    this.giveUp(pending)
    if (handshakeMethods.has(pending.call.method)) return
    this.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: pending.id, reason } })
  }

  subscribe(uris: ReadonlySet<string>, added: string | null, removed: string | null): void {
    if (this.era === 'modern') this.#listen(uris)
    else this.changeSubscription(added, removed)
  }

  /** One subscription carries everything; a change replaces it, the new one first so that nothing is missed. */
  #listen(uris: ReadonlySet<string>): void {
    const previous = this.#listenId
    this.#listenId = this.nextId()
    const request: RequestMessage = {
      jsonrpc: '2.0',
      id: this.#listenId,
      method: 'subscriptions/listen',
      params: listenParams(uris),
    }
    this.post(request)
    if (previous !== null)
      this.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: previous } })
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.failPending(
      new HubError('DOWNSTREAM_UNAVAILABLE', `'${this.settings.name}' was stopped. The call may have run.`),
    )
    await this.#channel.close()
  }

  #onMessage(bytes: Buffer): boolean {
    const id = peekAnswerId(bytes)
    const pending = id === null ? undefined : this.pending.get(id)
    if (pending !== undefined) {
      this.answer(pending, bytes)
      return true
    }
    try {
      const value = readJson(bytes.toString('utf8'))
      if (Array.isArray(value)) return this.#onBatch(value)
      const message = toMessage(value)
      if (!('method' in message)) this.#onAnswer(message, bytes)
      else this.#onRequestOrNotification(message)
      return true
    } catch (error) {
      this.owner.onRemark(`wrote something else than JSON-RPC: ${jsonProblem(error)}`)
      this.#failBroken(bytes, error)
      return false
    }
  }

  #onRequestOrNotification(message: Exclude<Message, ResponseMessage>): void {
    const listen = metaOf(message.params)?.[metaKeys.subscriptionId]
    const listening = typeof listen === 'number' ? this.pending.get(listen) : undefined
    // A stream that one client asked for; everything else comes on our own.
    if (listening !== undefined) listening.call.notify(message)
    else if (message.method !== 'notifications/subscriptions/acknowledged')
      this.receive(withoutSubscription(message), this.#relatedTo(message.method))
  }

  /** Servers of 2025-03-26 may send several messages as one array. */
  #onBatch(messages: unknown[]): boolean {
    if (messages.length === 0) throw new Error('an empty batch')
    for (const message of messages) this.#onMessage(Buffer.from(writeJson(message)))
    return true
  }

  /** A broken answer whose beginning can be read ends its call at once, instead of leaving it to the timeout. */
  #failBroken(bytes: Buffer, cause: unknown): void {
    const match = /^\{"jsonrpc":"2\.0","id":(\d{1,16}),"/.exec(bytes.toString('latin1', 0, 64))
    const pending = match === null ? undefined : this.pending.get(Number(match[1]))
    if (pending === undefined) return
    const text = `'${this.settings.name}' did not answer in JSON: ${jsonProblem(cause)}. The call may have run.`
    this.#fail(pending, new HubError('DOWNSTREAM_FAILED', text, { cause }))
  }

  /** A message beyond the limit ends its own call only: the process is shared. */
  #onTooLong({ head, tail, size }: LongLine): void {
    const { name, options } = this.settings
    const raise = `herma edit ${name} --option maxMessageBytes=N`
    const text = `sent ${size} bytes in one message, more than ${options.maxMessageBytes}. Raise it with: ${raise}`
    const error = new HubError('ANSWER_TOO_LARGE', `'${name}' ${text}`)
    const { id, method } = readCutMessage(head, tail)
    this.owner.onRemark(`${text} (${method ?? `the answer to ${id ?? 'an unknown id'}`})`)
    if (method !== null) {
      if (id !== null) this.post({ jsonrpc: '2.0', id, error: { code: -32603, message: error.message } })
      return
    }
    if (id === null) {
      // It can only be about a call that was under way by now; the last of them without an answer is the one.
      this.#suspects = { ids: new Set([...this.pending.values()].map((pending) => pending.id)), error }
      return this.#endSuspect()
    }
    const pending = typeof id === 'number' ? this.pending.get(id) : undefined
    if (pending !== undefined) this.#fail(pending, error)
  }

  #endSuspect(): void {
    const suspects = this.#suspects
    if (suspects === null) return
    const left = [...suspects.ids].flatMap((id) => this.pending.get(id) ?? [])
    if (left.length > 1) return
    this.#suspects = null
    if (left[0] !== undefined) this.#fail(left[0], suspects.error)
  }

  override finish(pending: Pending, error: HubError | null): void {
    super.finish(pending, error)
    if (this.#suspects !== null) this.#endSuspect()
  }

  #fail(pending: Pending, error: HubError): void {
    this.finish(pending, error)
    pending.call.fail(error)
  }

  #onAnswer(message: Exclude<Message, { method: string }>, bytes: Buffer): void {
    const pending = typeof message.id === 'number' ? this.pending.get(message.id) : undefined
    if (pending !== undefined) {
      this.answer(pending, bytes)
    } else if (message.id !== this.#listenId) {
      this.receive(message, null)
    }
  }

  // A log message does not say which call it is about. A modern server writes them only for calls that want them.
  #relatedTo(method: string): Pending | null {
    if (method !== 'notifications/message') return null
    return this.attribution.only(({ caller }) => this.era === 'legacy' || caller.logLevel !== null)
  }

  #onEnd(cause: HubError): void {
    if (this.isClosed) return
    this.isClosed = true
    this.failPending(cause)
    this.owner.onClosed(this, cause)
  }
}

class ChannelPending implements Pending {
  readonly id: number
  readonly call: Call
  readonly startedAt = performance.now()
  lastActivityAt = this.startedAt
  asking = 0
  readonly #link: ChannelLink

  constructor(link: ChannelLink, id: number, call: Call) {
    this.#link = link
    this.id = id
    this.call = call
  }

  get connector(): string {
    return this.#link.settings.name
  }

  get connectorId(): string {
    return this.#link.settings.connectorId
  }

  cancel(reason: string): void {
    this.#link.abandon(this, reason)
  }

  doubt(): void {
    this.#link.owner.onDoubt(this.#link)
  }
}
