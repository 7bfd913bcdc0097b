import { emit } from '../telemetry/events.ts'
import type { Bus } from './registry.ts'

/**
 * Carries messages within this process.
 * Receivers run after `publish` returned, in the order of the messages; one that throws disturbs nobody else.
 */
export function memoryBus(): Bus {
  const topics = new Map<string, Set<Subscription>>()
  return {
    publish(topic, message) {
      for (const subscription of topics.get(topic) ?? []) queueMicrotask(() => void deliver(subscription, message))
    },
    subscribe(topic, receive) {
      const subscription: Subscription = { receive, isEnded: false }
      const subscriptions = topics.get(topic) ?? new Set()
      topics.set(topic, subscriptions.add(subscription))
      return () => {
        subscription.isEnded = true
        subscriptions.delete(subscription)
        if (subscriptions.size === 0 && topics.get(topic) === subscriptions) topics.delete(topic)
      }
    },
  }
}

interface Subscription {
  readonly receive: (message: string) => void
  isEnded: boolean
}

async function deliver({ receive, isEnded }: Subscription, message: string): Promise<void> {
  if (isEnded) return
  try {
    // A receiver may be an async function, whose failure would otherwise end the process.
    await (receive(message) as void | Promise<void>)
  } catch (error) {
    emit('mcp.error', () => ({ server: '', error }))
  }
}
