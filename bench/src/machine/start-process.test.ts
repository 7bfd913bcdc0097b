import { expect, test } from 'vitest'
import { startProcess } from './start-process.ts'

const node = (program: string) => ({ name: 'thing', command: process.execPath, args: ['-e', program] })

test('a process that ends by itself fails with its last words', async () => {
  const started = startProcess(node(`process.stderr.write('no such port'); process.exitCode = 3`))
  await expect(started.failed).rejects.toThrow(/thing ended with code 3[^]*no such port/)
  await started.stop()
})

test('a command that does not exist fails', async () => {
  const started = startProcess({ name: 'thing', command: '/nonexistent/program', args: [] })
  await expect(started.failed).rejects.toThrow(/thing spawn .*ENOENT/)
  await started.stop()
})

test('a stopped process is gone and fails nobody', async () => {
  const started = startProcess(node(`process.stdout.write('ready\\n'); setInterval(() => {}, 1000)`))
  expect(await started.firstLine).toBe('ready')
  await started.stop()
  expect(() => process.kill(started.processId, 0)).toThrow(/ESRCH/)
  const outcome = await Promise.race([started.failed, new Promise((resolve) => setTimeout(() => resolve('quiet'), 50))])
  expect(outcome).toBe('quiet')
})
