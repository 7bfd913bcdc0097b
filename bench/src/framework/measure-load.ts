import { StreamableClient } from '../client/streamable-client.ts'
import { readMessages } from '../client/mcp-client.ts'
import { LEGACY_REVISION, type RpcMessage } from '../wire/protocol.ts'
import { eraOf, type Contender, type Way } from './contender.ts'
import { cpuUs } from './cpu-time.ts'
import { makeLaunch } from './launch.ts'
import { startHttp } from './start-http.ts'
import { StdioPeer } from './stdio-peer.ts'

export interface LoadCase {
  way: Way
  tools: number
}

export interface LoadTurn extends LoadCase {
  contender: string
  round: number
  calls: number
  cpuUsPerCall: number
  callsPerSecond: number
}

export interface LoadTime {
  warmMs: number
  measureMs: number
  /** The folder where servers may write what they like. */
  cwd: string
}

export const loadCases: LoadCase[] = (['stdio/legacy', 'stdio/modern', 'http/legacy', 'http/modern'] as const).flatMap(
  (way) => [1, 500].map((tools) => ({ way, tools })),
)

const CONCURRENCY = 8
const TIMEOUT_MS = 20_000
/** A slow server gets up to three times the time to reach this many, so that its figure too rests on something. */
const MIN_CALLS = 500
/** Code is compiled by how often it ran, not by how long, so a slow server gets up to six times the warm-up. */
const WARM_CALLS = 5000

/** Calls `add` with eight callers at once, checks every sum, and divides the CPU time of the server by the calls. */
export async function measureLoad(
  contender: Contender,
  { way, tools }: LoadCase,
  time: LoadTime,
): Promise<Omit<LoadTurn, 'contender' | 'round'>> {
  const launch = await makeLaunch(contender, 'load', { way, tools })
  const target = way.startsWith('stdio/')
    ? await openStdio(launch, way, time.cwd)
    : await openHttp(launch, way, time.cwd)
  try {
    const result = await callAll(target, time)
    return { way, tools, ...result }
  } finally {
    await target.stop()
  }
}

type Add = (a: number, b: number) => Promise<RpcMessage | undefined>

interface Target {
  processId: number
  callers: Add[]
  stop(): Promise<void>
}

async function openStdio(launch: Awaited<ReturnType<typeof makeLaunch>>, way: Way, cwd: string): Promise<Target> {
  const peer = new StdioPeer(launch, cwd)
  const isModern = eraOf(way) === 'modern'
  const add: Add = (a, b) => {
    const params = { name: 'add', arguments: { a, b } }
    return isModern ? peer.requestModern('tools/call', params) : peer.request('tools/call', params)
  }
  try {
    if (!isModern) await peer.initialize(LEGACY_REVISION)
  } catch (error) {
    await peer.stop()
    throw error
  }
  return { processId: peer.processId, callers: Array.from({ length: CONCURRENCY }, () => add), stop: () => peer.stop() }
}

async function openHttp(launch: Awaited<ReturnType<typeof makeLaunch>>, way: Way, cwd: string): Promise<Target> {
  const { url, started } = await startHttp(launch, cwd)
  const clients = Array.from({ length: CONCURRENCY }, () => new StreamableClient({ url }, eraOf(way), TIMEOUT_MS))
  const stop = async () => {
    for (const client of clients) client.disconnect()
    await started.stop()
  }
  try {
    for (const client of clients) await client.open()
  } catch (error) {
    await stop()
    throw error
  }
  const callers = clients.map<Add>((client) => async (a, b) => {
    const reply = await client.request('tools/call', { name: 'add', arguments: { a, b } })
    return readMessages(reply).find(({ id }) => id === reply.id)
  })
  return { processId: started.processId, callers, stop }
}

async function callAll({ processId, callers }: Target, { warmMs, measureMs }: LoadTime) {
  const progress = { calls: 0, isStopping: false }
  const work = async (add: Add, index: number) => {
    for (let turn = 0; !progress.isStopping; turn++) {
      const answer = await add(index, turn)
      const [content] = (answer?.result?.content ?? []) as { text?: string }[]
      if (content?.text !== String(index + turn)) {
        throw new Error(`add(${index}, ${turn}) answered ${JSON.stringify(answer)?.slice(0, 300)}`)
      }
      progress.calls++
    }
  }
  // One wrong answer stops all callers, and the measurement with them.
  const workers = Promise.all(
    callers.map((add, index) =>
      work(add, index).finally(() => {
        progress.isStopping = true
      }),
    ),
  )
  // Awaited at the end; until then its failure only stops the others.
  workers.catch(() => {})
  const startedAt = performance.now()
  const isWarm = (elapsedMs: number) => elapsedMs >= warmMs * (progress.calls < WARM_CALLS ? 6 : 1)
  while (!progress.isStopping && !isWarm(performance.now() - startedAt)) await sleep(5)
  const before = { calls: progress.calls, cpu: cpuUs(processId), at: performance.now() }
  const elapsed = () => performance.now() - before.at
  const calls = () => progress.calls - before.calls
  while (!progress.isStopping && elapsed() < measureMs * (calls() < MIN_CALLS ? 3 : 1)) await sleep(5)
  const after = { calls: calls(), cpu: cpuUs(processId) - before.cpu, ms: elapsed() }
  progress.isStopping = true
  await workers
  return {
    calls: after.calls,
    cpuUsPerCall: after.cpu / after.calls,
    callsPerSecond: (after.calls / after.ms) * 1000,
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
