import { isJSONRPCNotification, type JSONRPCMessage } from '@modelcontextprotocol/client'
import { within } from './link.ts'
import type { Logged, Notified, Progressed } from './test-client.ts'

/** Keeps what the server says by itself while a test runs. */
export class Records {
  readonly log: Logged[] = []
  readonly progress: Progressed[] = []
  readonly notifications: Notified[] = []
  readonly #listeners = new Set<() => void>()

  take(message: JSONRPCMessage): void {
    if (!isJSONRPCNotification(message)) return
    const { method, params = {} } = message
    if (method === 'notifications/message')
      this.log.push({ level: params['level'] as Logged['level'], data: params['data'] })
    else if (method === 'notifications/progress') this.progress.push(toProgress(params))
    // The kit itself subscribed; that it may is no news.
    else if (method !== 'notifications/subscriptions/acknowledged') this.notifications.push({ method, params })
    for (const listener of this.#listeners) listener()
  }

  heard(method: string, timeoutMs: number): Promise<Notified> {
    const find = () => this.notifications.find((notification) => notification.method === method)
    const known = find()
    if (known !== undefined) return Promise.resolve(known)
    let listener: () => void
    const coming = new Promise<Notified>((resolve) => {
      listener = () => {
        const found = find()
        if (found !== undefined) resolve(found)
      }
      this.#listeners.add(listener)
    })
    return within(coming, timeoutMs, `The notification ${method}`).finally(() => this.#listeners.delete(listener))
  }
}

function toProgress({ progress, total, message }: Record<string, unknown>): Progressed {
  return {
    done: progress as number,
    ...(total !== undefined && { total: total as number }),
    ...(message !== undefined && { message: message as string }),
  }
}
