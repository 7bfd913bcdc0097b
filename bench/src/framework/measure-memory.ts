import { StreamableClient } from '../client/streamable-client.ts'
import { freePort } from '../machine/free-port.ts'
import { sampleProcesses } from '../machine/process-tree.ts'
import { HeapProbe } from '../measure/heap-probe.ts'
import { LEGACY_REVISION } from '../wire/protocol.ts'
import { servesStdio, type Contender } from './contender.ts'
import { makeLaunch } from './launch.ts'
import { startHttp } from './start-http.ts'
import { StdioPeer } from './stdio-peer.ts'

export interface Memory {
  contender: string
  /** Null without stdio. */
  idleStdioMb: number | null
  idleHttpMb: number
  /** Per open legacy connection that says nothing; null when the server keeps none. */
  connection: { heapBytes: number; rssBytes: number } | null
}

const SETTLE_MS = 2000
const TIMEOUT_MS = 20_000
const COUNT = 1000
/** The first connections also pay for code that is compiled once. */
const WARM_UP = 200
const AT_ONCE = 10

/** What a server with one tool holds when nobody calls it, and what 1,000 silent connections add to that. */
export async function measureMemory(contender: Contender, cwd: string): Promise<Memory> {
  return {
    contender: contender.name,
    idleStdioMb: servesStdio(contender) ? await measureIdleStdio(contender, cwd) : null,
    idleHttpMb: await measureIdleHttp(contender, cwd),
    connection: await measureConnections(contender, cwd),
  }
}

async function measureIdleStdio(contender: Contender, cwd: string): Promise<number> {
  const peer = new StdioPeer(await makeLaunch(contender, 'load', { way: 'stdio/legacy' }), cwd)
  try {
    await peer.initialize(LEGACY_REVISION)
    await peer.request('tools/list', {})
    await sleep(SETTLE_MS)
    return sampleProcesses(peer.processId).rssMb
  } finally {
    await peer.stop()
  }
}

async function measureIdleHttp(contender: Contender, cwd: string): Promise<number> {
  const { url, started } = await startHttp(await makeLaunch(contender, 'load', { way: 'http/legacy' }), cwd)
  const client = new StreamableClient({ url }, 'legacy', TIMEOUT_MS)
  try {
    await client.open()
    await client.request('tools/list', {})
    await sleep(SETTLE_MS)
    return sampleProcesses(started.processId).rssMb
  } finally {
    client.disconnect()
    await started.stop()
  }
}

async function measureConnections(contender: Contender, cwd: string): Promise<Memory['connection']> {
  const inspectPort = await freePort()
  const launch = await makeLaunch(contender, 'load', { way: 'http/legacy' })
  const { url, started } = await startHttp(launch, cwd, [`--inspect=127.0.0.1:${inspectPort}`])
  const probe = await HeapProbe.attach(inspectPort, started.processId)
  try {
    const [first] = await openConnections(url, WARM_UP)
    if (first?.sessionHeaders()['Mcp-Session-Id'] === undefined) return null
    const before = await probe.read()
    await openConnections(url, COUNT)
    const after = await probe.read()
    return {
      heapBytes: (after.heapBytes - before.heapBytes) / COUNT,
      rssBytes: (after.rssBytes - before.rssBytes) / COUNT,
    }
  } finally {
    probe.close()
    await started.stop()
  }
}

async function openConnections(url: string, count: number): Promise<StreamableClient[]> {
  const clients = Array.from({ length: count }, () => new StreamableClient({ url }, 'legacy', TIMEOUT_MS))
  for (let at = 0; at < count; at += AT_ONCE) {
    await Promise.all(
      clients.slice(at, at + AT_ONCE).map(async (client) => {
        await client.open()
        client.disconnect()
      }),
    )
  }
  return clients
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
