import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createGuardedFetch } from './guarded-fetch.ts'

const undos: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (let undo = undos.pop(); undo; undo = undos.pop()) await undo()
})

async function serve(handle: RequestListener): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  undos.push(() => new Promise((resolve) => server.close(resolve)))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function guarded() {
  const outcome = { isTransient: false }
  const redact = (text: string) => text.replaceAll('hush-hush', '••••')
  return { outcome, fetch: createGuardedFetch({ redact, outcome, fetch }) }
}

test('an error is read with its secrets masked, also where it is cut', async () => {
  const url = await serve((_, response) => response.writeHead(400).end(`${'x'.repeat(1995)}hush-hush`))
  const response = await guarded().fetch(url, { method: 'POST' })
  expect(await response.text()).toBe(`${'x'.repeat(1995)}••••`)
})

test('credentials follow no redirect', async () => {
  let visits = 0
  const elsewhere = await serve((_, response) => response.end(String(++visits)))
  const url = await serve((_, response) => response.writeHead(307, { location: elsewhere }).end())
  await expect(guarded().fetch(url, { method: 'POST', body: 'secret' })).rejects.toThrow(TypeError)
  expect(visits).toBe(0)
  expect(await (await guarded().fetch(url)).text()).toBe('1')
})

test.each([
  [400, false],
  [401, false],
  [429, true],
  [503, true],
])('a token request answered with %s is a passing trouble: %s', async (status, expected) => {
  const url = await serve((_, response) => response.writeHead(status).end())
  const { fetch, outcome } = guarded()
  expect((await fetch(url, { method: 'POST' })).status).toBe(status)
  expect(outcome.isTransient).toBe(expected)
})

test('a server that is away is named, as the kind of error that the SDK does not take for a missing page', async () => {
  const { fetch, outcome } = guarded()
  await expect(fetch('http://127.0.0.1:9/token?code=x')).rejects.toThrow(
    expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(/^http:\/\/127.0.0.1:9 cannot/) }),
  )
  expect(outcome.isTransient).toBe(true)
})
