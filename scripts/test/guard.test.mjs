import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const guardPath = new URL('guard.mjs', import.meta.url).pathname
const forever = 'setInterval(() => {}, 1000)'

/** A guard, and a process of the run that it guards. */
function setUp(/** @type {string} */ script) {
  const folder = mkdtempSync(join(tmpdir(), 'herma-guard-'))
  const guard = spawn(process.execPath, [guardPath, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
  let output = ''
  guard.stdout.setEncoding('utf8').on('data', (text) => (output += text))
  const isOver = new Promise((resolve) => guard.once('close', resolve))
  const env = { ...process.env, HERMA_TEST_RUN: folder }
  const child = spawn(process.execPath, ['-e', script], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const isReady = new Promise((resolve) => child.stdout.once('data', resolve))
  const signal = new Promise((resolve) => child.once('exit', (_, name) => resolve(name)))
  return { folder, guard, child, isReady, signal, isOver, output: () => output }
}

test('when the run is killed, its processes are ended and its folder is removed', async () => {
  const run = setUp(`console.log('ready'); ${forever}`)
  await run.isReady
  run.guard.stdin.end()
  expect(await run.signal).toBe('SIGTERM')
  await run.isOver
  expect(existsSync(run.folder)).toBe(false)
  expect(run.output()).toBe('')
})

test('a process that does not listen is killed', async () => {
  const run = setUp(`process.on('SIGTERM', () => {}); console.log('ready'); ${forever}`)
  await run.isReady
  run.guard.stdin.end()
  expect(await run.signal).toBe('SIGKILL')
  await run.isOver
})

test('what a run that came to its end has left is named', async () => {
  const run = setUp(`console.log('ready'); ${forever}`)
  await run.isReady
  run.guard.stdin.end('done')
  expect(await run.signal).toBe('SIGTERM')
  await run.isOver
  expect(run.output()).toMatch(/^LEFT BEHIND by the tests, ended now:\n {2}\d+ /)
})

test('after a run that ended by itself, what is about to end is not called left behind', async () => {
  const run = setUp("console.log('ready'); setTimeout(() => {}, 500)")
  await run.isReady
  run.guard.stdin.end('done')
  expect(await run.signal).toBe(null)
  await run.isOver
  expect(run.output()).toBe('')
  expect(existsSync(run.folder)).toBe(false)
})
