import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { EventView } from '@herma/contract'
import { createScratch, scriptedConnector, type Scratch } from '../../fixtures/scripted-connector.ts'
import { RawClient } from '../../fixtures/misbehaving/raw-client.ts'
import { openSlowReader, type ReaderKind, type SlowReader } from '../../load/slow-reader.ts'
import { waitFor } from '../start-test-hub.ts'
import { startAttackHub, type AttackHub, type Credential } from './start-attack-hub.ts'

// Clients that ask for large answers and never read them, to use up the memory or a place that others need.

let scratch: Scratch
let hub: AttackHub
const readers: SlowReader[] = []

beforeAll(async () => {
  scratch = await createScratch()
  hub = await startAttackHub({ connectors: [scriptedConnector('scripted', scratch.file('journal'))] })
})
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close()
})
afterAll(async () => {
  await hub.stop()
  await scratch[Symbol.asyncDispose]()
})

const large = { name: 'scripted__big', arguments: { bytes: 8_000_000, id: 'first' } }

async function hoard(kind: ReaderKind, headers: Record<string, string> = {}): Promise<void> {
  readers.push(await openSlowReader(kind, hub.url, large, headers))
}

async function figure(name: string): Promise<number> {
  const { text } = await hub.ask('/metrics')
  const values = [...text.matchAll(new RegExp(`^herma_${name}(?:\\{.*\\})? (\\d+)$`, 'gm'))]
  return values.reduce((sum, [, value]) => sum + Number(value), 0)
}

/** `waitFor` takes false for an answer. */
const until = (holds: () => Promise<boolean>) => waitFor(async () => ((await holds()) ? true : undefined))

const waiting = async () => Number(/buffered_bytes\{of="hub"\} (\d+)/.exec((await hub.ask('/metrics')).text)?.[1])

describe('answers that nobody reads', () => {
  test.each<ReaderKind>(['modern', 'legacy', 'sse'])(
    'of %s clients are cut off when they fill the memory',
    async (kind) => {
      await hub.api('PATCH', '/api/servers/facade', { sse: true })
      await hub.api('PATCH', '/api/access/settings', { memory: { client: 32, principal: 16, hub: 64 } })
      const before = await figure('clients_cut_total')
      for (let count = 0; count < 8; count++) await hoard(kind)
      await until(async () => (await figure('clients_cut_total')) >= before + 3)
      await until(async () => (await waiting()) <= 16 * 1024 * 1024)
      // Others are served all the while.
      expect((await new RawClient(hub.endpoint).callTool('scripted__echo', { text: 'hi' })).text).toContain('hi')
      await until(async () => {
        const { events } = (await hub.api('GET', '/api/events?limit=200')).body as { events: EventView[] }
        const cut = events.find((event) => event.kind === 'client.cut')
        return cut?.principal === 'operator' && cut.data['over'] === 'principal'
      })
    },
  )

  test('leave nothing behind when their clients go', async () => {
    await hub.api('PATCH', '/api/access/settings', { memory: { client: 32, principal: 64, hub: 128 } })
    for (let count = 0; count < 3; count++) await hoard('modern')
    await until(async () => (await waiting()) > 10_000_000)
    for (const reader of readers) reader.close()
    await until(async () => (await waiting()) === 0)
    expect(await figure('slow_readers')).toBe(0)
  })

  test('count as calls under way, so that a key has no more of them than it may', async () => {
    const key = await limitedKey('two-at-once', { callsPerMinute: null, concurrency: 2 })
    await hoard('modern', { ...key })
    await hoard('modern', { ...key })
    await until(async () => (await figure('slow_readers')) === 2)
    const third = await new RawClient(hub.endpoint, { ...key }).callTool('scripted__echo', { text: 'hi' })
    expect([third.status, third.text]).toEqual([429, expect.stringContaining('may have 2 calls under way')])
    readers[0]!.close()
    await until(async () => {
      const again = await new RawClient(hub.endpoint, { ...key }).callTool('scripted__echo', { text: 'hi' })
      return again.status === 200
    })
  })
})

describe('what is called inside of a call', () => {
  test('counts against the limits of the caller', async () => {
    const steps = [1, 2, 3].map((number) => ({
      id: `s${number}`,
      server: 'scripted',
      tool: 'echo',
      arguments: { text: 'x' },
    }))
    const definition = { name: 'thrice', description: 'Says it three times.', steps }
    const added = await hub.api('PUT', '/api/catalog/composites/thrice', { kind: 'pipeline', definition })
    expect(added.status, JSON.stringify(added.body)).toBeLessThan(300)
    const key = await limitedKey('few', { callsPerMinute: 60, concurrency: null })
    const client = new RawClient(hub.endpoint, { ...key })
    const answers: string[] = []
    for (let count = 0; count < 3; count++) answers.push((await client.callTool('thrice')).text)
    expect(answers[0]).not.toContain('60 times a minute')
    expect(answers.at(-1)).toContain('60 times a minute')
  })
})

test('connections are opened no faster than calls may be made', async () => {
  const key = await limitedKey('opener', { callsPerMinute: 20, concurrency: null })
  const client = new RawClient(hub.endpoint, { ...key })
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const open = () => client.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello })
  const statuses: number[] = []
  for (let count = 0; count < 8; count++) statuses.push((await open()).status)
  expect(statuses[0]).toBe(200)
  expect(statuses.at(-1)).toBe(429)
})

function limitedKey(
  name: string,
  limits: { callsPerMinute: number | null; concurrency: number | null },
): Promise<Credential> {
  return hub.key({ name, limits })
}
