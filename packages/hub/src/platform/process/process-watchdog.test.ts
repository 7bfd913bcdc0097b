import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startProcessWatchdog } from './process-watchdog.ts'
import { findProcess } from './process-table.ts'
import { isAlive, killTree } from './process-tree.ts'
import { createLog } from '../log.ts'
import { bundleSource } from '../testing/bundle-source.ts'
import { runSource, type SourceProcess } from '../testing/source-process.ts'

const log = createLog('silent')

interface GuardedHub {
  readonly hub: SourceProcess
  readonly watchdog: number
  readonly family: number[]
  readonly released: number
}

const familyProgram = fileURLToPath(new URL('../testing/process-family.ts', import.meta.url))
const numberIn = (line: string | undefined) => Number(line?.split(' ')[1])

async function startHub(): Promise<GuardedHub> {
  const hub = runSource('guarded-hub.ts', [bundleSource(familyProgram)])
  const watchdog = numberIn(await hub.waitForLine('watchdog'))
  const released = numberIn(await hub.waitForLine('released'))
  await expect.poll(() => hub.lines.filter((line) => line.startsWith('member')).length, { timeout: 20_000 }).toBe(3)
  const family = hub.lines.filter((line) => line.startsWith('member')).map(numberIn)
  onTestFinished(async () => {
    for (const pid of [...family, released]) await killTree(pid, { graceMs: 0, log })
  })
  return { hub, watchdog, family, released }
}

const goneWithin = { timeout: 20_000, interval: 100 }

test('after kill -9 of the hub no watched process is left, nor the guardian; a released one is spared', async () => {
  const { hub, watchdog, family, released } = await startHub()
  // The terminal's signals must not end it before its work is done.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(watchdog, signal)
  hub.kill('SIGKILL')
  await hub.exited
  await expect.poll(() => family.filter(isAlive), goneWithin).toEqual([])
  await expect.poll(() => isAlive(watchdog), goneWithin).toBe(false)
  expect(isAlive(released)).toBe(true)
}, 60_000)

test('a guardian that dies is replaced by one that knows the same groups', async () => {
  const { hub, watchdog, family } = await startHub()
  process.kill(watchdog, 'SIGKILL')
  const successor = numberIn(await hub.waitForLine('successor'))
  hub.kill('SIGKILL')
  await hub.exited
  await expect.poll(() => family.filter(isAlive), goneWithin).toEqual([])
  await expect.poll(() => isAlive(successor), goneWithin).toBe(false)
}, 60_000)

test('a stopped guardian leaves at once when nothing is watched, and has a session of its own until then', async () => {
  const watchdog = startProcessWatchdog()
  const pid = watchdog.pid ?? 0
  expect(findProcess(pid)?.group).toBe(pid)
  watchdog.stop()
  await expect.poll(() => isAlive(pid), goneWithin).toBe(false)
  expect(watchdog.pid).toBeUndefined()
})

test('thousands of groups come and go without warnings, and the last one is still ended', async () => {
  const warnings: Error[] = []
  const listen = (warning: Error) => void warnings.push(warning)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  const watchdog = startProcessWatchdog()
  const pid = watchdog.pid ?? 0
  // Ids beyond the kernel's limit, so that no real process is meant.
  for (let id = 90_000_000; id < 90_002_000; id++) {
    watchdog.watch(id)
    watchdog.release(id)
  }
  const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: true })
  const exited = once(child, 'exit')
  watchdog.watch(child.pid ?? 0)
  watchdog.stop()
  await exited
  await expect.poll(() => isAlive(pid), goneWithin).toBe(false)
  expect(warnings).toEqual([])
}, 60_000)

test('a number that is no process group is refused', () => {
  const watchdog = startProcessWatchdog()
  onTestFinished(() => watchdog.stop())
  for (const id of [1, 0, -5, Number.NaN]) expect(() => watchdog.watch(id)).toThrow('Not a process group')
})
