import { metaKeys, type Caller, type NotificationMessage, type RequestId } from '../wire/index.ts'
import type { Exchange } from './exchange.ts'

/** What a modern client asked to hear of. */
export interface ListenFilter {
  readonly toolsListChanged?: boolean
  readonly promptsListChanged?: boolean
  readonly resourcesListChanged?: boolean
  readonly resourceSubscriptions?: readonly string[]
}

type ListenExchange = Pick<Exchange, 'caller' | 'notify' | 'result'>

/** A `subscriptions/listen` request that stays open. */
export class Listener {
  readonly filter: ListenFilter
  readonly caller: Caller
  readonly #exchange: ListenExchange
  readonly #id: RequestId

  constructor(id: RequestId, filter: ListenFilter, exchange: ListenExchange) {
    this.#id = id
    this.caller = exchange.caller
    this.filter = filter
    this.#exchange = exchange
    this.send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications: filter } })
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
    const meta = { ...(message.params?.['_meta'] as object | undefined), [metaKeys.subscriptionId]: this.#id }
    this.#exchange.notify({ ...message, params: { ...message.params, _meta: meta } })
  }

  /** The hub goes: the client learns that the end was meant. */
  complete(): void {
    this.#exchange.result({ _meta: { [metaKeys.subscriptionId]: this.#id } })
  }
}

/** Only the four known fields count, each in its known form. */
export function readFilter(value: unknown): ListenFilter {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const uris = given['resourceSubscriptions']
  return {
    ...(given['toolsListChanged'] === true && { toolsListChanged: true }),
    ...(given['promptsListChanged'] === true && { promptsListChanged: true }),
    ...(given['resourcesListChanged'] === true && { resourcesListChanged: true }),
    ...(Array.isArray(uris) && { resourceSubscriptions: uris.filter((uri): uri is string => typeof uri === 'string') }),
  }
}
