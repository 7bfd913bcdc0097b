import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { withLock } from './lock.mjs'

test('two pieces of work under one lock do not overlap', async () => {
  const name = `test-${randomUUID()}`
  /** @type {string[]} */
  const steps = []
  const work = (/** @type {string} */ id) => async () => {
    steps.push(`${id} begins`)
    await sleep(20)
    steps.push(`${id} ends`)
  }

  await Promise.all([withLock(name, work('one')), withLock(name, work('two'))])

  expect(steps).toEqual(['one begins', 'one ends', 'two begins', 'two ends'])
})

test('a lock is free again when the work failed, and when its owner was killed', async () => {
  const name = `test-${randomUUID()}`
  const failing = withLock(name, () => Promise.reject(new Error('no disk')))
  await expect(failing).rejects.toThrow('no disk')

  const module = new URL('lock.mjs', import.meta.url).href
  const script = `const { withLock } = await import('${module}'); await withLock('${name}', () => process.kill(process.pid, 'SIGKILL'))`
  expect(spawnSync(process.execPath, ['--input-type=module', '-e', script]).signal).toBe('SIGKILL')

  let hasRun = false
  await withLock(name, () => void (hasRun = true))
  expect(hasRun).toBe(true)
})
