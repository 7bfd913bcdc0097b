import { setTimeout as sleep } from 'node:timers/promises'

import {
  idTextOf,
  isObject,
  metaKeys,
  RawJson,
  writeJson,
  type RequestMessage,
  type RpcError,
} from '../../wire/index.ts'
import { modernHeaders, runExchange } from '../../mcp-client/index.ts'
import type { HubSupervisor, HubRun } from './hub/hub-supervisor.ts'
import { sendToHub } from './hub/send-to-hub.ts'
import type { LineOutput } from './client/line-output.ts'

export interface SubscriptionOptions {
  readonly path: string
  readonly keeper: HubSupervisor
  readonly output: LineOutput
  readonly signal: AbortSignal
}

const openLimitMs = 15_000
const firstPauseMs = 100
const lastPauseMs = 5000

const listFields = [
  ['toolsListChanged', 'notifications/tools/list_changed'],
  ['promptsListChanged', 'notifications/prompts/list_changed'],
  ['resourcesListChanged', 'notifications/resources/list_changed'],
] as const

/**
 * A `subscriptions/listen` request, which outlives the hubs that serve it: it is opened again at the next hub, and the
 * client hears of everything that may have changed in between.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export class Subscription {
  readonly #message: RequestMessage
  readonly #parts: SubscriptionOptions
  #isAcknowledged = false

  constructor(message: RequestMessage, parts: SubscriptionOptions) {
    this.#message = message
    this.#parts = parts
  }

  /** Runs until the client cancels it; returns the error with which the hub refuses it. */
  async run(): Promise<RpcError | null> {
    const { keeper, signal } = this.#parts
    let hub = await keeper.needUnlessAbsent(openLimitMs, signal)
    if (hub === null && !signal.aborted) this.#acknowledge()
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(pauseMs * 2, lastPauseMs)) {
      hub ??= await this.#nextHub()
      if (hub === null) return null
      const openedAt = performance.now()
      const error = await this.#open(hub)
      if (error !== null) return error
      if (performance.now() - openedAt > lastPauseMs) pauseMs = firstPauseMs
      await keeper.suspect(hub)
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
      hub = null
    }
    return null
  }

  /** Lists can wait for a hub that somebody else needs; who watches resources needs one. */
  async #nextHub(): Promise<HubRun | null> {
    const { keeper, signal } = this.#parts
    try {
      if (this.#uris.length > 0) await keeper.need(openLimitMs, signal).catch(() => undefined)
      return await keeper.next(signal)
    } catch {
      // Cancelled, or the bridge is stopping.
      return null
    }
  }

  async #open(hub: HubRun): Promise<RpcError | null> {
    const { path, output, signal } = this.#parts
    let error: RpcError | null = null
    const outcome = await runExchange(sendToHub, {
      url: new URL(path, hub.url),
      headers: modernHeaders(this.#message),
      body: writeJson(this.#message),
      signal,
      drained: () => output.drained(),
      take: (bytes) => {
        const message = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>
        if (message['method'] === 'notifications/subscriptions/acknowledged') this.#onAcknowledged(bytes)
        else if ('method' in message) output.write(bytes)
        else {
          // A result says that the hub is stopping, which the client need not know.
          if (isObject(message['error'])) error = message['error'] as unknown as RpcError
          return true
        }
        return false
      },
    })
    return outcome.kind === 'refused' ? outcome.error : error
  }

  #onAcknowledged(bytes: Buffer): void {
    if (this.#isAcknowledged) return this.#tellChanges()
    this.#isAcknowledged = true
    this.#parts.output.write(bytes)
  }

  /** Stands in for a hub that is away. */
  #acknowledge(): void {
    this.#isAcknowledged = true
    const lists = listFields.filter(([field]) => this.#filter[field] === true).map(([field]) => [field, true])
    const uris = this.#uris.length > 0 ? { resourceSubscriptions: this.#uris } : {}
    this.#send('notifications/subscriptions/acknowledged', { notifications: { ...Object.fromEntries(lists), ...uris } })
  }

  #tellChanges(): void {
    for (const [field, method] of listFields) if (this.#filter[field] === true) this.#send(method)
    for (const uri of this.#uris) this.#send('notifications/resources/updated', { uri })
  }

  #send(method: string, params: Record<string, unknown> = {}): void {
    const _meta = { [metaKeys.subscriptionId]: new RawJson(idTextOf(this.#message)) }
    this.#parts.output.send({ jsonrpc: '2.0', method, params: { ...params, _meta } })
  }

  get #filter(): Record<string, unknown> {
    const filter = this.#message.params?.['notifications']
    return isObject(filter) ? filter : {}
  }

  get #uris(): string[] {
    const uris = this.#filter['resourceSubscriptions']
    return Array.isArray(uris) ? uris.filter((uri): uri is string => typeof uri === 'string') : []
  }
}
