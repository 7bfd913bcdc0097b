import type { ConnectorOptions } from '@herma/contract'
import { describe, expect, test } from 'vitest'
import { relayedCapabilities, type Call } from '../wire/index.ts'
import { LinkGroup, type LinkRole } from './link-group.ts'
import type { LinkKeeper } from './link-keeper.ts'
import { createCaller, TestCall } from './testing/test-call.ts'
import { createConnector, createHandshake, createKeeper, TestLink } from './testing/test-link.ts'

const asks = (name: string) => ({ elicitation: {}, experimental: { [name]: {} } })

function createGroup(
  options: Partial<ConnectorOptions> = {},
  { era = 'legacy', transport = 'stdio' }: { era?: 'legacy' | 'modern' | null; transport?: 'stdio' | 'stream' } = {},
) {
  const roles: LinkRole[] = []
  const group = new LinkGroup(createConnector(options, transport), {
    create: (role) => {
      roles.push(role)
      return createKeeper(() => new TestLink())
    },
    isNeeded: () => false,
    known: era === null ? null : createHandshake(era),
  })
  return { group, roles }
}

/** Puts a call on its way and returns the link that it took. */
async function send(group: LinkGroup, call: Call): Promise<LinkKeeper> {
  const keeper = group.for(call)!
  const link = await keeper.get()
  link.send(call)
  return keeper
}

describe('the links of a legacy server', () => {
  test('are the same for clients that can do the same, whatever their era', () => {
    const { group, roles } = createGroup()
    const [one, two] = [createCaller('a', { elicitation: {} }), createCaller(null, { elicitation: { form: {} } })]
    expect(group.for(new TestCall(one))).toBe(group.for(new TestCall(two)))
    expect(roles).toEqual([{ kind: 'shared' }, { kind: 'lane', capabilities: { elicitation: { form: {} } } }])
  })

  test('are different for clients that can do different things', () => {
    const { group } = createGroup()
    const keepers = [{}, { sampling: {} }, { roots: {} }].map((can) => group.for(new TestCall(createCaller('a', can))))
    expect(new Set([group.shared, ...keepers]).size).toBe(4)
  })

  test('have the shared one for clients that can do everything', () => {
    const { group } = createGroup()
    expect(group.for(new TestCall(createCaller('a', relayedCapabilities)))).toBe(group.shared)
  })

  test('are one when its connector says so, and one for each legacy client when it says that', () => {
    const single = createGroup({ isolation: 'single' }).group
    expect(single.for(new TestCall(createCaller('a', {})))).toBe(single.shared)
    const { group, roles } = createGroup({ isolation: 'connection' })
    const [one, two] = [createCaller('a', { roots: {} }), createCaller('b', { roots: {} })]
    expect(group.for(new TestCall(one))).not.toBe(group.for(new TestCall(two)))
    expect(group.for(new TestCall(one))).toBe(group.homeOf(one))
    expect(roles[1]).toEqual({ kind: 'connection', connectionId: 'a', capabilities: { roots: {} } })
    group.closeConnection('a')
    expect(group.all()).toHaveLength(2)
  })

  test('are as many as its concurrency allows when each client has its own', () => {
    const { group } = createGroup({ isolation: 'connection', maxConcurrency: 1 })
    group.for(new TestCall(createCaller('a')))
    expect(() => group.for(new TestCall(createCaller('b')))).toThrow(/its limit/)
    group.closeConnection('a')
    expect(group.for(new TestCall(createCaller('b')))).not.toBeNull()
  })

  test('are not more because a client was only looked at', () => {
    const { group, roles } = createGroup({ isolation: 'connection', maxConcurrency: 1 })
    expect(group.serves(group.shared, createCaller('a'))).toBe(false)
    expect(group.serves(group.shared, createCaller('b'))).toBe(false)
    expect(roles).toHaveLength(1)
  })

  test('are the shared one until the era is known', () => {
    const { group } = createGroup({}, { era: null })
    const call = new TestCall(createCaller('a', {}))
    expect(group.for(call)).toBe(group.shared)
    group.opened({ kind: 'shared' }, createHandshake('legacy'))
    expect(group.for(call)).not.toBe(group.shared)
  })

  test('make room for another kind of client by letting the one go that was idle for longest', async () => {
    const { group } = createGroup()
    const callers = Array.from({ length: 16 }, (_, index) => createCaller('a', asks(`kind ${index}`)))
    const keepers = callers.map((caller) => group.homeOf(caller))
    for (const [index, keeper] of keepers.entries()) keeper.lastUsedAt = index === 7 ? -1 : index
    const next = group.for(new TestCall(createCaller('a', asks('kind 16'))))
    expect(group.all()).not.toContain(keepers[7])
    expect(group.all()).toEqual(expect.arrayContaining([group.shared, next, keepers[0], keepers[15]]))
    expect(group.all()).toHaveLength(17)
  })

  test('have no room for another kind of client while all are busy', async () => {
    const { group } = createGroup()
    for (let index = 0; index < 16; index++) await send(group, new TestCall(createCaller('a', asks(`kind ${index}`))))
    expect(() => group.for(new TestCall(createCaller('a', asks('kind 16'))))).toThrow(/kinds of clients/)
  })
})

describe('the links of a legacy server that asks without saying whom', () => {
  test('carry the calls of one client at a time', async () => {
    const { group } = createGroup()
    group.noteStrayQuestion()
    const [first, second, third] = ['a', 'a', 'b'].map((id) => new TestCall(createCaller(id)))
    const [one, two, other] = [await send(group, first!), await send(group, second!), await send(group, third!)]
    expect(two).toBe(one)
    expect(other).not.toBe(one)
    expect(group.serves(other, third!.caller)).toBe(true)
  })

  test('count calls that wait for them to open', () => {
    const { group } = createGroup()
    group.noteStrayQuestion()
    const first = new TestCall(createCaller('a'))
    const keeper = group.for(first)!
    keeper.waiting.add(first)
    expect(group.for(new TestCall(createCaller('b')))).not.toBe(keeper)
    expect(group.for(new TestCall(createCaller('a')))).toBe(keeper)
  })

  test('are few, then a call waits until one is free', async () => {
    const { group } = createGroup()
    group.noteStrayQuestion()
    const calls = Array.from({ length: 4 }, () => new TestCall(createCaller()))
    const keepers: LinkKeeper[] = []
    for (const call of calls) keepers.push(await send(group, call))
    expect(new Set(keepers).size).toBe(4)
    const waiting = new TestCall(createCaller())
    expect(group.for(waiting)).toBeNull()
    calls[2]!.cancel()
    expect(group.for(waiting)).toBe(keepers[2])
  })

  test('are one when its connector says so', async () => {
    const { group } = createGroup({ isolation: 'single' })
    group.noteStrayQuestion()
    await send(group, new TestCall(createCaller('a')))
    expect(group.for(new TestCall(createCaller('b')))).toBeNull()
  })

  test('are shared by clients that cannot be asked anyway', async () => {
    const { group } = createGroup()
    group.noteStrayQuestion()
    const keeper = await send(group, new TestCall(createCaller('a', {})))
    expect(group.for(new TestCall(createCaller('b', {})))).toBe(keeper)
  })
})

describe('the links of a modern server', () => {
  test('are one for everybody', () => {
    const { group } = createGroup({}, { era: 'modern' })
    for (const caller of [createCaller('a', {}), createCaller(null, { roots: {} })])
      expect(group.for(new TestCall(caller))).toBe(group.shared)
  })

  test('are another one for legacy clients where it speaks both over HTTP', () => {
    const { group } = createGroup({}, { era: null, transport: 'stream' })
    const both = { ...createHandshake('modern'), result: { supportedVersions: ['2026-07-28', '2025-06-18'] } }
    group.opened({ kind: 'shared' }, both)
    const legacy = new TestCall(createCaller('a', {}))
    const lane = group.for(legacy)!
    expect(lane).not.toBe(group.shared)
    expect(group.for(new TestCall(createCaller()))).toBe(group.shared)
    // It turned out to know the newer way only.
    group.opened({ kind: 'lane', capabilities: {} }, createHandshake('modern'))
    expect(group.for(legacy)).toBe(group.shared)
  })
})
