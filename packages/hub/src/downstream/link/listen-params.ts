import { isNotification, isObject, metaKeys, type Message, type Params } from '../../wire/index.ts'
import { hubMeta } from './request-call.ts'

/** One `subscriptions/listen` hears of everything that the hub passes on. */
export function listenParams(uris: ReadonlySet<string>): Params {
  const notifications = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    ...(uris.size > 0 && { resourceSubscriptions: [...uris] }),
  }
  return { notifications, _meta: hubMeta() }
}

/** A notification without the id of our subscription, which means nothing to a client. */
export function withoutSubscription(message: Message): Message {
  const meta = isNotification(message) ? message.params?.['_meta'] : undefined
  if (!isNotification(message) || !isObject(meta) || !(metaKeys.subscriptionId in meta)) return message
  const { [metaKeys.subscriptionId]: _, ...kept } = meta
  const { _meta, ...rest } = message.params!
  return { ...message, params: Object.keys(kept).length > 0 ? { ...rest, _meta: kept } : rest }
}
