import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LinkGroup } from './link-group.ts'
import type { LinkSupervisor } from './link-supervisor.ts'
import { ResourceSubscriptions } from './resource-subscriptions.ts'
import { createCaller } from '../testing/test-call.ts'
import { createConnector, createHandshake, createSupervisor, TestLink } from '../testing/test-link.ts'
import { ClientDemands } from './client-demands.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

function create(era: 'legacy' | 'modern' = 'legacy', demands = new ClientDemands()) {
  const links: TestLink[] = []
  const errors: Error[] = []
  const failing = { error: null as Error | null }
  const group = new LinkGroup(createConnector({ isolation: 'kind' }), {
    create: () => {
      const supervisor: LinkSupervisor = createSupervisor(
        () => {
          const link = new TestLink({ onClosed: (lost, cause) => supervisor.lost(lost, cause) })
          link.handshake = createHandshake(era)
          link.openError = failing.error
          links.push(link)
          return link
        },
        () => subscriptions.tell(supervisor),
      )
      return supervisor
    },
    isNeeded: (supervisor) => subscriptions.wantedOn(supervisor).size > 0,
    known: createHandshake(era),
    distinctions: new Set(),
  })
  const subscriptions: ResourceSubscriptions = new ResourceSubscriptions(group, demands, (error) => errors.push(error))
  /** The link breaks by itself. */
  const lose = (supervisor: LinkSupervisor) => {
    const link = supervisor.link!
    link.isClosed = true
    supervisor.lost(link, null)
    subscriptions.onLost(supervisor)
  }
  return { group, subscriptions, links, errors, failing, lose }
}

const settle = () => vi.advanceTimersByTimeAsync(0)

describe('the resources that clients watch', () => {
  test('are told to a legacy server once each, and taken back with the last client', async () => {
    const { subscriptions, links } = create()
    const [ada, grace] = [createCaller('a'), createCaller('b')]
    subscriptions.add('x', ada)
    subscriptions.add('x', grace)
    subscriptions.add('y', grace)
    await settle()
    expect(links).toHaveLength(1)
    expect(links[0]!.subscribed).toEqual(['+x', '+y'])
    subscriptions.remove('x', ada)
    subscriptions.remove('x', ada)
    expect(links[0]!.subscribed).toEqual(['+x', '+y'])
    subscriptions.remove('x', grace)
    expect(links[0]!.subscribed).toEqual(['+x', '+y', '-x'])
  })

  test('are told to a modern server all together, and only when they change', async () => {
    const { subscriptions, links } = create('modern')
    const [ada, edith] = [createCaller('a'), createCaller()]
    subscriptions.add('x', ada)
    await settle()
    subscriptions.add('x', edith)
    await settle()
    subscriptions.add('y', edith)
    await settle()
    subscriptions.remove('x', ada)
    subscriptions.remove('y', edith)
    expect(links[0]!.subscribed).toEqual([['x'], ['x', 'y'], ['x']])
  })

  test('are watched on the link of their client', async () => {
    const { subscriptions, group } = create()
    const [ada, grace] = [createCaller('a', {}), createCaller('b', { roots: {} })]
    subscriptions.add('x', ada)
    subscriptions.add('y', grace)
    expect([...subscriptions.wantedOn(group.homeOf(ada))]).toEqual(['x'])
    expect([...subscriptions.wantedOn(group.homeOf(grace))]).toEqual(['y'])
  })

  test('are told again to the link that takes the place of a lost one', async () => {
    const { subscriptions, group, links, lose } = create()
    const ada = createCaller('a')
    subscriptions.add('x', ada)
    await settle()
    lose(group.homeOf(ada))
    await settle()
    expect(links.map(({ subscribed }) => subscribed)).toEqual([['+x'], ['+x']])
  })

  test('keep a server from being left alone that cannot be reached for a while', async () => {
    const { subscriptions, group, links, errors, failing, lose } = create()
    const ada = createCaller('a')
    subscriptions.add('x', ada)
    await settle()
    failing.error = new Error('away')
    lose(group.homeOf(ada))
    await vi.advanceTimersByTimeAsync(5000)
    expect(errors.length).toBeGreaterThan(1)
    failing.error = null
    // The third wait in a row takes up to six seconds.
    await vi.advanceTimersByTimeAsync(10_000)
    expect(links.at(-1)!.subscribed).toEqual(['+x'])
  })

  test('do not bring a lost link back when nobody watches any more', async () => {
    const { subscriptions, group, links, lose } = create()
    const ada = createCaller('a')
    subscriptions.add('x', ada)
    await settle()
    subscriptions.remove('x', ada)
    lose(group.homeOf(ada))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(links).toHaveLength(1)
  })

  test('outlive the downstream that watched them', async () => {
    const demands = new ClientDemands()
    const before = create('legacy', demands)
    before.subscriptions.add('x', createCaller('a'))
    await settle()
    before.subscriptions.stop()
    const after = create('legacy', demands)
    after.subscriptions.restore()
    await settle()
    expect(after.links[0]!.subscribed).toEqual(['+x'])
  })

  test('are not looked after any more once it is stopped', async () => {
    const { subscriptions, group, links, failing, lose } = create()
    const ada = createCaller('a')
    subscriptions.add('x', ada)
    await settle()
    failing.error = new Error('away')
    lose(group.homeOf(ada))
    await settle()
    subscriptions.stop()
    const count = links.length
    await vi.advanceTimersByTimeAsync(60_000)
    expect(links).toHaveLength(count)
  })

  test('keep the link of their client when many other kinds of clients come', async () => {
    const { subscriptions, group, links } = create()
    const ada = createCaller('a', { experimental: { ada: {} } })
    subscriptions.add('x', ada)
    await settle()
    for (let kind = 0; kind < 20; kind++) group.homeOf(createCaller('b', { experimental: { [kind]: {} } }))
    await settle()
    expect(links.filter(({ isClosed }) => !isClosed).map(({ subscribed }) => subscribed)).toEqual([['+x']])
  })
})
