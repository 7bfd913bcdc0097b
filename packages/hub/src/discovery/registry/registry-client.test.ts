import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFakeRegistry, type FakeRegistry } from '../../../../../test/fixtures/fake-registry/start-fake-registry.ts'
import { createAddressGuard, type AddressPolicy } from '../../platform/network/index.ts'
import { RegistryClient } from './registry-client.ts'

const open: AddressPolicy = { private: 'allow', allow: [] }
const clients: RegistryClient[] = []
let registry: FakeRegistry

/** A client that has asked nothing so far. */
function ask(policy = open, limits = { ms: 300, bytes: 100_000 }): RegistryClient {
  const client = new RegistryClient(
    createAddressGuard(() => policy),
    limits,
  )
  clients.push(client)
  return client
}

beforeAll(async () => {
  const many = Array.from({ length: 35 }, (_, index) => ({ name: `io.example/tool-${index}`, version: '1.0.0' }))
  const broken = { name: 'io.example/bro\u202Eken', version: '1.0.0' }
  registry = await startFakeRegistry([
    ...many,
    broken,
    { name: 'io.example/old', version: '2.0.0', status: 'deprecated' },
  ])
})

afterAll(async () => {
  await Promise.all(clients.map((client) => client.stop()))
  await registry[Symbol.asyncDispose]()
})

const usually = { ms: 20_000, bytes: 4_000_000 }

test('a search goes through its pages, and one that cannot be read is counted', async () => {
  const client = ask(open, usually)
  const first = await client.search(registry.url, 'io.example')
  const second = await client.search(registry.url, 'io.example', first.nextCursor ?? '')
  expect([first.servers.length, second.servers.length, second.skipped, second.nextCursor]).toEqual([30, 6, 1, null])
  expect(second.servers.at(-1)?.server).toMatchObject({
    name: 'io.example/old',
    status: 'deprecated',
    version: '2.0.0',
  })
  expect(registry.asked[0]).toBe('/v0.1/servers?version=latest&limit=30&search=io.example')
})

test('the same question is asked once', async () => {
  const client = ask(open, usually)
  const before = registry.asked.length
  await client.get(registry.url, 'io.example/tool-1')
  await client.get(registry.url, 'io.example/tool-1')
  expect(registry.asked.slice(before)).toEqual(['/v0.1/servers/io.example%2Ftool-1/versions/latest'])
})

test('an unknown server or version is told from a registry that fails', async () => {
  const client = ask(open, usually)
  await expect(client.get(registry.url, 'io.example/none')).rejects.toMatchObject({ code: 'SERVER_NOT_FOUND' })
  await expect(client.get(registry.url, 'io.example/old', '1.0.0')).rejects.toThrow(
    /in version 1\.0\.0.*herma discover/,
  )
})

test.each([
  ['never answers', () => {}, 'DOWNSTREAM_TIMEOUT'],
  ['fails', (response) => response.writeHead(500).end('x'), 'DOWNSTREAM_FAILED'],
  ['answers with a page', (response) => response.end('<html>'), 'DOWNSTREAM_FAILED'],
  ['answers with something else', (response) => response.end('{"items": []}'), 'DOWNSTREAM_FAILED'],
  ['answers without an end', (response) => response.end(`"${'x'.repeat(200_000)}"`), 'ANSWER_TOO_LARGE'],
  ['hangs up', (response) => response.destroy(), 'DOWNSTREAM_UNAVAILABLE'],
] as [string, NonNullable<FakeRegistry['misbehave']>, string][])('a registry that %s', async (_, misbehave, code) => {
  registry.misbehave = misbehave
  try {
    const { ms } = code === 'DOWNSTREAM_TIMEOUT' ? { ms: 300 } : usually
    const search = ask(open, { ms, bytes: 100_000 }).search(registry.url, 'x')
    await expect(search).rejects.toMatchObject({ code, message: expect.stringMatching(/Try again|Check|Search for/) })
  } finally {
    registry.misbehave = null
  }
})

test('an address that the hub must not reach is refused before it is asked', async () => {
  const before = registry.asked.length
  const closed = ask({ private: 'deny', allow: [] }, usually)
  await expect(closed.search(registry.url, 'x')).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' })
  expect(registry.asked.length).toBe(before)
})

test('no network is said at once, with the next step', async () => {
  const gone = await startFakeRegistry([])
  await gone[Symbol.asyncDispose]()
  const search = ask(open, usually).search(gone.url, 'x')
  await expect(search).rejects.toThrow(/cannot be reached \(ECONNREFUSED\).*herma discover registry/)
})
