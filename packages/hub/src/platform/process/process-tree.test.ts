import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../log.ts'
import { findProcess, listProcesses } from './process-table.ts'
import { isAlive, killTree } from './process-tree.ts'
import { runSource } from '../testing/source-process.ts'

const log = createLog('silent')

async function startFamily(): Promise<number[]> {
  const family = runSource('process-family.ts', [], { detached: true })
  const members = () => family.lines.filter((line) => line.startsWith('member'))
  await expect.poll(() => members().length, { timeout: 20_000 }).toBe(3)
  const pids = members().map((line) => Number(line.split(' ')[1]))
  // One by one, since what is tested here must not be needed to clean up after it.
  onTestFinished(() => pids.filter(isAlive).forEach((pid) => process.kill(pid, 'SIGKILL')))
  return pids
}

test('a tree that ignores SIGTERM is killed, the grandchild in its own session too', async () => {
  const [root = 0, child = 0, grandchild = 0] = await startFamily()
  expect(findProcess(grandchild)?.group).toBe(grandchild)
  expect(findProcess(child)?.parent).toBe(root)
  await killTree(root, { graceMs: 100, log })
  expect([root, child, grandchild].filter(isAlive)).toEqual([])
})

test('members of a group are killed after its leader is gone', async () => {
  const [root = 0, child = 0, grandchild = 0] = await startFamily()
  process.kill(root, 'SIGKILL')
  await expect.poll(() => isAlive(root)).toBe(false)
  await killTree(root, { graceMs: 0, log })
  expect([child, grandchild].filter(isAlive)).toEqual([])
})

test('a process that obeys SIGTERM may finish its work', async () => {
  const program = `process.on('SIGTERM', () => setTimeout(() => process.exit(7), 50)); console.log('ready'); setInterval(() => {}, 1e6)`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  await killTree(child.pid ?? 0, { graceMs: 20_000, log })
  expect(await exited).toEqual([7, null])
})

test('a process that is gone already is fine', async () => {
  const child = spawn('true', { stdio: 'ignore', detached: true })
  await once(child, 'exit')
  await killTree(child.pid ?? 0, { graceMs: 1000, log })
  expect(isAlive(child.pid ?? 0)).toBe(false)
})

test('a number that no child has is refused, since it could mean every process', async () => {
  for (const pid of [0, 1, -1, Number.NaN]) await expect(killTree(pid, { graceMs: 0, log })).rejects.toThrow(RangeError)
})

test('the process table knows this process, its parent and when it started', () => {
  const self = listProcesses().find((entry) => entry.pid === process.pid)
  expect(self).toMatchObject({ pid: process.pid, parent: process.ppid })
  expect(findProcess(process.pid)).toEqual(self)
  expect(findProcess(process.ppid)?.startedAt).not.toBe('')
})
