import { ConnectorInput, HubError, type DownstreamState } from '@herma/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LinkSupervisor, networkBackoff, processBackoff } from './link-supervisor.ts'
import { toLinkSettings } from '../link/link-settings.ts'
import { Link, type LinkOwner } from '../link/link.ts'

const tokens = { cwd: '/', session_id: '', thread_id: '', server_id: '', hop_limit: '' }
const settings = toLinkSettings(ConnectorInput.parse({ name: 'srv', transport: 'stdio', cmd: 'x' }), tokens, {
  connectorId: 'id',
  capabilities: {},
  authorization: null,
})
const owner: LinkOwner = {
  onNotification() {},
  onQuestion: () => Promise.reject(new Error('not asked')),
  onStrayQuestion() {},
  onUnanswerable() {},
  onInputRequired() {},
  onSignInRequired() {},
  onUnsent() {},
  onFinished() {},
  onDoubt() {},
  onClosed() {},
  onRemark() {},
}
const crash = new HubError('DOWNSTREAM_FAILED', 'crashed')

/** A link whose opening the test ends. */
class TestLink extends Link {
  closeCount = 0
  opened!: () => void
  refused!: (error: Error) => void
  readonly opening = new Promise<void>((resolve, reject) => {
    this.opened = resolve
    this.refused = reject
  })

  open(): Promise<void> {
    return this.opening
  }
  send(): void {}
  post(): void {}
  subscribe(): void {}
  async close(): Promise<void> {
    this.isClosed = true
    this.closeCount++
    this.refused(new HubError('DOWNSTREAM_UNAVAILABLE', 'closed'))
  }
}

let links: TestLink[]
let states: DownstreamState[]
let ready: Link[]

function createSupervisor(maxRestarts = 5, backoff = processBackoff): LinkSupervisor {
  return new LinkSupervisor({
    name: 'srv',
    maxRestarts,
    backoff,
    create: () => {
      const link = new TestLink(settings, owner)
      links.push(link)
      return link
    },
    open: (link) => (link as TestLink).open(),
    onReady: (link) => ready.push(link),
    onState: (state) => states.push(state),
  })
}

/** Opens the next link, waiting for its turn. */
async function openNext(supervisor: LinkSupervisor): Promise<TestLink> {
  const count = links.length
  const got = supervisor.get()
  while (links.length === count) await vi.advanceTimersByTimeAsync(100)
  links.at(-1)!.opened()
  return (await got) as TestLink
}

/** Lets the next attempt to open fail. */
async function failNext(supervisor: LinkSupervisor, cause = crash): Promise<unknown> {
  const count = links.length
  const got = supervisor.get().catch((error: unknown) => error)
  for (let round = 0; round < 100 && links.length === count; round++) await vi.advanceTimersByTimeAsync(100)
  links[count]?.refused(cause)
  return got
}

beforeEach(() => {
  vi.useFakeTimers()
  links = []
  states = []
  ready = []
})

afterEach(() => {
  vi.useRealTimers()
})

describe('opening', () => {
  test('happens when a link is needed, once for all who wait', async () => {
    const supervisor = createSupervisor()
    expect(supervisor.state).toBe('idle')
    const waiting = [supervisor.get(), supervisor.get(), supervisor.get()]
    await vi.advanceTimersByTimeAsync(0)
    links[0]!.opened()
    expect(await Promise.all(waiting)).toEqual([links[0], links[0], links[0]])
    expect(await supervisor.get()).toBe(links[0])
    expect(links).toHaveLength(1)
    expect(ready).toEqual([links[0]])
    expect(states).toEqual(['starting', 'ready'])
    expect(supervisor.restartCount).toBe(0)
  })

  test('that fails closes the link and tells everybody who waits', async () => {
    const supervisor = createSupervisor()
    const waiting = [supervisor.get(), supervisor.get()].map((got) => got.catch((error: unknown) => error))
    await vi.advanceTimersByTimeAsync(0)
    links[0]!.refused(crash)
    expect(await Promise.all(waiting)).toEqual([crash, crash])
    expect(links[0]!.closeCount).toBe(1)
    expect(supervisor).toMatchObject({ link: null, state: 'backoff', lastError: crash })
  })

  test('that fails with another error says whose handshake it was', async () => {
    const supervisor = createSupervisor()
    const got = supervisor.get().catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(0)
    links[0]!.refused(new Error('odd'))
    expect(await got).toMatchObject({ code: 'DOWNSTREAM_FAILED', message: "'srv' refused the handshake: odd" })
  })
})

describe('a lost link', () => {
  test('is opened again at once the first time, and counted', async () => {
    const supervisor = createSupervisor()
    const first = await openNext(supervisor)
    supervisor.lost(first, crash)
    expect(first.closeCount).toBe(1)
    expect(supervisor.state).toBe('backoff')
    const got = supervisor.get()
    await vi.advanceTimersByTimeAsync(0)
    expect(links).toHaveLength(2)
    links[1]!.opened()
    expect(await got).toBe(links[1])
    expect(supervisor).toMatchObject({ state: 'ready', restartCount: 1, retryAt: null })
  })

  test('that is not the current one changes nothing', async () => {
    const supervisor = createSupervisor()
    const first = await openNext(supervisor)
    supervisor.lost(first, crash)
    const second = await openNext(supervisor)
    supervisor.lost(first, crash)
    expect(supervisor).toMatchObject({ link: second, state: 'ready' })
  })

  test('without a cause has one all the same', async () => {
    const supervisor = createSupervisor()
    supervisor.lost(await openNext(supervisor), null)
    expect(supervisor.lastError?.message).toContain("'srv' went away")
  })
})

describe('failures in a row', () => {
  test('wait longer each time', async () => {
    const supervisor = createSupervisor(10)
    const waits: number[] = []
    for (let failure = 0; failure < 4; failure++) {
      await failNext(supervisor)
      waits.push(supervisor.retryAt! - Date.now())
    }
    expect(waits).toEqual(waits.toSorted((a, b) => a - b))
    expect(new Set(waits).size).toBe(4)
  })

  test('beyond the cap make it rest, and callers hear why at once', async () => {
    const supervisor = createSupervisor(2)
    for (let failure = 0; failure < 3; failure++) await failNext(supervisor)
    expect(supervisor.state).toBe('failed')
    expect(await failNext(supervisor)).toMatchObject({
      code: 'DOWNSTREAM_UNAVAILABLE',
      message: expect.stringMatching(/^'srv' failed and is tried again in \d+ s\. Last error: crashed$/),
    })
    expect(links).toHaveLength(3)
  })

  test('beyond the cap do not last for ever: after its rest one call tries again', async () => {
    const supervisor = createSupervisor(0)
    await failNext(supervisor)
    expect(supervisor.state).toBe('failed')
    vi.setSystemTime(supervisor.retryAt!)
    await openNext(supervisor)
    expect(supervisor).toMatchObject({ state: 'ready', retryAt: null })
  })

  test('are forgotten after a call that went through', async () => {
    const supervisor = createSupervisor(1)
    for (let round = 0; round < 5; round++) {
      const link = await openNext(supervisor)
      supervisor.succeeded(link)
      supervisor.lost(link, crash)
      expect(supervisor.state).toBe('backoff')
    }
  })

  test('count also where the server answered something before it went', async () => {
    const supervisor = createSupervisor(1)
    const count = links.length
    const got = supervisor.get().catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(0)
    supervisor.succeeded(links[count]!)
    links[count]!.refused(crash)
    await got
    await failNext(supervisor)
    expect(supervisor).toMatchObject({ state: 'failed', failures: 2 })
  })

  test('wait from one second to five minutes', async () => {
    const supervisor = createSupervisor(1000)
    const waits: number[] = []
    for (let failure = 0; failure < 12; failure++) {
      vi.setSystemTime(supervisor.retryAt ?? Date.now())
      await failNext(supervisor)
      waits.push(supervisor.retryAt! - Date.now())
    }
    expect(waits[0]).toBeGreaterThanOrEqual(1000)
    expect(waits[0]).toBeLessThanOrEqual(1500)
    expect(waits.at(-1)).toBe(300_000)
  })

  test('of a server on the network let a call look again soon, unless the server asks for a pause', async () => {
    const supervisor = createSupervisor(2, networkBackoff)
    for (let failure = 0; failure < 8; failure++) await failNext(supervisor)
    expect(supervisor.state).toBe('failed')
    expect(supervisor.retryAt! - Date.now()).toBeGreaterThan(60_000)
    const later = new HubError('DOWNSTREAM_UNAVAILABLE', 'busy', { data: { retryAfterMs: 120_000 } })
    await failNext(supervisor, later)
    expect(await failNext(supervisor)).toMatchObject({ message: expect.stringMatching(/tried again in 120 s/) })
    expect(links).toHaveLength(9)
  })

  test('are forgotten when a person says so', async () => {
    const supervisor = createSupervisor(0)
    await failNext(supervisor)
    supervisor.forgive()
    expect(supervisor).toMatchObject({ state: 'idle', retryAt: null })
    await openNext(supervisor)
  })
})

describe('resting and stopping', () => {
  test('an idle link is closed and the next call opens another', async () => {
    const supervisor = createSupervisor()
    const first = await openNext(supervisor)
    await supervisor.rest()
    expect(first.closeCount).toBe(1)
    expect(supervisor).toMatchObject({ link: null, state: 'idle', retryAt: null })
    expect(await openNext(supervisor)).not.toBe(first)
  })

  test('stopping closes the open link, and nothing is opened afterwards', async () => {
    const supervisor = createSupervisor()
    const link = await openNext(supervisor)
    await supervisor.stop()
    expect(link.closeCount).toBe(1)
    await expect(supervisor.get()).rejects.toThrow("'srv' is stopped")
    expect(links).toHaveLength(1)
  })

  test('stopping closes a link that is being opened', async () => {
    const supervisor = createSupervisor()
    const got = supervisor.get().catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(0)
    await supervisor.stop()
    expect(await got).toBeInstanceOf(HubError)
    expect(links[0]!.closeCount).toBeGreaterThan(0)
    expect(supervisor).toMatchObject({ link: null, state: 'idle' })
  })

  test('stopping while it waits to try again opens nothing', async () => {
    const supervisor = createSupervisor()
    await failNext(supervisor)
    await failNext(supervisor)
    const got = supervisor.get().catch((error: unknown) => error)
    await supervisor.stop()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await got).toMatchObject({ message: "'srv' is stopped." })
    expect(links).toHaveLength(2)
  })
})
