import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { operatorHeaders } from '../e2e/operator-headers.ts'
import { textOf, WireClient } from '../e2e/wire-client.ts'
import { openSlowReader, type ReaderKind, type SlowReader } from './slow-reader.ts'

export interface SlowReaderOptions {
  /** A new folder for the homes of the hub. */
  readonly folder: string
  readonly readers: number
  /** Length of the answers that nobody reads. */
  readonly bytes: number
  /** How long others are measured, without the readers and beside them. */
  readonly seconds: number
  say(line: string): void
}

/** A promise, and what was measured. */
export interface Kept {
  readonly name: string
  readonly value: string
  readonly limit: string
  readonly isKept: boolean
}

const program = fileURLToPath(new URL('../../packages/hub/bin/herma.js', import.meta.url))
const downstream = fileURLToPath(new URL('../../bench/src/bench-downstream.ts', import.meta.url))
const tsx = import.meta.resolve('tsx')
const kinds: readonly ReaderKind[] = ['modern', 'legacy', 'sse']
const connectors = ['http', 'stdio'] as const
const mebibyte = 1024 * 1024
const peakLimit = 400
const restLimit = 30
/** How often others may take as long beside the readers. */
const slowdownLimit = 3
/** Clients that call something small all the while. */
const othersCount = 4
/** How long the memory may take to be given back. */
const restMs = 30_000

/** Clients that do not read large answers, beside clients that make small calls. */
export async function runSlowReaders(options: SlowReaderOptions): Promise<Kept[]> {
  const { say } = options
  const children: ChildProcess[] = []
  const readers: SlowReader[] = []
  const watching: MemoryWatch[] = []
  // Whoever stops this run stops what it has started.
  process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  try {
    const server = spawn(process.execPath, ['--import', tsx, downstream, '--http', '2'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(server)
    const [line] = (await once(createInterface(server.stdout), 'line')) as [string]
    const { child, url } = await startHub(options.folder)
    children.push(child)
    await addServers(options.folder, url, (JSON.parse(line) as string[])[0]!)
    const memory = new MemoryWatch(child.pid!)
    watching.push(memory)
    const others = (seconds: number) => measureOthers(url, seconds)
    await others(2)
    const alone = await others(options.seconds)
    const startMb = await memory.settled()
    memory.restart()
    say(`alone: ${startMb} MB, others: ${describe(alone)}`)
    const measuring = others(options.seconds)
    for (let index = 0; index < options.readers; index++) {
      const connector = connectors[Math.floor(index / kinds.length) % connectors.length]!
      const call = { name: `${connector}__payload`, arguments: { bytes: options.bytes } }
      readers.push(await openSlowReader(kinds[index % kinds.length]!, url, call))
    }
    const beside = await measuring
    const cut = await countCut(options.folder, url)
    say(
      `beside: peak ${memory.peakMb} MB, p99 of others ${beside.p99.toFixed(2)} ms, ${beside.calls} calls, ${cut} cut`,
    )
    for (const reader of readers) reader.close()
    const restMb = await memory.fallsTo(startMb + restLimit)
    const slowdown = beside.p99 / alone.p99
    return [
      kept('peak of the hub', memory.peakMb, peakLimit, 'MB'),
      kept('left after all have gone', restMb - startMb, restLimit, 'MB'),
      kept('p99 of others, beside to alone', Number(slowdown.toFixed(2)), slowdownLimit, '×'),
      kept('wrong answers of others', alone.wrong + beside.wrong, 0, ''),
    ]
  } finally {
    for (const memory of watching) memory.stop()
    for (const reader of readers) reader.close()
    for (const child of children.toReversed()) await stop(child)
  }
}

function kept(name: string, value: number, limit: number, unit: string): Kept {
  return { name, value: `${value} ${unit}`.trim(), limit: `${limit} ${unit}`.trim(), isKept: value <= limit }
}

interface OthersReport {
  readonly p99: number
  readonly longest: number
  readonly calls: number
  readonly wrong: number
}

/** Small calls to both servers, one after the other for each client. */
async function measureOthers(url: string, seconds: number): Promise<OthersReport> {
  const endpoint = new URL('/mcp', url)
  const times: number[] = []
  let wrong = 0
  const end = performance.now() + seconds * 1000
  const one = async (number: number) => {
    const client = await WireClient.connect(endpoint)
    for (let round = 0; performance.now() < end; round++) {
      const text = `${number} ${round}`
      const begun = performance.now()
      const params = { name: `${connectors[round % 2]}__echo`, arguments: { text } }
      const answer = await client.request('tools/call', params)
      times.push(performance.now() - begun)
      if (textOf(answer) !== text) wrong++
      // Others do not work all of the time, and their own queue shall not be what is measured.
      await sleep(2)
    }
    await client.delete()
  }
  await Promise.all(Array.from({ length: othersCount }, (_, number) => one(number)))
  const sorted = times.toSorted((a, b) => a - b)
  return { p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0, longest: sorted.at(-1) ?? 0, calls: times.length, wrong }
}

function describe({ p99, longest, calls }: OthersReport): string {
  return `${calls} calls, p99 ${p99.toFixed(2)} ms, longest ${longest.toFixed(0)} ms`
}

/** The resident memory of a process, looked at all the time. */
class MemoryWatch {
  peakMb = 0
  readonly #pid: number
  readonly #timer: NodeJS.Timeout

  constructor(pid: number) {
    this.#pid = pid
    this.#timer = setInterval(() => (this.peakMb = Math.max(this.peakMb, this.#read())), 20)
  }

  restart(): void {
    this.peakMb = 0
  }

  /** After some seconds in which nothing happens. */
  async settled(): Promise<number> {
    await sleep(3000)
    return this.#read()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async fallsTo(limitMb: number): Promise<number> {
    const deadline = Date.now() + restMs
    while (this.#read() > limitMb && Date.now() < deadline) await sleep(200)
    return this.#read()
  }

  #read(): number {
    const pages = Number(readFileSync(`/proc/${this.#pid}/statm`, 'utf8').split(' ')[1])
    return Math.round((pages * 4096) / mebibyte)
  }
}

async function startHub(folder: string): Promise<{ child: ChildProcess; url: string }> {
  const stateHome = join(folder, 'state')
  const words = ['up', '--listen', '127.0.0.1:0', '--log-level', 'error', '--grace', '2']
  const homes = { HOME: folder, HERMA_CONFIG_HOME: folder, HERMA_STATE_HOME: stateHome }
  const env = { PATH: process.env['PATH'], ...homes }
  const child = spawn(process.execPath, [program, ...words], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 50) {
    await sleep(50)
    if (child.exitCode !== null) throw new Error(`herma up ended with code ${child.exitCode}.`)
    try {
      const said = JSON.parse(readFileSync(join(stateHome, 'hub.json'), 'utf8')) as { url: string; processId: number }
      if (said.processId === child.pid) return { child, url: said.url }
    } catch {
      // Not there yet, or being written.
    }
  }
  throw new Error('The hub does not start.')
}

async function addServers(folder: string, url: string, server: string): Promise<void> {
  const headers = { ...(await operatorHeaders(join(folder, 'state'))), 'content-type': 'application/json' }
  const send = async (method: string, path: string, body: object) => {
    const response = await fetch(new URL(path, url), { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  }
  const stdio = { transport: 'stdio', cmd: process.execPath, args: ['--import', tsx, downstream, '--stdio', '2'] }
  await send('POST', '/api/connectors', { name: 'http', transport: 'stream', baseUrl: server })
  await send('POST', '/api/connectors', { name: 'stdio', ...stdio })
  await send('PATCH', '/api/servers/facade', { sse: true })
}

/** Responses that the hub has cut off; their clients do not look, and so do not know. */
async function countCut(folder: string, url: string): Promise<number> {
  const headers = await operatorHeaders(join(folder, 'state'))
  const text = await (await fetch(new URL('/metrics', url), { headers })).text()
  const counts = [...text.matchAll(/^herma_clients_cut_total\{.*\} (\d+)$/gm)].map(([, count]) => Number(count))
  return counts.reduce((sum, count) => sum + count, 0)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
