import { StreamableClient } from '../client/streamable-client.ts'
import type { RunningTarget } from '../target/target.ts'

/** Opens legacy connections that do nothing. Returns what closes them. */
export async function openIdle({ endpoints }: RunningTarget, count: number): Promise<() => Promise<void>> {
  const clients: StreamableClient[] = []
  const stop = () => {
    for (const client of clients) client.disconnect()
    return Promise.resolve()
  }
  const endpoint = endpoints[0]
  if (endpoint?.kind !== 'http') throw new Error('there are no idle connections over a pipe')
  try {
    while (clients.length < count) {
      const next = Array.from(
        { length: Math.min(100, count - clients.length) },
        () => new StreamableClient(endpoint, 'legacy', 600_000),
      )
      clients.push(...next)
      await Promise.all(next.map((client) => client.open()))
    }
    return stop
  } catch (error) {
    await stop()
    throw error
  }
}
