import type { ConnectorOptions } from '@herma/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { relayedCapabilities } from '../../wire/index.ts'
import type { Distinction } from './distinction.ts'
import { LinkGroup } from './link-group.ts'
import type { LinkSupervisor } from './link-supervisor.ts'
import { LinkSweeper } from './link-sweeper.ts'
import { createCaller, TestCall } from '../testing/test-call.ts'
import { createConnector, createHandshake, createSupervisor, TestLink } from '../testing/test-link.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

async function create(
  options: Partial<ConnectorOptions> = {},
  transport: 'stdio' | 'stream' = 'stdio',
  distinctions: Distinction[] = [],
) {
  const connector = createConnector(options, transport)
  const needed = new Set<LinkSupervisor>()
  const remarks: string[] = []
  const overdue: Error[] = []
  const group = new LinkGroup(connector, {
    create: () => createSupervisor(() => new TestLink()),
    isNeeded: () => false,
    known: createHandshake('legacy'),
    distinctions: new Set(distinctions),
  })
  const sweeper = new LinkSweeper({
    connector,
    links: group,
    isNeeded: (supervisor) => needed.has(supervisor),
    onOverdue: (error) => overdue.push(error),
    onRest: (text) => remarks.push(text),
    onSweep: () => {},
  })
  sweeper.start()
  return { group, sweeper, needed, remarks, overdue }
}

describe('a link that nobody uses', () => {
  test('is closed after the idle time, and one that something is expected of is not', async () => {
    const { group, sweeper, needed, remarks } = await create({ idleTimeoutMs: 2000, isolation: 'kind' })
    const [idle, watched] = [group.homeOf(createCaller('a', {})), group.homeOf(createCaller('b', { roots: {} }))]
    await idle.get()
    await watched.get()
    needed.add(watched)
    await vi.advanceTimersByTimeAsync(1000)
    expect(idle.link).not.toBeNull()
    await vi.advanceTimersByTimeAsync(2000)
    expect(idle.link).toBeNull()
    expect(watched.link).not.toBeNull()
    expect(remarks).toHaveLength(1)
    await sweeper.stop()
  })

  test('stays while a call is under way or waits for it', async () => {
    const { group, sweeper } = await create({
      idleTimeoutMs: 1000,
      requestTimeoutMs: 0,
      maxRequestMs: 0,
      isolation: 'kind',
    })
    const [busy, awaited] = [group.homeOf(createCaller('a', {})), group.homeOf(createCaller('b', { roots: {} }))]
    ;(await busy.get()).send(new TestCall())
    await awaited.get()
    awaited.waiting.add(new TestCall())
    await vi.advanceTimersByTimeAsync(10_000)
    expect(busy.link).not.toBeNull()
    expect(awaited.link).not.toBeNull()
    await sweeper.stop()
  })

  test('is closed soon when it only read the lists of a process and the clients have their own', async () => {
    const { group, sweeper, remarks } = await create({ idleTimeoutMs: 600_000, isolation: 'kind' })
    await group.shared.get()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(group.shared.link).not.toBeNull()
    await group.homeOf(createCaller('a', {})).get()
    await vi.advanceTimersByTimeAsync(1000)
    expect(group.shared.link).toBeNull()
    expect(remarks).toEqual([])
    await sweeper.stop()
  })

  test('stays when it serves all clients but those that have another one', async () => {
    const { group, sweeper } = await create({ idleTimeoutMs: 600_000 }, 'stdio', ['roots'])
    await group.shared.get()
    const other = group.homeOf(createCaller('a', {}))
    expect(other).not.toBe(group.shared)
    await other.get()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(group.shared.link).not.toBeNull()
    await sweeper.stop()
  })

  test('stays when it is the shared one of a server over HTTP, or is to run from the start', async () => {
    const http = await create({ idleTimeoutMs: 1000 }, 'stream')
    const booted = await create({ idleTimeoutMs: 1000, start: 'boot' })
    for (const { group } of [http, booted]) await group.for(new TestCall(createCaller('a', relayedCapabilities)))!.get()
    await vi.advanceTimersByTimeAsync(10_000)
    for (const { group, sweeper } of [http, booted]) {
      expect(group.shared.link).not.toBeNull()
      await sweeper.stop()
    }
  })
})

describe('a call that takes too long', () => {
  test('is ended on a retired link too, which is then forgotten', async () => {
    const { sweeper, overdue } = await create({ requestTimeoutMs: 1000 })
    const link = new TestLink()
    const call = new TestCall()
    link.send(call)
    sweeper.retire(link)
    expect(sweeper.retired.size).toBe(1)
    await vi.advanceTimersByTimeAsync(2000)
    expect(call.error).toMatchObject({ code: 'DOWNSTREAM_TIMEOUT' })
    expect(overdue).toHaveLength(1)
    expect(sweeper.retired.size).toBe(0)
    await sweeper.stop()
  })

  test('is the only reason to keep a link that takes no more', async () => {
    const { sweeper } = await create()
    sweeper.retire(new TestLink())
    expect(sweeper.retired.size).toBe(0)
    const link = new TestLink()
    link.send(new TestCall())
    sweeper.retire(link)
    await sweeper.stop()
    expect(link.isClosed).toBe(true)
  })
})
