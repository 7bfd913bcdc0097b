import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { bundleSource } from '../../packages/hub/src/platform/testing/bundle-source.ts'
import { prepareState } from '../../packages/hub/src/platform/testing/prepare-state.ts'
import { isAlive } from '../fixtures/scripted-connector.ts'
import { waitFor } from './start-test-hub.ts'

export const hubProgram = fileURLToPath(new URL('../../packages/hub/src/cli/herma.ts', import.meta.url))

export interface HubProcess extends AsyncDisposable {
  readonly pid: number
  readonly url: string
  readonly endpoint: URL
  /** Its exit code; null when a signal ended it. */
  readonly exited: Promise<number | null>
  /** What it wrote to standard error so far. */
  said(): string
  signal(signal: NodeJS.Signals): void
  /** Goes away as its reader, where its output is read. */
  closeOutput(): void
  /** Ends it without a chance to clean up. */
  kill(): Promise<void>
}

interface HubProcessOptions {
  /** The port of the hub before, for clients that know no other. */
  readonly port?: number
  readonly args?: readonly string[]
  readonly output?: 'ignore' | 'pipe'
}

/** `herma up` in a process of its own, with its homes in this folder. Whatever the test does, it ends with it. */
export async function startHubProcess(folder: string, options: HubProcessOptions = {}): Promise<HubProcess> {
  const stateHome = join(folder, 'state')
  if (!existsSync(stateHome)) await prepareState(stateHome)
  const child = spawn(
    process.execPath,
    [
      bundleSource(hubProgram),
      'up',
      '--listen',
      `127.0.0.1:${options.port ?? 0}`,
      '--log-level',
      'silent',
      '--grace',
      '5',
      ...(options.args ?? []),
    ],
    {
      env: { PATH: process.env['PATH'], HOME: folder, HERMA_CONFIG_HOME: folder, HERMA_STATE_HOME: stateHome },
      stdio: ['ignore', options.output ?? 'ignore', 'pipe'],
    },
  )
  let errorText = ''
  child.stdout?.resume()
  child.stderr!.on('data', (chunk: Buffer) => (errorText += chunk.toString()))
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  onTestFinished(() => {
    child.kill('SIGKILL')
    killDatabase(stateHome)
  })
  const url = await waitFor(() => {
    if (child.exitCode !== null) throw new Error(`herma up ended with code ${child.exitCode}: ${errorText}`)
    const announced = readAnnouncement(stateHome)
    return announced?.processId === child.pid ? announced?.url : undefined
  }, 60_000)
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await exited
  }
  return {
    pid: child.pid!,
    url,
    endpoint: new URL('/mcp', url),
    exited,
    said: () => errorText,
    signal: (signal) => void child.kill(signal),
    closeOutput: () => {
      child.stdout?.destroy()
      child.stderr?.destroy()
    },
    kill: () => end('SIGKILL'),
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  }
}

/** Where a hub says that it runs; undefined while it does not, or while the file is being written. */
function readAnnouncement(stateHome: string): { url: string; processId: number } | undefined {
  const file = join(stateHome, 'hub.json')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return text.endsWith('\n') ? (JSON.parse(text) as { url: string; processId: number }) : undefined
}

/** The database of a killed hub ends some seconds later, which is too late for what removes its folder. */
function killDatabase(stateHome: string): void {
  const pid = databasePid(stateHome)
  if (pid !== undefined) process.kill(pid, 'SIGKILL')
}

/** The embedded PostgreSQL of a state home; undefined when none runs. */
export function databasePid(stateHome: string): number | undefined {
  const file = join(stateHome, 'postgres/data/postmaster.pid')
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0
  return pid > 0 && isAlive(pid) ? pid : undefined
}
