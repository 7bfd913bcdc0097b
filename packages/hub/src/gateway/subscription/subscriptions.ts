import {
  isObject,
  metaKeys,
  type Caller,
  type NotificationMessage,
  type Params,
  type RawJson,
  type RequestId,
} from '../../wire/index.ts'
import type { Exchange } from '../call/exchange.ts'

/** What a modern client asked to hear of. */
export interface ListenFilter {
  readonly toolsListChanged?: boolean
  readonly promptsListChanged?: boolean
  readonly resourcesListChanged?: boolean
  readonly resourceSubscriptions?: readonly string[]
}

/** Notifications that may come before the acknowledgement. */
const maxWaiting = 100

type ListenExchange = Pick<Exchange, 'caller' | 'notify' | 'result'>

/** A `subscriptions/listen` request that stays open. */
export class Listener {
  readonly filter: ListenFilter
  readonly caller: Caller
  readonly #exchange: ListenExchange
  readonly #id: RequestId | RawJson

  /** Until the client knows what it will hear, nothing else may come. */
  #waiting: NotificationMessage[] | null = []

  constructor(id: RequestId | RawJson, filter: ListenFilter, exchange: ListenExchange) {
    this.#id = id
    this.caller = exchange.caller
    this.filter = filter
    this.#exchange = exchange
  }

  /** Tells the client what it will hear: the filter, and what servers agreed to for their extensions. */
  acknowledge(agreed: Params = {}): void {
    const waiting = this.#waiting
    if (waiting === null) return
    this.#waiting = null
    const notifications = { ...agreed, ...this.filter }
    this.send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications } })
    for (const message of waiting) this.send(message)
  }

  wants(method: string): boolean {
    switch (method) {
      case 'notifications/tools/list_changed':
        return this.filter.toolsListChanged === true
      case 'notifications/prompts/list_changed':
        return this.filter.promptsListChanged === true
      case 'notifications/resources/list_changed':
        return this.filter.resourcesListChanged === true
      default:
        return false
    }
  }

  send(message: NotificationMessage): void {
    if (this.#waiting !== null) {
      if (this.#waiting.length < maxWaiting) this.#waiting.push(message)
      return
    }
    const meta = { ...(message.params?.['_meta'] as object | undefined), [metaKeys.subscriptionId]: this.#id }
    this.#exchange.notify({ ...message, params: { ...message.params, _meta: meta } })
  }

  /** The hub goes: the client learns that the end was meant. */
  complete(): void {
    this.#exchange.result({ _meta: { [metaKeys.subscriptionId]: this.#id } })
  }
}

const knownFields = new Set(['toolsListChanged', 'promptsListChanged', 'resourcesListChanged', 'resourceSubscriptions'])

/** The fields of a filter that only an extension knows, such as the ids of tasks. */
export function readForeignFilter(value: unknown): Params | null {
  const foreign = Object.entries(isObject(value) ? value : {}).filter(([name]) => !knownFields.has(name))
  return foreign.length === 0 ? null : Object.fromEntries(foreign)
}

/** Of the known fields, those that have their known form. */
export function readFilter(value: unknown): ListenFilter {
  const given = isObject(value) ? value : {}
  const uris = given['resourceSubscriptions']
  return {
    ...(given['toolsListChanged'] === true && { toolsListChanged: true }),
    ...(given['promptsListChanged'] === true && { promptsListChanged: true }),
    ...(given['resourcesListChanged'] === true && { resourcesListChanged: true }),
    ...(Array.isArray(uris) && { resourceSubscriptions: uris.filter((uri): uri is string => typeof uri === 'string') }),
  }
}
