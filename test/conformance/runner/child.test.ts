import { expect, test } from 'vitest'
import { startChild } from './child.ts'

const node = (script: string) => ['-e', script]

test('the first line is what the process printed first', async () => {
  const child = startChild(
    process.execPath,
    node('console.log("one"); console.log("two"); setInterval(() => {}, 1000)'),
  )
  expect(await child.firstLine()).toBe('one')
  expect(await child.stop()).toBe(false)
  expect(child.isRunning()).toBe(false)
})

test('a process that ends before it printed a line is an error with its last words', async () => {
  const child = startChild(process.execPath, node('console.error("no port left"); process.exit(3)'))
  await expect(child.firstLine()).rejects.toThrow(/ended with 3[^]*no port left/)
})

test('a process that will not end is killed with its children', async () => {
  const stubborn = `
    process.on('SIGTERM', () => {})
    const { spawn } = require('node:child_process')
    spawn(process.execPath, ['-e', 'console.log("ready"); setInterval(() => {}, 1000)'], { stdio: 'inherit' })
    setInterval(() => {}, 1000)`
  const child = startChild(process.execPath, node(stubborn), { stopTimeoutMs: 100 })
  await child.firstLine()
  expect(await child.stop()).toBe(true)
  // The grandchild holds the same output, so this comes only after its end.
  expect(await child.ended).toBe('SIGKILL')
})

test('a command that does not exist is an error and not a crash', async () => {
  const child = startChild('no-such-command-here', [])
  await expect(child.firstLine()).rejects.toThrow('ENOENT')
  expect(await child.stop()).toBe(false)
})
