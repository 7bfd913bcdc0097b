import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Events, on } from '../telemetry/events.ts'
import type { ChildSpec } from './child.ts'
import type { Clock } from './clock.ts'
import { deferred, type Deferred } from './deferred.ts'
import type { Running } from './running.ts'
import { ChildFailed, supervise, type SuperviseOptions } from './supervise.ts'

/** A clock that stands still until it is told to go on. */
class ManualClock implements Clock {
  #now = 0
  readonly #timers = new Set<{ at: number; run: () => void }>()

  now = () => this.#now
  after = (ms: number, run: () => void) => {
    const timer = { at: this.#now + ms, run }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }
  get waiting(): number {
    return this.#timers.size
  }
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    for (;;) {
      await settle()
      const [next] = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)
      if (next === undefined) break
      this.#timers.delete(next)
      this.#now = next.at
      next.run()
    }
    this.#now = end
  }
}

/** Lets everything happen that waits for nothing but its turn. */
async function settle(): Promise<void> {
  for (let n = 0; n < 5; n += 1) await turn()
}

type Life = Deferred & { stop?: () => Promise<void>; drain?: () => Promise<void>; connections: number }

/** Children that write down what happens to them, and crash on demand. */
function createTree() {
  const events: string[] = []
  const lives = new Map<string, Life>()
  const clock = new ManualClock()
  const child = (id: string, spec: Partial<ChildSpec> = {}): ChildSpec => ({
    id,
    start: () => {
      events.push(`start ${id}`)
      const life: Life = { ...deferred(), connections: 1 }
      lives.set(id, life)
      const running: Running = {
        done: life.promise,
        health: () => ({ status: 'up', connections: life.connections, inFlight: 2 }),
        drain: async () => {
          events.push(`drain ${id}`)
          await life.drain?.()
        },
        stop: async () => {
          events.push(`stop ${id}`)
          await life.stop?.()
          life.resolve()
        },
      }
      return running
    },
    ...spec,
  })
  const lifeOf = (id: string) => {
    const life = lives.get(id)
    if (life === undefined) throw new Error(`'${id}' never started`)
    return life
  }
  return {
    clock,
    child,
    lifeOf,
    /** What happened since the last time. */
    take: () => events.splice(0),
    crash: async (id: string, error = new Error(`${id} broke`)) => {
      lifeOf(id).reject(error)
      await settle()
    },
    end: async (id: string) => {
      lifeOf(id).resolve()
      await settle()
    },
    run: (children: readonly ChildSpec[], options: SuperviseOptions = {}) => {
      const supervisor = supervise(children, { clock, backoff: () => 0, ...options })
      onTestFinished(() => supervisor.stop())
      return supervisor
    },
  }
}

function hear<Name extends 'mcp.child.restart' | 'mcp.error'>(name: Name): Events[Name][] {
  const heard: Events[Name][] = []
  onTestFinished(on(name, (event) => heard.push(event)))
  return heard
}

const messages = (events: readonly Events['mcp.error'][]) => events.map(({ error }) => (error as Error).message)

describe('starting and stopping', () => {
  test('starts children one after the other and stops them in reverse order', async () => {
    const { child, run, take } = createTree()
    const gate = deferred()
    const slow = child('b')
    const supervisor = run([child('a'), { ...slow, start: () => gate.promise.then(slow.start) }, child('c')])
    await settle()
    expect(take()).toEqual(['start a'])
    gate.resolve()
    await supervisor.started
    expect(take()).toEqual(['start b', 'start c'])
    const stops = [supervisor.stop(), supervisor.stop()]
    await Promise.all(stops)
    expect(take()).toEqual(['stop c', 'stop b', 'stop a'])
    expect(await supervisor.done).toBeUndefined()
  })

  test('a child that does not start at first makes the supervisor stop the others and fail', async () => {
    const { child, run, take } = createTree()
    const start = () => Promise.reject(new Error('port taken'))
    const supervisor = run([child('a'), child('b', { start }), child('c')])
    const failure = await supervisor.done.catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ChildFailed)
    expect(failure).toMatchObject({ child: 'b', message: "Child 'b' did not start: port taken" })
    await expect(supervisor.started).rejects.toBe(failure)
    expect(take()).toEqual(['start a', 'stop a'])
    expect(supervisor.health()).toMatchObject({ status: 'down' })
    await supervisor.stop()
  })

  test('stopping while a child starts waits for it and stops it', async () => {
    const { child, run, take } = createTree()
    const gate = deferred()
    const slow = child('b')
    const supervisor = run([child('a'), { ...slow, start: () => gate.promise.then(slow.start) }, child('c')])
    await settle()
    const stopped = supervisor.stop()
    gate.resolve()
    await stopped
    expect(take()).toEqual(['start a', 'start b', 'stop b', 'stop a'])
    await expect(supervisor.started).rejects.toThrow('had to stop before all of its children had started')
    await supervisor.done
  })

  test('a child that hangs while it starts is left behind, and stopped if it comes after all', async () => {
    const { child, clock, run, take } = createTree()
    const errors = hear('mcp.error')
    const gate = deferred()
    const slow = child('b')
    const supervisor = run([child('a'), { ...slow, shutdownMs: 100, start: () => gate.promise.then(slow.start) }])
    await settle()
    const stopped = supervisor.stop()
    await clock.advance(100)
    await stopped
    expect(take()).toEqual(['start a', 'stop a'])
    expect(messages(errors)).toEqual(["Child 'b' was still starting when it had to stop, and is left behind."])
    gate.resolve()
    await settle()
    expect(take()).toEqual(['start b', 'stop b'])
  })

  test('a child that does not stop in its time is left behind', async () => {
    const { child, clock, lifeOf, run, take } = createTree()
    const errors = hear('mcp.error')
    const supervisor = run([child('a'), child('b', { shutdownMs: 100 }), child('c')])
    await supervisor.started
    lifeOf('b').stop = () => new Promise(() => {})
    take()
    const stopped = supervisor.stop()
    await clock.advance(99)
    expect(take()).toEqual(['stop c', 'stop b'])
    await clock.advance(1)
    await stopped
    expect(take()).toEqual(['stop a'])
    expect(messages(errors)).toEqual(["Child 'b' did not stop within 100 ms, and is left behind."])
    expect(clock.waiting).toBe(0)
  })

  test('a child that crashes while it stops does not keep the others from stopping, nor is it restarted', async () => {
    const { child, lifeOf, run, take } = createTree()
    const errors = hear('mcp.error')
    const supervisor = run([child('a'), child('b'), child('c')])
    await supervisor.started
    lifeOf('c').stop = () => Promise.reject(new Error('c broke while stopping'))
    lifeOf('b').stop = async () => lifeOf('b').reject(new Error('b broke while stopping'))
    take()
    await supervisor.stop()
    await supervisor.done
    expect(take()).toEqual(['stop c', 'stop b', 'stop a'])
    expect(messages(errors).toSorted()).toEqual(['b broke while stopping', 'c broke while stopping'])
  })

  test('two children of the same id are refused', () => {
    const { child } = createTree()
    expect(() => supervise([child('a'), child('a')])).toThrow("Two children have the id 'a'.")
  })

  test('limits that make no sense are refused', () => {
    expect(() => supervise([], { maxRestarts: -1 })).toThrow('maxRestarts must be 0 or more, not -1.')
    expect(() => supervise([], { withinMs: 0 })).toThrow('withinMs must be a number from 1')
  })
})

describe('restarting', () => {
  test.each([
    ['one_for_one', ['start b']],
    ['one_for_all', ['stop c', 'stop a', 'start a', 'start b', 'start c']],
    ['rest_for_one', ['stop c', 'start b', 'start c']],
  ] as const)('%s restarts whom the crash concerns, in order', async (strategy, expected) => {
    const { child, crash, run, take } = createTree()
    const restarts = hear('mcp.child.restart')
    const supervisor = run([child('a'), child('b'), child('c')], { strategy })
    await supervisor.started
    take()
    await crash('b')
    expect(take()).toEqual(expected)
    expect(restarts).toEqual([{ child: 'b', attempt: 1, error: new Error('b broke') }])
    await crash('c')
    expect(take().at(-1)).toBe('start c')
    expect(restarts.at(-1)).toMatchObject({ child: 'c', attempt: 2 })
  })

  test.each([
    ['permanent', true, true],
    ['transient', true, false],
    ['temporary', false, false],
  ] as const)('a %s child: restarted after a crash = %s, after its end = %s', async (restart, afterCrash, afterEnd) => {
    const { child, crash, end, run, take } = createTree()
    const errors = hear('mcp.error')
    const supervisor = run([child('other'), child('crashes', { restart }), child('ends', { restart })])
    await supervisor.started
    take()
    await crash('crashes')
    expect(take()).toEqual(afterCrash ? ['start crashes'] : [])
    // A crash that leads to no restart is not lost.
    expect(messages(errors)).toEqual(afterCrash ? [] : ['crashes broke'])
    await end('ends')
    expect(take()).toEqual(afterEnd ? ['start ends'] : [])
    expect(supervisor.health().status).toBe('up')
  })

  test('a temporary child that stops with its siblings stays away; a transient one that had ended comes back', async () => {
    const { child, crash, end, run, take } = createTree()
    const children = [child('a'), child('b', { restart: 'temporary' }), child('c', { restart: 'transient' })]
    const supervisor = run(children, { strategy: 'one_for_all' })
    await supervisor.started
    await end('c')
    take()
    await crash('a')
    expect(take()).toEqual(['stop b', 'start a', 'start c'])
    expect(supervisor.health().children).toEqual({ a: 'up', c: 'up' })
  })

  test('two children that crash together are restarted once by one_for_all', async () => {
    const { child, crash, lifeOf, run, take } = createTree()
    const restarts = hear('mcp.child.restart')
    const supervisor = run([child('a'), child('b'), child('c')], { strategy: 'one_for_all' })
    await supervisor.started
    take()
    lifeOf('a').reject(new Error('a broke'))
    await crash('b')
    expect(take()).toEqual(['stop c', 'start a', 'start b', 'start c'])
    expect(restarts).toHaveLength(1)
  })

  test('a sibling that crashes while it is stopped for one_for_all is restarted with the others', async () => {
    const { child, crash, lifeOf, run, take } = createTree()
    const errors = hear('mcp.error')
    const supervisor = run([child('a'), child('b')], { strategy: 'one_for_all' })
    await supervisor.started
    lifeOf('b').stop = async () => lifeOf('b').reject(new Error('b broke while stopping'))
    take()
    await crash('a')
    expect(take()).toEqual(['stop b', 'start a', 'start b'])
    expect(messages(errors)).toEqual(['b broke while stopping'])
  })

  test('waits before each restart, longer each time', async () => {
    const { child, clock, crash, run, take } = createTree()
    const supervisor = run([child('a'), child('b')], { backoff: undefined, strategy: 'one_for_all', maxRestarts: 9 })
    await supervisor.started
    for (const ms of [100, 200, 400, 800]) {
      take()
      await crash('a')
      expect(take()).toEqual(['stop b'])
      expect(supervisor.health()).toMatchObject({ status: 'down', children: { a: 'down', b: 'down' } })
      await clock.advance(ms - 1)
      expect(take()).toEqual([])
      await clock.advance(1)
      expect(take()).toEqual(['start a', 'start b'])
    }
  })

  test('a restart that fails is tried again, and rest_for_one leaves alone what had started before it', async () => {
    const { child, crash, run, take } = createTree()
    const restarts = hear('mcp.child.restart')
    let failures = 0
    const c = child('c')
    const start = () => {
      if (failures === 0) return c.start()
      failures -= 1
      throw new Error('not yet')
    }
    const supervisor = run([child('a'), child('b'), { ...c, start }, child('d')], { strategy: 'rest_for_one' })
    await supervisor.started
    take()
    failures = 2
    await crash('b')
    expect(take()).toEqual(['stop d', 'stop c', 'start b', 'start c', 'start d'])
    expect(restarts.map(({ child: id, attempt }) => [id, attempt])).toEqual([
      ['b', 1],
      ['c', 2],
      ['c', 3],
    ])
  })
})

describe('giving up', () => {
  test('more restarts than allowed within the time stop everything and reject done', async () => {
    const { child, crash, run, take } = createTree()
    const supervisor = run([child('a'), child('b')], { maxRestarts: 2, withinMs: 1000 })
    const failure = supervisor.done.catch((error: unknown) => error)
    await supervisor.started
    take()
    const cause = new Error('the third')
    await crash('b')
    await crash('b')
    expect(take()).toEqual(['start b', 'start b'])
    await crash('b', cause)
    expect(take()).toEqual(['stop a'])
    const message = "Gave up after more than 2 restarts within 1000 ms, the last of child 'b': the third"
    expect(await failure).toMatchObject({ name: 'ChildFailed', child: 'b', message, cause })
    expect(supervisor.health()).toMatchObject({ status: 'down', connections: 0 })
    await supervisor.stop()
    expect(take()).toEqual([])
  })

  test('restarts of long ago do not count', async () => {
    const { child, clock, crash, run, take } = createTree()
    const supervisor = run([child('a')], { maxRestarts: 1, withinMs: 1000 })
    await supervisor.started
    take()
    for (let n = 0; n < 5; n += 1) {
      await crash('a')
      expect(take()).toEqual(['start a'])
      await clock.advance(1000)
    }
  })

  test('restarts of all children count together', async () => {
    const { child, crash, run } = createTree()
    const supervisor = run([child('a'), child('b')], { maxRestarts: 1 })
    const failure = supervisor.done.catch((error: unknown) => error)
    await supervisor.started
    await crash('a')
    await crash('b')
    expect(await failure).toMatchObject({ child: 'b' })
  })

  test('a child that fails in every restart ends in giving up', async () => {
    const { child, clock, crash, run, take } = createTree()
    let hasStarted = false
    const a = child('a')
    const start = () => {
      if (hasStarted) throw new Error('no more')
      hasStarted = true
      return a.start()
    }
    const supervisor = run([{ ...a, start }, child('b')], { backoff: () => 10, maxRestarts: 3 })
    const failure = supervisor.done.catch((error: unknown) => error)
    await supervisor.started
    await crash('a')
    await clock.advance(30)
    expect(await failure).toMatchObject({ child: 'a', cause: new Error('no more') })
    expect(take()).toEqual(['start a', 'start b', 'stop b'])
    expect(clock.waiting).toBe(0)
  })

  test('with no restarts allowed the first crash is the last', async () => {
    const { child, crash, run } = createTree()
    const supervisor = run([child('a')], { maxRestarts: 0 })
    const failure = supervisor.done.catch((error: unknown) => error)
    await supervisor.started
    await crash('a')
    expect(await failure).toBeInstanceOf(ChildFailed)
  })
})

describe('interrupting', () => {
  test('stopping during the wait before a restart starts nothing any more', async () => {
    const { child, clock, crash, run, take } = createTree()
    const supervisor = run([child('a'), child('b')], { backoff: () => 1000 })
    await supervisor.started
    take()
    await crash('a')
    await supervisor.stop()
    expect(take()).toEqual(['stop b'])
    expect(clock.waiting).toBe(0)
  })

  test('draining drains all children at once, and none is restarted from then on', async () => {
    const { child, crash, end, lifeOf, run, take } = createTree()
    const errors = hear('mcp.error')
    const supervisor = run([child('a'), child('b')])
    await supervisor.started
    const work = deferred()
    lifeOf('a').drain = () => work.promise
    take()
    const drained = supervisor.drain(1000)
    await settle()
    expect(take()).toEqual(['drain a', 'drain b'])
    expect(supervisor.health().status).toBe('draining')
    work.resolve()
    await drained
    await crash('a')
    expect(messages(errors)).toEqual(['a broke'])
    await end('b')
    expect(take()).toEqual([])
    await supervisor.done
    expect(supervisor.health().status).toBe('down')
  })

  test('stopping does not wait for a drain that hangs', async () => {
    const { child, lifeOf, run, take } = createTree()
    const supervisor = run([child('a'), child('b')])
    await supervisor.started
    lifeOf('a').drain = () => new Promise(() => {})
    take()
    const drained = supervisor.drain()
    await settle()
    await supervisor.stop()
    await drained
    expect(take()).toEqual(['drain a', 'drain b', 'stop b', 'stop a'])
  })

  test('a drain that fails in one child is reported and the others are drained', async () => {
    const { child, lifeOf, run, take } = createTree()
    const errors = hear('mcp.error')
    const supervisor = run([child('a'), child('b')])
    await supervisor.started
    lifeOf('a').drain = () => Promise.reject(new Error('cannot drain'))
    take()
    await supervisor.drain()
    expect(take()).toEqual(['drain a', 'drain b'])
    expect(messages(errors)).toEqual(['cannot drain'])
  })

  test('the supervisor is done when every child has ended for good', async () => {
    const { child, crash, end, run } = createTree()
    const supervisor = run([child('a', { restart: 'transient' }), child('b', { restart: 'temporary' })])
    await supervisor.started
    await crash('b')
    expect(supervisor.health()).toMatchObject({ status: 'up', children: { a: 'up' } })
    await end('a')
    await supervisor.done
    expect(supervisor.health()).toMatchObject({ status: 'down', children: {} })
  })
})

describe('trees', () => {
  test('health adds up what the children say', async () => {
    const { child, lifeOf, run } = createTree()
    const supervisor = run([child('a'), { id: 'tree', start: () => run([child('b'), child('c')]) }])
    expect(supervisor.health().status).toBe('down')
    await supervisor.started
    lifeOf('c').connections = 5
    expect(supervisor.health()).toEqual({
      status: 'up',
      connections: 7,
      inFlight: 6,
      children: { a: 'up', tree: 'up' },
    })
  })

  test('a nested supervisor has started before the next child starts, and stops as a whole', async () => {
    const { child, run, take } = createTree()
    const nested = { id: 'tree', start: () => run([child('b'), child('c')]) }
    const supervisor = run([child('a'), nested, child('d')])
    await supervisor.started
    expect(take()).toEqual(['start a', 'start b', 'start c', 'start d'])
    await supervisor.stop()
    expect(take()).toEqual(['stop d', 'stop c', 'stop b', 'stop a'])
  })

  test('a nested supervisor that gives up is restarted by its parent', async () => {
    const { child, crash, run, take } = createTree()
    const restarts = hear('mcp.child.restart')
    const nested = { id: 'tree', start: () => run([child('b'), child('c')], { maxRestarts: 1 }) }
    const supervisor = run([child('a'), nested])
    await supervisor.started
    take()
    await crash('b')
    expect(take()).toEqual(['start b'])
    await crash('b')
    expect(take()).toEqual(['stop c', 'start b', 'start c'])
    expect(restarts.map((event) => event.child)).toEqual(['b', 'tree'])
    expect(restarts.at(-1)?.error).toBeInstanceOf(ChildFailed)
    expect(supervisor.health().status).toBe('up')
  })

  test('a crash loop at the bottom ends at the top', async () => {
    const { child, crash, run, take } = createTree()
    const nested = { id: 'tree', start: () => run([child('b')], { maxRestarts: 1 }) }
    const supervisor = run([child('a'), nested], { maxRestarts: 1 })
    const failure = supervisor.done.catch((error: unknown) => error)
    await supervisor.started
    for (let n = 0; n < 4; n += 1) await crash('b')
    expect(await failure).toMatchObject({ child: 'tree', cause: { child: 'b', cause: new Error('b broke') } })
    expect(take().at(-1)).toBe('stop a')
  })

  test('a nested supervisor that cannot start fails the whole tree', async () => {
    const { child, run, take } = createTree()
    const broken = child('c', {
      start: () => {
        throw new Error('no file')
      },
    })
    const supervisor = run([child('a'), { id: 'tree', start: () => run([child('b'), broken]) }])
    const failure = await supervisor.done.catch((error: unknown) => error)
    expect(failure).toMatchObject({ child: 'tree', cause: { child: 'c', cause: new Error('no file') } })
    expect(take()).toEqual(['start a', 'start b', 'stop b', 'stop a'])
  })

  test('stopping the tree while a nested supervisor starts stops what has started', async () => {
    const { child, run, take } = createTree()
    const gate = deferred()
    const slow = child('c')
    const start = () => gate.promise.then(slow.start)
    const supervisor = run([child('a'), { id: 'tree', start: () => run([child('b'), { ...slow, start }]) }])
    await settle()
    const stopped = supervisor.stop()
    await settle()
    gate.resolve()
    await stopped
    expect(take()).toEqual(['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a'])
  })
})
