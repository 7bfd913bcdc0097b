import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { metaKeys, modernRevision } from '../../packages/hub/src/wire/index.ts'
import { LegacyCaller } from '../fixtures/caller/legacy-caller.ts'
import { ModernCaller } from '../fixtures/caller/modern-caller.ts'
import type { PuppetCall } from '../fixtures/puppet/puppet-call.ts'
import { startPuppet, type Puppet, type PuppetOptions } from '../fixtures/puppet/start-puppet.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'
import { textOf, type WireMessage } from './wire-client.ts'

type Json = Record<string, unknown>

let hub: TestHub
const puppets = new Map<string, Puppet>()

/** Shows what the server was told, and by which of its links. */
const behaviours = {
  who: ({ session, meta }: PuppetCall) =>
    JSON.stringify({
      told: session.clientCapabilities ?? meta[metaKeys.clientCapabilities],
      link: [...puppets.values()].map(({ sessions }) => sessions.indexOf(session)).find((index) => index >= 0),
    }),
  say({ session }: PuppetCall) {
    session.notify('notifications/message', { level: 'error', data: 'hello' })
    return 'said'
  },
}

const servers: [string, PuppetOptions, Json?][] = [
  ['shared', { transport: 'stream' }],
  ['one-process', { transport: 'stdio' }],
  ['kind-stdio', { transport: 'stdio' }, { isolation: 'kind' }],
  ['isolated', { transport: 'stream' }, { isolation: 'connection' }],
  ['single', { transport: 'stdio' }, { isolation: 'single' }],
  ['modern', { transport: 'stream', revision: modernRevision }],
  ['modern-stdio', { transport: 'stdio', revision: modernRevision }],
  ['crowded', { transport: 'stream' }, { isolation: 'connection', maxConcurrency: 1 }],
]

beforeAll(async () => {
  hub = await startTestHub()
  for (const [name, options, own] of servers) {
    const puppet = await startPuppet({ ...options, behaviours })
    puppets.set(name, puppet)
    await hub.add(puppet.connector(name, own))
  }
})

afterAll(async () => {
  await hub?.stop()
  await Promise.all([...puppets.values()].map((puppet) => puppet.stop()))
})

interface Client {
  call(tool: string): Promise<WireMessage>
}

const connect = {
  legacy: (capabilities: Json): Promise<Client> => LegacyCaller.connect(hub.endpoint, { capabilities }),
  modern: (capabilities: Json): Promise<Client> => Promise.resolve(new ModernCaller(hub.endpoint, capabilities)),
}

async function seen(client: Client, server: string): Promise<{ told: unknown; link: number }> {
  return JSON.parse(textOf({ message: await client.call(`${server}__who`) })) as { told: unknown; link: number }
}

/** What a client declares, and what a server of any revision is told. */
const kinds: [string, Json, Json][] = [
  ['nothing', {}, {}],
  ['sampling', { sampling: {} }, { sampling: {} }],
  ['sampling with tools', { sampling: { tools: {} } }, { sampling: { tools: {} } }],
  ['elicitation as 2025-06-18 says it', { elicitation: {} }, { elicitation: { form: {} } }],
  ['forms', { elicitation: { form: {} } }, { elicitation: { form: {} } }],
  ['URLs only', { elicitation: { url: {} } }, { elicitation: { url: {} } }],
  ['roots whose changes it reports', { roots: { listChanged: true } }, { roots: {} }],
  ['tasks of 2025-11-25', { tasks: { requests: {} }, sampling: {} }, { sampling: {} }],
  [
    'everything, and something else',
    { roots: {}, elicitation: { url: {}, form: {} }, sampling: { tools: {}, context: {} }, experimental: { x: {} } },
    { sampling: { context: {}, tools: {} }, elicitation: { form: {}, url: {} }, roots: {}, experimental: { x: {} } },
  ],
]

describe.each(['shared', 'kind-stdio', 'isolated'])('the legacy server behind %s', (server) => {
  test.each(kinds)('hears in initialize that a legacy client can do: %s', async (_, declared, told) => {
    // One that serves nobody else hears it word for word.
    const expected = server === 'isolated' ? declared : told
    expect((await seen(await connect.legacy(declared), server)).told).toEqual(expected)
  })

  test.each(kinds)('hears in initialize that a modern client can do: %s', async (_, declared, told) => {
    expect((await seen(await connect.modern(declared), server)).told).toEqual(told)
  })
})

describe.each(['modern', 'modern-stdio'])('the modern server behind %s', (server) => {
  test.each(kinds)('hears with each request that a legacy client can do: %s', async (_, declared, told) => {
    expect((await seen(await connect.legacy(declared), server)).told).toEqual(told)
  })

  test.each(kinds)('hears word for word that a modern client can do: %s', async (_, declared) => {
    expect((await seen(await connect.modern(declared), server)).told).toEqual(declared)
  })
})

test.each(['one-process', 'single'])('the one process of %s hears that all clients can do everything', async (name) => {
  const everything = { sampling: { context: {}, tools: {} }, elicitation: { form: {}, url: {} }, roots: {} }
  const links = new Set<number>()
  for (const [, declared] of kinds) {
    for (const client of [await connect.legacy(declared), await connect.modern(declared)]) {
      const { told, link } = await seen(client, name)
      expect(told).toEqual(everything)
      links.add(link)
    }
  }
  expect(links.size).toBe(1)
})

describe.each(['shared', 'kind-stdio'])('clients of %s', (server) => {
  test('that can do the same share a link, whatever their era', async () => {
    const [one, two] = [await connect.legacy({ elicitation: {} }), await connect.modern({ elicitation: { form: {} } })]
    const three = await connect.legacy({ elicitation: { form: {}, other: {} } })
    const links = await Promise.all([one, two, three].map((client) => seen(client, server)))
    expect(new Set(links.map(({ link }) => link)).size).toBe(1)
  })

  test('that can do different things do not', async () => {
    const clients = await Promise.all([{}, { sampling: {} }, { roots: {} }].map(connect.legacy))
    const links = await Promise.all(clients.map((client) => seen(client, server)))
    expect(new Set(links.map(({ link }) => link)).size).toBe(3)
  })
})

describe('a server for each connection', () => {
  test('is another one for each legacy client, and the same for all of its calls', async () => {
    const [one, two] = [await connect.legacy({ roots: {} }), await connect.legacy({ roots: {} })]
    const links = [await seen(one, 'isolated'), await seen(two, 'isolated'), await seen(one, 'isolated')]
    expect(links[0]!.link).not.toBe(links[1]!.link)
    expect(links[2]!.link).toBe(links[0]!.link)
  })

  test('is not taken by a client that never called it', async () => {
    const idle = await LegacyCaller.connect(hub.endpoint)
    const ada = await LegacyCaller.connect(hub.endpoint)
    const grace = await LegacyCaller.connect(hub.endpoint)
    for (const client of [idle, ada, grace]) client.listen()
    expect(textOf({ message: await ada.call('crowded__say') })).toBe('said')
    await waitFor(() => (ada.notes.some(({ params }) => params?.['data'] === 'hello') ? true : undefined), 5000)
    await ada.close()
    expect(textOf({ message: await grace.call('crowded__say') })).toBe('said')
  })
})
