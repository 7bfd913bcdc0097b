import type { ConnectorOptions } from '@herma/contract'
import { describe, expect, test } from 'vitest'
import { relayedCapabilities, type Call } from '../../wire/index.ts'
import type { Distinction } from './distinction.ts'
import { LinkGroup, type LinkRole } from './link-group.ts'
import type { LinkSupervisor } from './link-supervisor.ts'
import { createCaller, TestCall } from '../testing/test-call.ts'
import { createConnector, createHandshake, createSupervisor, TestLink } from '../testing/test-link.ts'

const asks = (name: string) => ({ elicitation: {}, experimental: { [name]: {} } })

function createGroup(
  options: Partial<ConnectorOptions> = {},
  { era = 'legacy', transport = 'stdio' }: { era?: 'legacy' | 'modern' | null; transport?: 'stdio' | 'stream' } = {},
) {
  const roles: LinkRole[] = []
  const distinctions = new Set<Distinction>()
  const group = new LinkGroup(createConnector(options, transport), {
    create: (role) => {
      roles.push(role)
      return createSupervisor(() => new TestLink())
    },
    isNeeded: () => false,
    known: era === null ? null : createHandshake(era),
    distinctions,
  })
  const distinguish = (distinction: Distinction) => {
    distinctions.add(distinction)
    group.noteDistinction()
  }
  return { group, roles, distinguish }
}

/** Puts a call on its way and returns the link that it took. */
async function send(group: LinkGroup, call: Call): Promise<LinkSupervisor> {
  const supervisor = group.for(call)!
  const link = await supervisor.get()
  link.send(call)
  return supervisor
}

describe('the process of a legacy server', () => {
  const callOf = (capabilities: object, id: string | null = 'a') => new TestCall(createCaller(id, { ...capabilities }))

  test('is one for all clients, whatever they can do', () => {
    const { group, roles } = createGroup()
    for (const can of [{}, { sampling: {} }, { roots: {} }, { extensions: { x: {} } }, relayedCapabilities])
      for (const id of ['a', null]) expect(group.for(callOf(can, id))).toBe(group.shared)
    expect(roles).toEqual([{ kind: 'shared' }])
  })

  test('is another one for clients that cannot answer what it was seen to ask, and stays for the others', () => {
    const { group, roles, distinguish } = createGroup()
    const caller = createCaller('a', {})
    expect(group.for(new TestCall(caller))).toBe(group.shared)
    distinguish('elicitation.form')
    const other = group.for(new TestCall(caller))
    expect(other).not.toBe(group.shared)
    for (const can of [{}, { sampling: {} }, { roots: {} }]) expect(group.for(callOf(can))).toBe(other)
    for (const can of [{ elicitation: {} }, { elicitation: { form: {} }, roots: {} }, relayedCapabilities])
      expect(group.for(callOf(can, null))).toBe(group.shared)
    expect(roles.at(-1)).toEqual({
      kind: 'lane',
      capabilities: { sampling: { context: {}, tools: {} }, roots: {} },
    })
  })

  test('is told as much of a capability as the client has', () => {
    const { group, roles, distinguish } = createGroup()
    distinguish('sampling.tools')
    distinguish('elicitation.form')
    group.for(callOf({ sampling: {}, elicitation: { url: {} } }))
    expect(roles.at(-1)).toEqual({
      kind: 'lane',
      capabilities: { sampling: {}, elicitation: { url: {} }, roots: {} },
    })
  })

  test('is one for each kind of client once its tools depend on that', () => {
    const { group, roles, distinguish } = createGroup()
    distinguish('tools')
    const supervisors = [{}, { sampling: {} }, relayedCapabilities].map((can) => group.for(callOf(can)))
    expect(new Set(supervisors).size).toBe(3)
    expect(supervisors[2]).toBe(group.shared)
    expect(roles.slice(1).map((role) => 'capabilities' in role && role.capabilities)).toEqual([{}, { sampling: {} }])
  })

  test('is let go when its clients turned out to belong to another one', async () => {
    const { group, distinguish } = createGroup()
    distinguish('roots')
    const before = group.for(callOf({}))!
    const link = await before.get()
    distinguish('tools')
    const after = group.for(callOf({}))
    group.release(before)
    expect(group.all()).toEqual([group.shared, after])
    expect(link.isClosed).toBe(true)
    group.release(group.shared)
    expect(group.all()).toContain(group.shared)
  })

  test('has no call of another client beside it once the server asks without saying whom', async () => {
    const { group, roles } = createGroup()
    group.noteStrayQuestion()
    const [first, second] = [callOf({}, 'a'), callOf({ roots: {} }, 'b')]
    expect(await send(group, first)).toBe(group.shared)
    expect(await send(group, second)).not.toBe(group.shared)
    expect(roles.at(-1)).toEqual({ kind: 'lane', capabilities: relayedCapabilities, isSpread: true })
  })
})

describe('the links of a legacy server for each kind of client', () => {
  test('are the same for clients that can do the same, whatever their era', () => {
    const { group, roles } = createGroup({ isolation: 'kind' })
    const [one, two] = [createCaller('a', { elicitation: {} }), createCaller(null, { elicitation: { form: {} } })]
    expect(group.for(new TestCall(one))).toBe(group.for(new TestCall(two)))
    expect(roles).toEqual([{ kind: 'shared' }, { kind: 'lane', capabilities: { elicitation: { form: {} } } }])
  })

  test('are different for clients that can do different things', () => {
    const { group } = createGroup({ isolation: 'kind' })
    const supervisors = [{}, { sampling: {} }, { roots: {} }].map((can) =>
      group.for(new TestCall(createCaller('a', can))),
    )
    expect(new Set([group.shared, ...supervisors]).size).toBe(4)
  })

  test('have the shared one for clients that can do everything', () => {
    const { group } = createGroup({ isolation: 'kind' })
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
    const { group } = createGroup({ isolation: 'kind' }, { era: null })
    const call = new TestCall(createCaller('a', {}))
    expect(group.for(call)).toBe(group.shared)
    group.opened({ kind: 'shared' }, createHandshake('legacy'))
    expect(group.for(call)).not.toBe(group.shared)
  })

  test('make room for another kind of client by letting the one go that was idle for longest', async () => {
    const { group } = createGroup({ isolation: 'kind' })
    const callers = Array.from({ length: 16 }, (_, index) => createCaller('a', asks(`kind ${index}`)))
    const supervisors = callers.map((caller) => group.homeOf(caller))
    for (const [index, supervisor] of supervisors.entries()) supervisor.lastUsedAt = index === 7 ? -1 : index
    const next = group.for(new TestCall(createCaller('a', asks('kind 16'))))
    expect(group.all()).not.toContain(supervisors[7])
    expect(group.all()).toEqual(expect.arrayContaining([group.shared, next, supervisors[0], supervisors[15]]))
    expect(group.all()).toHaveLength(17)
  })

  test('have no room for another kind of client while all are busy', async () => {
    const { group } = createGroup({ isolation: 'kind' })
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
    const supervisor = group.for(first)!
    supervisor.waiting.add(first)
    expect(group.for(new TestCall(createCaller('b')))).not.toBe(supervisor)
    expect(group.for(new TestCall(createCaller('a')))).toBe(supervisor)
  })

  test('are few, then a call waits until one is free', async () => {
    const { group } = createGroup()
    group.noteStrayQuestion()
    const calls = Array.from({ length: 4 }, () => new TestCall(createCaller()))
    const supervisors: LinkSupervisor[] = []
    for (const call of calls) supervisors.push(await send(group, call))
    expect(new Set(supervisors).size).toBe(4)
    const waiting = new TestCall(createCaller())
    expect(group.for(waiting)).toBeNull()
    calls[2]!.cancel()
    expect(group.for(waiting)).toBe(supervisors[2])
  })

  test('are one when its connector says so', async () => {
    const { group } = createGroup({ isolation: 'single' })
    group.noteStrayQuestion()
    await send(group, new TestCall(createCaller('a')))
    expect(group.for(new TestCall(createCaller('b')))).toBeNull()
  })

  test('are shared by clients that cannot be asked anyway', async () => {
    const { group } = createGroup({ isolation: 'kind' })
    group.noteStrayQuestion()
    const supervisor = await send(group, new TestCall(createCaller('a', {})))
    expect(group.for(new TestCall(createCaller('b', {})))).toBe(supervisor)
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
    // As SDKs do, it names the newer revision only.
    group.opened({ kind: 'shared' }, createHandshake('modern'))
    const legacy = new TestCall(createCaller('a', {}))
    const lane = group.for(legacy)!
    expect(lane).not.toBe(group.shared)
    expect(group.for(new TestCall(createCaller()))).toBe(group.shared)
    // It turned out to know the newer way only.
    group.opened({ kind: 'lane', capabilities: {} }, createHandshake('modern'))
    expect(group.for(legacy)).toBe(group.shared)
  })
})
