import { expect, test } from 'vitest'
import { endPrograms, runProgram } from './run-program.ts'

const run = (script: string, timeoutMs?: number) =>
  runProgram([process.execPath, '-e', script], { env: { WORD: 'hello' }, ...(timeoutMs && { timeoutMs }) })

test('a program that ended comes with its code, its output and only the environment that it was given', async () => {
  const script = 'console.log(process.env.WORD, process.env.HOME); console.error("oh"); process.exitCode = 3'
  expect(await run(script)).toEqual({ code: 3, stdout: 'hello undefined\n', stderr: 'oh\n' })
})

test('a program that takes too long ends with what it started', async () => {
  const script = `
    require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
    setInterval(() => {}, 1000)`
  // The grandchild holds the same output, so this ends only with it.
  await expect(run(script, 2000)).rejects.toThrow('did not end within 2 s')
})

test('a program that does not exist is an error', async () => {
  await expect(runProgram(['no-such-program-here'], { env: {} })).rejects.toThrow('ENOENT')
})

test('whoever is interrupted can end the programs that still run', async () => {
  const running = run('setInterval(() => {}, 1000)')
  // The process is there as soon as it was started.
  endPrograms()
  await expect(running).rejects.toThrow('did not end')
})
