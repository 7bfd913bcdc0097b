import { sampleProcesses, resetPeaks, type ProcessSample } from '../machine/process-tree.ts'
import { makeCheck, type AnswerCheck, type Operation } from './check-answer.ts'
import type { Dialect, Endpoint } from './mcp-client.ts'
import { openWorkers, type Worker } from './open-workers.ts'
import { percentile } from './percentile.ts'

export interface LoadJob {
  endpoints: Endpoint[]
  dialect: Dialect
  operation: Operation
  concurrency: number
  payloadBytes: number
  /** Tools that each endpoint must list. */
  toolCount: number
  warmMs: number
  measureMs: number
  /** A slow target gets up to four times the time to reach this many, so that its figures too rest on something. */
  minCalls: number
  timeoutMs: number
  /** The target's process, when it has one. */
  processId: number | null
}

export interface LoadResult {
  calls: number
  callsPerSecond: number
  p50Ms: number
  p99Ms: number
  /** CPU of the target per call, store included, downstream not; null without a process. */
  cpuUsPerCall: number | null
  /** CPU of the load client for a call. */
  clientCpuUsPerCall: number
  /** Highest memory of the target's own processes during the measurement. */
  peakRssMb: number | null
  /** The same for a database that it brings along. */
  storePeakRssMb: number | null
  failures: number
  /** What went wrong, at most a few different things. */
  failureReasons: string[]
}

/** Calls as fast as `concurrency` workers can, checks every answer, and measures the middle of it. */
export async function runLoad(job: LoadJob): Promise<LoadResult> {
  const load = new Load(job)
  try {
    await load.open()
    return await load.run()
  } finally {
    await load.close()
  }
}

/** More would only cost memory; percentiles of this many are exact enough. */
const MAX_CALLS = 1_000_000
const MAX_FAILURES = 50
const PAUSE_AFTER_FAILURE_MS = 20

class Load {
  readonly #job: LoadJob
  readonly #check: AnswerCheck
  readonly #workers: Worker[] = []
  readonly #latencies = new Float64Array(MAX_CALLS)
  readonly #reasons = new Set<string>()
  #calls = 0
  #failures = 0
  #isMeasuring = false
  #isStopping = false

  constructor(job: LoadJob) {
    this.#job = job
    this.#check = makeCheck(job.operation, job)
  }

  open(): Promise<void> {
    const { operation } = this.#job
    return openWorkers(this.#workers, { ...this.#job, tool: operation === 'list' ? null : operation })
  }

  async run(): Promise<LoadResult> {
    const { warmMs, processId } = this.#job
    const running = this.#workers.map((worker, index) => this.#work(worker, index))
    await sleep(warmMs)
    if (processId !== null) resetPeaks(processId)
    const before = processId === null ? null : sampleProcesses(processId)
    const ownBefore = process.cpuUsage()
    const startedAt = performance.now()
    this.#isMeasuring = true
    while (!this.#isDone(performance.now() - startedAt)) await sleep(5)
    this.#isMeasuring = false
    this.#isStopping = true
    const elapsedMs = performance.now() - startedAt
    const own = process.cpuUsage(ownBefore)
    const after = processId === null ? null : sampleProcesses(processId)
    await Promise.all(running)
    return this.#summarise(elapsedMs, { before, after, ownUs: own.user + own.system })
  }

  #isDone(elapsedMs: number): boolean {
    const { measureMs, minCalls } = this.#job
    const isEnough = this.#calls >= minCalls || elapsedMs >= 4 * measureMs
    return this.#isStopping || (elapsedMs >= measureMs && isEnough)
  }

  async close(): Promise<void> {
    this.#isStopping = true
    const clients = new Set(this.#workers.map((worker) => worker.client))
    // A target that does not answer a DELETE has failed at something else already; closing must go on.
    await Promise.allSettled([...clients].map((client) => client.close()))
  }

  async #work({ client, tools }: Worker, index: number): Promise<void> {
    const { operation, payloadBytes } = this.#job
    const method = operation === 'list' ? 'tools/list' : 'tools/call'
    for (let turn = index; !this.#isStopping; turn++) {
      const text = `hello ${index} ${turn}`
      const given = operation === 'payload' ? { bytes: payloadBytes } : { text }
      const params = operation === 'list' ? {} : { name: tools[turn % tools.length], arguments: given }
      const startedAt = performance.now()
      try {
        const reply = await client.request(method, params)
        const latencyMs = performance.now() - startedAt
        const wrong = this.#check(reply, text)
        if (wrong !== null) throw new Error(wrong)
        if (this.#isMeasuring) this.#noteCall(latencyMs)
      } catch (error) {
        this.#noteFailure(error as Error)
        await sleep(PAUSE_AFTER_FAILURE_MS)
      }
    }
  }

  #noteCall(latencyMs: number): void {
    this.#latencies[this.#calls++] = latencyMs
    if (this.#calls < MAX_CALLS) return
    this.#isMeasuring = false
    this.#isStopping = true
  }

  #noteFailure(error: Error): void {
    this.#failures++
    if (this.#reasons.size < 5) this.#reasons.add(error.message.slice(0, 300))
    if (this.#failures >= MAX_FAILURES) this.#isStopping = true
  }

  #summarise(
    elapsedMs: number,
    { before, after, ownUs }: { before: ProcessSample | null; after: ProcessSample | null; ownUs: number },
  ): LoadResult {
    const calls = this.#calls
    const latencies = this.#latencies.subarray(0, calls).sort()
    return {
      calls,
      callsPerSecond: (calls / elapsedMs) * 1000,
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
      cpuUsPerCall: before && after && calls > 0 ? ((after.cpuMs - before.cpuMs) * 1000) / calls : null,
      clientCpuUsPerCall: calls > 0 ? ownUs / calls : Number.NaN,
      peakRssMb: after ? after.peakRssMb : null,
      storePeakRssMb: after ? after.storePeakRssMb : null,
      failures: this.#failures,
      failureReasons: [...this.#reasons],
    }
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
