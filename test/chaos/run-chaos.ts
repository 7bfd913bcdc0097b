import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { operatorHeaders } from '../e2e/operator-headers.ts'
import { scriptedConnector } from '../fixtures/scripted-connector.ts'
import type { Crowd, CrowdReport } from './crowd.ts'
import { startPythonClients } from './python-clients.ts'
import { startSdkClients } from './sdk-clients.ts'

export interface ChaosOptions {
  /** A new folder for the homes of the hub. */
  readonly folder: string
  /** The file of the `herma` program. */
  readonly program: string
  readonly clients: number
  readonly restarts: number
  /** Versions of the Python SDK that take part. */
  readonly python: readonly string[]
  say?(line: string): void
}

export interface ChaosReport {
  readonly crowds: readonly (CrowdReport & { readonly name: string; readonly size: number })[]
}

const tool = 'scripted__echo'
const startLimitMs = 60_000
/** After each start every client gets an answer within this time. */
const answerLimitMs = 120_000

/** Legacy clients make checked calls while the hub is killed, stopped and started again. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const say = options.say ?? (() => {})
  let hub = await startHub(options, 0)
  const crowds: Crowd[] = []
  try {
    await addServer(options.folder, hub.url)
    crowds.push(...(await startCrowds(options, new URL('/mcp', hub.url))))
    await everybodyAnswered(crowds)
    for (let round = 1; round <= options.restarts; round++) {
      const signal = round % 2 === 1 ? 'SIGKILL' : 'SIGTERM'
      await Promise.all(crowds.map((crowd) => crowd.pause()))
      const startedAt = performance.now()
      hub.child.kill(signal)
      await once(hub.child, 'exit')
      hub = await startHub(options, Number(new URL(hub.url).port))
      const awayMs = performance.now() - startedAt
      for (const crowd of crowds) crowd.go()
      await everybodyAnswered(crowds)
      const allMs = performance.now() - startedAt
      say(`${round}: ${signal}, away for ${seconds(awayMs)}, everybody was answered after ${seconds(allMs)}`)
    }
    const reports: ChaosReport['crowds'][number][] = []
    for (const { name, size, stop } of crowds) reports.push({ name, size, ...(await stop()) })
    return { crowds: reports }
  } finally {
    for (const crowd of crowds) crowd.kill()
    if (hub.child.exitCode === null && hub.child.signalCode === null) {
      hub.child.kill('SIGTERM')
      await once(hub.child, 'exit')
    }
  }
}

async function startCrowds({ clients, python }: ChaosOptions, endpoint: URL): Promise<Crowd[]> {
  const kinds = 2 + python.length
  const share = Math.floor(clients / kinds)
  const place = { endpoint, tool }
  const crowds = [
    await startSdkClients({ ...place, kind: 'v1', count: clients - share * (kinds - 1) }),
    await startSdkClients({ ...place, kind: 'v2', count: share }),
  ]
  const plain = Math.floor(share / 2)
  for (const version of python)
    crowds.push(await startPythonClients({ ...place, version, patient: share - plain, plain }))
  return crowds
}

/** Waits until each client has got another answer, and one more, since the first may have been under way. */
async function everybodyAnswered(crowds: readonly Crowd[]): Promise<void> {
  const deadline = Date.now() + answerLimitMs
  for (const crowd of crowds) {
    const wanted = (await crowd.leastRounds()) + 2
    while ((await crowd.leastRounds()) < wanted) {
      if (Date.now() > deadline) throw new Error(`A client of ${crowd.name} gets no answers any more.`)
      await sleep(100)
    }
  }
}

async function startHub(options: ChaosOptions, port: number): Promise<{ child: ChildProcess; url: string }> {
  const stateHome = join(options.folder, 'state')
  const words = ['up', '--listen', `127.0.0.1:${port}`, '--log-level', 'silent', '--grace', '5']
  const child = spawn(process.execPath, [options.program, ...words], {
    env: {
      PATH: process.env['PATH'],
      HOME: options.folder,
      HERMA_CONFIG_HOME: options.folder,
      HERMA_STATE_HOME: stateHome,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const deadline = Date.now() + startLimitMs
  for (;;) {
    const announced = readAnnouncement(stateHome)
    if (announced?.processId === child.pid) return { child, url: announced!.url }
    if (child.exitCode !== null) throw new Error(`herma up ended with code ${child.exitCode}.`)
    if (Date.now() > deadline) throw new Error('The hub does not start.')
    await sleep(50)
  }
}

function readAnnouncement(stateHome: string): { url: string; processId: number } | null {
  try {
    return JSON.parse(readFileSync(join(stateHome, 'hub.json'), 'utf8')) as { url: string; processId: number }
  } catch {
    // Not there, or being written.
    return null
  }
}

async function addServer(folder: string, url: string): Promise<void> {
  const headers = { ...(await operatorHeaders(join(folder, 'state'))), 'content-type': 'application/json' }
  const body = JSON.stringify(scriptedConnector('scripted', join(folder, 'journal')))
  const response = await fetch(`${url}/api/connectors`, { method: 'POST', headers, body })
  if (response.status !== 201) throw new Error(await response.text())
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
