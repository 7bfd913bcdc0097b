import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { Pool } from 'undici'
import { afterEach, expect, test } from 'vitest'
import { createAddressGuard, createAddressFetch } from './address-guard.ts'
import type { AddressPolicy } from './address-policy.ts'

const undos: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (let undo = undos.pop(); undo; undo = undos.pop()) await undo()
})

const closed: AddressPolicy = { private: 'deny', allow: [] }
const open: AddressPolicy = { private: 'allow', allow: [] }

async function serve(handle: RequestListener): Promise<number> {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  undos.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  return (server.address() as AddressInfo).port
}

/** A name server whose answers are given in turn; the last one stays. */
function nameServer(...answers: string[][]) {
  const asked: string[] = []
  const lookup: LookupFunction = (host, options, callback) => {
    const answer = answers[Math.min(asked.push(host), answers.length) - 1]!
    const found = answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    if (options.all === true) callback(null, found)
    else callback(null, found[0]!.address, found[0]!.family)
  }
  return { lookup, asked }
}

function guardedFetch(policy: AddressPolicy, lookup?: LookupFunction) {
  const { fetch, close } = createAddressFetch(createAddressGuard(() => policy, lookup))
  undos.push(close)
  // What fetch throws hides its reason.
  return (url: string, init?: RequestInit) => fetch(url, init).catch((error: Error) => Promise.reject(error.cause))
}

const refusal = (text: string) =>
  expect.objectContaining({ code: 'ADDRESS_REFUSED', message: expect.stringMatching(text) })

test('a private address is refused with the next step, and nobody hears of it', async () => {
  let visits = 0
  const port = await serve((_, response) => response.end(String(++visits)))
  const fetch = guardedFetch(closed)
  const text = '^127.0.0.1 is an address of the machine.* Allow it with: herma access --reach 127.0.0.1$'
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toEqual(refusal(text))
  await expect(fetch(`http://localhost:${port}/`)).rejects.toEqual(refusal('^localhost \\('))
  await expect(fetch(`http://[::ffff:127.0.0.1]:${port}/`)).rejects.toEqual(refusal('address of the machine'))
  await expect(fetch(`http://2130706433:${port}/`)).rejects.toEqual(refusal('^127.0.0.1 is'))
  expect(visits).toBe(0)
  expect(await (await guardedFetch(open)(`http://127.0.0.1:${port}/`)).text()).toBe('1')
})

test('the address of a cloud machine is refused even where private addresses are allowed', async () => {
  await expect(guardedFetch(open)('http://169.254.169.254/latest/meta-data/')).rejects.toEqual(refusal('credentials'))
})

test('a name that answers otherwise a moment later does not get past', async () => {
  let visits = 0
  const port = await serve((_, response) => response.writeHead(200, { connection: 'close' }).end(String(++visits)))
  const names = nameServer(['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1', '10.0.0.1'])
  const fetch = guardedFetch({ private: 'deny', allow: ['127.0.0.0/8'] }, names.lookup)
  expect(await (await fetch(`http://rebind.example:${port}/`)).text()).toBe('1')
  await expect(fetch(`http://rebind.example:${port}/`)).rejects.toEqual(refusal('rebind.example \\(169.254.169.254\\)'))
  await expect(fetch(`http://rebind.example:${port}/`)).rejects.toEqual(refusal('rebind.example \\(10.0.0.1\\)'))
  expect({ visits, asked: names.asked.length }).toEqual({ visits: 1, asked: 3 })
})

test('a redirect is judged like the address that it starts from', async () => {
  const port = await serve((request, response) => {
    const to = request.url === '/metadata' ? 'http://169.254.169.254/' : `http://elsewhere.example:${port}/`
    response.writeHead(307, { location: to }).end()
  })
  const { lookup } = nameServer(['127.0.0.1'], ['10.0.0.1'])
  const fetch = guardedFetch({ private: 'deny', allow: ['127.0.0.1'] }, lookup)
  await expect(fetch(`http://127.0.0.1:${port}/metadata`)).rejects.toEqual(refusal('^169.254.169.254'))
  await expect(fetch(`http://start.example:${port}/`)).rejects.toEqual(refusal('^elsewhere.example'))
})

test('a pool looks a name up once for each socket, not for each request', async () => {
  const port = await serve((_, response) => response.end('ok'))
  const names = nameServer(['127.0.0.1'])
  const guard = createAddressGuard(() => open, names.lookup)
  const pool = new Pool(`http://one.example:${port}`, { connections: 1, connect: guard.connector() })
  undos.push(() => pool.destroy())
  for (let count = 0; count < 20; count++) await (await pool.request({ path: '/', method: 'GET' })).body.dump()
  expect(names.asked).toEqual(['one.example'])
})

test('a change of the policy holds from the next socket on', async () => {
  const port = await serve((_, response) => response.writeHead(200, { connection: 'close' }).end('ok'))
  let policy = open
  const { fetch, close } = createAddressFetch(createAddressGuard(() => policy))
  undos.push(close)
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
  policy = closed
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed')
})
