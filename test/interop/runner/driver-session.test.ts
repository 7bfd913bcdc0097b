import { expect, test } from 'vitest'
import { openDriver } from './driver-session.ts'

const request = { method: 'tools/call', params: { name: 'echo' } } as const

function openScript(answer: string) {
  const script = `
    const lines = require('node:readline').createInterface({ input: process.stdin })
    lines.on('line', (line) => { const request = JSON.parse(line); ${answer} })`
  return openDriver({ command: [process.execPath, '-e', script], env: {} })
}

test('each request gets the outcome on its line', async () => {
  const session = openScript('console.log(JSON.stringify({ result: request.params.name, progress: [1] }))')
  expect(await session.request(request)).toEqual({ result: 'echo', progress: [1] })
  expect(await session.request({ ...request, params: { name: 'two' } })).toEqual({ result: 'two', progress: [1] })
  await session.close()
  await session.close()
})

test('an outcome that no server sent is an error, and the next request works', async () => {
  const session = openScript(`
    console.log(JSON.stringify(request.params.name === 'echo' ? { failure: 'it broke' } : { error: { code: -32602 } }))`)
  await expect(session.request(request)).rejects.toThrow('it broke')
  expect(await session.request({ ...request, params: {} })).toEqual({ error: { code: -32602 } })
  await session.close()
})

test('a driver that ends fails the request under way and all later ones with its last words', async () => {
  const session = openScript('console.error("cannot connect"); process.exit(4)')
  const reason = /ended with 4[^]*cannot connect/
  await expect(session.request(request)).rejects.toThrow(reason)
  await expect(session.request(request)).rejects.toThrow(reason)
  await session.close()
})

test('a driver that prints something else is an error', async () => {
  const session = openScript('console.log("Welcome!")')
  await expect(session.request(request)).rejects.toThrow('Welcome!')
  await session.close()
})

test('a driver that does not exist is an error', async () => {
  const session = openDriver({ command: ['no-such-driver-here'], env: {} })
  await expect(session.request(request)).rejects.toThrow('ENOENT')
  await session.close()
})
