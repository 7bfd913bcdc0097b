import { setTimeout as sleep } from 'node:timers/promises'
import { StreamableClient } from '../client/streamable-client.ts'
import { addConnectors, type AskHub, type RunningHub } from '../target/herma.ts'
import { waitUntilServing, type Fleet } from '../target/target.ts'

const clients = 8

interface Wish {
  readonly fleet: Fleet
  readonly count: number
}

/** Makes real calls through the hub until it has recorded as many as wanted. */
export async function fillTraces(hub: RunningHub, ask: AskHub, { fleet, count }: Wish): Promise<void> {
  await addConnectors(ask, fleet)
  const endpoint = { kind: 'http' as const, url: hub.endpoint }
  const toolCount = fleet.connectors.length * fleet.toolsEach
  await waitUntilServing({ endpoint, dialect: 'legacy', toolCount }, hub.started)
  const names = await listNames(hub.endpoint)
  let made = 0
  await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new StreamableClient({ url: hub.endpoint }, 'modern', 20_000)
      await client.open()
      for (let index = made++; index < count; index = made++)
        await client.request('tools/call', { name: names[index % names.length]!, arguments: { text: `call ${index}` } })
      await client.close()
    }),
  )
  const stats = async () => (await ask('GET', '/api/traces/stats')) as { events: { queued: number } }
  while ((await stats()).events.queued > 0) await sleep(50)
}

async function listNames(url: string): Promise<string[]> {
  const client = new StreamableClient({ url }, 'modern', 20_000)
  await client.open()
  const { body } = await client.request('tools/list', {})
  await client.close()
  return [...new Set([...body.toString().matchAll(/"name":"(d\d+__[^"]+)"/g)].map(([, name]) => name!))]
}
