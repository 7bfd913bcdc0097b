import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modernRevision } from '../../packages/hub/src/wire/index.ts'
import { LegacyCaller } from '../fixtures/caller/legacy-caller.ts'
import { everyCapability, word } from '../fixtures/caller/modern-caller.ts'
import { postMessage } from '../fixtures/caller/post-message.ts'
import type { PuppetCall } from '../fixtures/puppet/puppet-call.ts'
import { puppetTransports, startPuppet, type Puppet } from '../fixtures/puppet/start-puppet.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'
import type { WireMessage } from './wire-client.ts'

let hub: TestHub
const puppets: Puppet[] = []
const gates = new Map<unknown, () => void>()

const behaviours = {
  echo: ({ args }: PuppetCall) => String(args['text']),
  ask: (call: PuppetCall) => call.askWord('a word'),
  work(call: PuppetCall) {
    call.progress(1)
    call.progress(2)
    return 'worked'
  },
  hold: ({ args, signal }: PuppetCall) =>
    new Promise((resolve) => {
      gates.set(args['gate'], () => resolve('opened'))
      signal.addEventListener('abort', () => gates.set(args['gate'], () => {}))
    }),
}

beforeAll(async () => {
  hub = await startTestHub()
  for (const transport of puppetTransports) {
    const puppet = await startPuppet({ transport, behaviours, revision: '2025-03-26', batches: true })
    puppets.push(puppet)
    await hub.add(puppet.connector(transport))
  }
})

afterAll(async () => {
  await hub?.stop()
  await Promise.all(puppets.map((puppet) => puppet.stop()))
})

const connect = (revision = '2025-03-26', capabilities = {}) =>
  LegacyCaller.connect(hub.endpoint, { revision, capabilities, answering: () => word('answered') })

const call = (id: unknown, tool: string, args: object = {}, meta?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: `stream__${tool}`, arguments: args, ...(meta && { _meta: meta }) },
})
const echo = (id: unknown, text: string) => call(id, 'echo', { text })
const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' })
const note = { jsonrpc: '2.0', method: 'notifications/initialized' }

/** The text or the code that each id was answered with. */
function byId(value: unknown): Record<string, unknown> {
  expect(value).toBeInstanceOf(Array)
  return Object.fromEntries(
    (value as WireMessage[]).map(({ id, result, error }) => {
      const text = (result?.['content'] as { text: string }[] | undefined)?.[0]?.text
      return [String(id), error?.code ?? text ?? result]
    }),
  )
}

describe('a batch of 2025-03-26', () => {
  test('is answered with one array that has every answer', async () => {
    const ada = await connect()
    const { status, values } = await ada.raw([echo(1, 'one'), note, echo('two', 'ü, two'), ping(3)])
    expect(status).toBe(200)
    expect(values).toHaveLength(1)
    expect(byId(values[0])).toEqual({ 1: 'one', two: 'ü, two', 3: {} })
  })

  test('of notifications and answers only is accepted without an answer', async () => {
    const ada = await connect()
    expect(await ada.raw([note, note])).toEqual({ status: 202, values: [] })
    expect(await ada.raw([note, { jsonrpc: '2.0', id: 99, result: {} }])).toEqual({ status: 202, values: [] })
  })

  test('has its bad members refused one by one, and its good ones run', async () => {
    const ada = await connect()
    const initialize = { jsonrpc: '2.0', id: 5, method: 'initialize', params: { protocolVersion: '2025-03-26' } }
    const bad = [1, null, [], { jsonrpc: '1.0', id: 2, method: 'ping' }, { jsonrpc: '2.0', id: {}, method: 'ping' }]
    const { status, values } = await ada.raw([
      ...bad,
      initialize,
      echo(6, 'good'),
      call(7, 'nowhere'),
      ping(8),
      ping(8),
    ])
    expect(status).toBe(200)
    const answers = values[0] as WireMessage[]
    expect(answers).toHaveLength(10)
    const codes = answers.map(({ id, result, error }) => [id, error?.code ?? Object.keys(result!)[0] ?? 'empty'])
    const unnamed = [null, -32600]
    expect(codes.toSorted()).toEqual(
      [
        unnamed,
        unnamed,
        unnamed,
        unnamed,
        [2, -32600],
        [5, -32600],
        [6, 'content'],
        [7, -32602],
        [8, -32600],
        [8, 'empty'],
      ].toSorted(),
    )
  })

  test('of bad members only is answered with their errors', async () => {
    const { status, values } = await (await connect()).raw([{}, 'x'])
    expect(status).toBe(200)
    expect(byId(values[0])).toEqual({ null: -32600 })
  })

  test('that is empty or too large is refused as a whole', async () => {
    const ada = await connect()
    const large = Array.from({ length: 101 }, (_, index) => ping(index))
    for (const [batch, reason] of [
      [[], /empty/],
      [large, /101 messages; the limit is 100/],
    ] as const) {
      const { status, values } = await ada.raw(batch)
      expect(status).toBe(400)
      expect((values[0] as WireMessage).error).toMatchObject({ code: -32600, message: expect.stringMatching(reason) })
    }
  })

  test('uses no id that an open request has', async () => {
    const ada = await connect()
    const holding = ada.raw(call(40, 'hold', { gate: 'open id' }))
    const open = await waitFor(() => gates.get('open id'))
    const { values } = await ada.raw([ping(40), ping(41)])
    expect(byId(values[0])).toEqual({ 40: -32600, 41: {} })
    open()
    await holding
  })

  test('with progress becomes a stream whose last event is the array', async () => {
    const ada = await connect()
    const { values } = await ada.raw([call(1, 'work', {}, { progressToken: 'w' }), echo(2, 'two')])
    const progress = values.slice(0, -1) as WireMessage[]
    expect(progress.map(({ params }) => [params?.['progressToken'], params?.['progress']])).toEqual([
      ['w', 1],
      ['w', 2],
    ])
    expect(byId(values.at(-1))).toEqual({ 1: 'worked', 2: 'two' })
  })

  test('can hold a call whose server asks, and the answer can come in a batch', async () => {
    const ada = await connect('2025-03-26', everyCapability)
    const { values } = await ada.raw([call(1, 'ask'), echo(2, 'two')])
    expect(byId(values.at(-1))).toEqual({ 1: 'answered', 2: 'two' })

    const silent = await LegacyCaller.connect(hub.endpoint, {
      revision: '2025-03-26',
      capabilities: everyCapability,
      answering: () => new Promise(() => {}),
    })
    const asking = silent.call('stream__ask')
    await waitFor(() => (silent.asked.length > 0 ? true : undefined))
    const { values: both } = await silent.raw([{ jsonrpc: '2.0', id: 1, result: word('batched') }, ping(9)])
    expect(byId(both[0])).toEqual({ 9: {} })
    expect(JSON.stringify(await asking)).toContain('batched')
  })

  test('leaves the answer to a cancelled member out', async () => {
    const ada = await connect()
    const running = ada.raw([call(70, 'hold', { gate: 'member' }), call(71, 'hold', { gate: 'kept' }), ping(72)])
    const open = await waitFor(() => gates.get('kept'))
    await waitFor(() => gates.get('member'))
    await ada.notify('notifications/cancelled', { requestId: 70 })
    open()
    const { values } = await running
    expect(byId(values.at(-1))).toEqual({ 71: 'opened', 72: {} })
  })

  test('of which every member is cancelled ends without an answer', async () => {
    const ada = await connect()
    const running = ada.raw([call(80, 'hold', { gate: 'all' })])
    await waitFor(() => gates.get('all'))
    await ada.raw([{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 80 } }])
    expect((await running).values).toEqual([])
  })
})

describe('a batch', () => {
  test.each(['2024-11-05', '2025-06-18', '2025-11-25'])('of %s is refused', async (revision) => {
    const { status, values } = await (await connect(revision)).raw([ping(1), ping(2)])
    expect(status).toBe(400)
    expect(values).toHaveLength(1)
    expect((values[0] as WireMessage).error).toMatchObject({
      code: -32600,
      message: expect.stringContaining('one message at a time'),
    })
  })

  test('of a modern client is refused as what it is', async () => {
    const values: unknown[] = []
    const headers = { 'mcp-protocol-version': modernRevision, 'mcp-method': 'ping' }
    const { status } = await postMessage(hub.endpoint, { body: [ping(1)], headers }, (value) => values.push(value)).done
    expect(status).toBe(400)
    expect((values[0] as WireMessage).error).toMatchObject({
      code: -32600,
      message: expect.stringContaining('one message at a time'),
    })
  })
})

describe.each(puppetTransports)('a server behind %s that sends arrays', (at) => {
  test('is understood: answers, progress and questions', async () => {
    const ada = await connect('2025-11-25', everyCapability)
    expect(JSON.stringify(await ada.call(`${at}__echo`, { text: 'one' }))).toContain('one')
    expect(JSON.stringify(await ada.call(`${at}__work`, {}, { progressToken: at }))).toContain('worked')
    expect(ada.notes.map(({ params }) => params?.['progress'])).toEqual([1, 2])
    expect(JSON.stringify(await ada.call(`${at}__ask`))).toContain('answered')
  })
})
