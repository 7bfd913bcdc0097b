import type { JSONRPCNotification, JSONRPCRequest, RequestId, SubscriptionFilter } from '@modelcontextprotocol/server'
import { hasScopes } from '../auth/auth.ts'
import { watchLimits } from '../connection/live-connection.ts'
import type { Change } from '../connection/change.ts'
import type { Host } from './host.ts'
import { isObject, metaKeys } from '../wire/meta.ts'
import { errorCode } from '../protocol/errors.ts'
import type { Peer } from './peer.ts'

interface Subscription {
  readonly peer: Peer
  readonly id: RequestId
  readonly filter: SubscriptionFilter
}

/**
 * `subscriptions/listen`: the way in which modern clients hear of changes.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export class Subscriptions {
  readonly #host: Host
  readonly #open = new Set<Subscription>()
  #stop: (() => void) | undefined

  constructor(host: Host) {
    this.#host = host
  }

  get size(): number {
    return this.#open.size
  }

  /** Returns the function that ends the subscription without a word. */
  open(request: JSONRPCRequest, peer: Peer): () => void {
    const wanted = readFilter(request.params?.['notifications'])
    if (wanted === undefined) {
      const text = `Invalid params: 'notifications' must be an object, resourceSubscriptions at most ${watchLimits.resources} URIs.`
      return refuse(peer, request.id, errorCode.invalidParams, text)
    }
    if (this.#open.size >= this.#host.settings.maxSubscriptions) {
      return refuse(peer, request.id, errorCode.internal, 'Too many subscriptions are open. Close one, or try later.')
    }
    const subscription = { peer, id: request.id, filter: this.#grant(wanted, peer) }
    this.#send(subscription, 'notifications/subscriptions/acknowledged', { notifications: subscription.filter })
    if (Object.keys(subscription.filter).length === 0) {
      this.#finish(subscription)
      return () => {}
    }
    this.#open.add(subscription)
    this.#stop ??= this.#host.changes.subscribe((change) => this.#announce(change))
    return () => this.#remove(subscription)
  }

  cancel(peer: Peer, id: unknown): boolean {
    for (const subscription of this.#open) {
      if (subscription.peer === peer && subscription.id === id) {
        this.#remove(subscription)
        peer.dropped?.(subscription.id)
        return true
      }
    }
    return false
  }

  leave(peer: Peer): void {
    for (const subscription of this.#open) if (subscription.peer === peer) this.#remove(subscription)
  }

  /** Ends all subscriptions, or those of one peer, with the result that says so. */
  finish(peer?: Peer): void {
    for (const subscription of this.#open) {
      if (peer !== undefined && subscription.peer !== peer) continue
      this.#remove(subscription)
      this.#finish(subscription)
    }
  }

  #remove(subscription: Subscription): void {
    this.#open.delete(subscription)
    if (this.#open.size > 0) return
    this.#stop?.()
    this.#stop = undefined
  }

  #grant(wanted: SubscriptionFilter, peer: Peer): SubscriptionFilter {
    const { tools, prompts, resources } = this.#host.capabilities
    const uris = (wanted.resourceSubscriptions ?? []).filter((uri) => this.#mayWatch(uri, peer))
    return {
      ...(wanted.toolsListChanged === true && tools?.listChanged === true && { toolsListChanged: true }),
      ...(wanted.promptsListChanged === true && prompts?.listChanged === true && { promptsListChanged: true }),
      ...(wanted.resourcesListChanged === true && resources?.listChanged === true && { resourcesListChanged: true }),
      ...(uris.length > 0 && resources?.subscribe === true && { resourceSubscriptions: uris }),
    }
  }

  /** Who may not read a resource does not hear of it. */
  #mayWatch(uri: string, { principal }: Peer): boolean {
    const request: JSONRPCRequest = { jsonrpc: '2.0', id: 0, method: 'resources/subscribe', params: { uri } }
    return hasScopes(principal, this.#host.behaviour.scopesOf?.(request) ?? [])
  }

  #announce(change: Change): void {
    for (const subscription of this.#open) {
      if (concerns(subscription.filter, change)) this.#send(subscription, change.method, change.params)
    }
  }

  #send({ peer, id }: Subscription, method: string, params: object | undefined): void {
    const message = { jsonrpc: '2.0', method, params: { ...params, _meta: { [metaKeys.subscriptionId]: id } } }
    peer.send(message as JSONRPCNotification, id)
  }

  #finish({ peer, id }: Subscription): void {
    const _meta = { [metaKeys.subscriptionId]: id, [metaKeys.serverInfo]: this.#host.info }
    peer.send({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta } }, id)
  }
}

function concerns(filter: SubscriptionFilter, change: Change): boolean {
  switch (change.method) {
    case 'notifications/tools/list_changed':
      return filter.toolsListChanged === true
    case 'notifications/prompts/list_changed':
      return filter.promptsListChanged === true
    case 'notifications/resources/list_changed':
      return filter.resourcesListChanged === true
    case 'notifications/resources/updated':
      return filter.resourceSubscriptions?.includes(change.params.uri) === true
  }
}

function readFilter(value: unknown): SubscriptionFilter | undefined {
  if (!isObject(value)) return undefined
  const uris = value['resourceSubscriptions']
  return uris === undefined || isWatchList(uris) ? value : undefined
}

function isWatchList(uris: unknown): uris is string[] {
  if (!Array.isArray(uris) || uris.length > watchLimits.resources) return false
  return uris.every((uri) => typeof uri === 'string' && uri.length <= watchLimits.uriLength)
}

function refuse(peer: Peer, id: RequestId, code: number, message: string): () => void {
  peer.send({ jsonrpc: '2.0', id, error: { code, message } }, id)
  return () => {}
}
