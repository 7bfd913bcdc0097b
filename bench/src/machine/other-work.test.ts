import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { watchOtherWork } from './other-work.ts'

const compute = (ms: number) => ['-e', `const until = Date.now() + ${ms}; while (Date.now() < until);`]

test('what ended children used is our own work, what a running one uses is not', async () => {
  const afterChild = watchOtherWork()
  await promisify(execFile)(process.execPath, compute(600))
  const withChildEnded = afterChild()

  const duringChild = watchOtherWork()
  const child = spawn(process.execPath, compute(60_000))
  await new Promise((resolve) => setTimeout(resolve, 600))
  const withChildRunning = duringChild()
  child.kill()
  await once(child, 'exit')

  for (const share of [withChildEnded, withChildRunning]) {
    expect(share).toBeGreaterThanOrEqual(0)
    expect(share).toBeLessThanOrEqual(1)
  }
  // The running child keeps a core busy, or shares it with others that count as well.
  expect(withChildRunning).toBeGreaterThan(0)
})
