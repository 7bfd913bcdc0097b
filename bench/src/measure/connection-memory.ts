import { get, type ClientRequest } from 'node:http'
import { StreamableClient } from '../client/streamable-client.ts'
import { freePort } from '../machine/free-port.ts'
import { HeapProbe, type HeapUse } from './heap-probe.ts'
import { withHub } from './with-hub.ts'

export interface ConnectionMemory {
  count: number
  /** Growth of the JavaScript heap and its buffers, after garbage collection. */
  heapBytesEach: number
  rssBytesEach: number
  /** The same with an open GET stream each, which adds a socket. */
  streamHeapBytesEach: number
  streamRssBytesEach: number
}

const COUNT = 2000
const WARM_UP = 300
const AT_ONCE = 20

/** Opens many legacy connections that then say nothing, and divides what the hub has grown by. */
export async function measureConnections(home: string): Promise<ConnectionMemory> {
  const inspectPort = await freePort()
  return withHub(home, [`--inspect=127.0.0.1:${inspectPort}`], async (hub) => {
    const probe = await HeapProbe.attach(inspectPort, hub.started.processId)
    const streams: ClientRequest[] = []
    try {
      // The first connections also pay for code that is compiled once.
      await openConnections(hub.endpoint, WARM_UP)
      const before = await probe.read()
      const connections = await openConnections(hub.endpoint, COUNT)
      const idle = await probe.read()
      await inBatches(connections, async (connection) => {
        streams.push(await openStream(hub.endpoint, connection.sessionHeaders()))
      })
      const streaming = await probe.read()
      return {
        count: COUNT,
        heapBytesEach: growth(before, idle, 'heapBytes'),
        rssBytesEach: growth(before, idle, 'rssBytes'),
        streamHeapBytesEach: growth(before, streaming, 'heapBytes'),
        streamRssBytesEach: growth(before, streaming, 'rssBytes'),
      }
    } finally {
      for (const stream of streams) stream.destroy()
      probe.close()
    }
  })
}

const growth = (from: HeapUse, to: HeapUse, key: keyof HeapUse) => (to[key] - from[key]) / COUNT

/** Connections whose clients are silent; their sockets are closed, as those of most idle clients are. */
async function openConnections(url: string, count: number): Promise<StreamableClient[]> {
  const clients = Array.from({ length: count }, () => new StreamableClient({ url }, 'legacy', 20_000))
  await inBatches(clients, async (client) => {
    await client.open()
    client.disconnect()
  })
  return clients
}

function openStream(url: string, headers: Record<string, string>): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, headers: { ...headers, accept: 'text/event-stream' } }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`GET stream: HTTP ${response.statusCode}`))
      response.resume()
      // Destroying the request at the end makes its response fail, which is intended.
      response.on('error', () => {})
      resolve(request)
    })
    request.on('error', reject)
  })
}

async function inBatches<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) await Promise.all(items.slice(at, at + AT_ONCE).map(work))
}
