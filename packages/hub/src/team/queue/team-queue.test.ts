import { expect, test } from 'vitest'
import { TeamQueue, type QueueLimits, type QueuePlace } from './team-queue.ts'
import { settle } from '../testing/test-team.ts'

interface Options {
  readonly members?: readonly string[]
  readonly limit?: number
  readonly signal?: AbortSignal
}

function openQueue(limits: Partial<QueueLimits> = {}) {
  const settings = { maxConcurrency: 2, maxQueue: 1000, ...limits }
  const queue = new TeamQueue<string>('alpha', () => settings)
  const started: string[] = []
  const told: string[] = []
  const choose =
    (members: readonly string[], limit: number) =>
    (runningOf: (member: string) => number): string | null =>
      members.find((member) => runningOf(member) < limit) ?? null
  async function enter(about: string, options: Options = {}): Promise<QueuePlace> {
    const { members = ['ann'], limit = 99, signal = new AbortController().signal } = options
    const kind = `${members.join()} ${limit}`
    const onPosition = (before: number) => void told.push(`${about} ${before}`)
    const place = await queue.enter({ about, kind, choose: choose(members, limit), signal, onPosition })
    started.push(about)
    return place
  }
  return { queue, settings, started, told, enter, choose }
}

test('as many run as may, and the others follow in their order', async () => {
  const { enter, started, queue } = openQueue({ maxConcurrency: 2 })
  const places = [enter('a'), enter('b'), enter('c'), enter('d')]
  await settle()
  expect(started).toEqual(['a', 'b'])
  expect([queue.running, queue.waiting]).toEqual([2, 2])
  ;(await places[1]!).leave()
  await settle()
  expect(started).toEqual(['a', 'b', 'c'])
  ;(await places[0]!).leave()
  ;(await places[2]!).leave()
  ;(await places[3]!).leave()
  ;(await places[3]!).leave()
  expect([queue.running, queue.waiting, queue.runningOf('ann')]).toEqual([0, 0, 0])
})

test('who waits is told how many are before it, and not more often than it matters', async () => {
  const { enter, told, queue } = openQueue({ maxConcurrency: 1 })
  const first = enter('first')
  const others = Array.from({ length: 40 }, (_, index) => enter(String(index)))
  await settle()
  expect(told.slice(0, 3)).toEqual(['0 0', '1 1', '2 2'])
  let place = await first
  for (const other of others) {
    place.leave()
    place = await other
  }
  place.leave()
  const last = told.filter((line) => line.startsWith('39 ')).map((line) => Number(line.split(' ')[1]))
  expect(last).toEqual([39, 35, 31, 27, 24, 21, 18, 16, 14, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
  expect(queue.waiting).toBe(0)
})

test('a full line refuses, and says what to do', async () => {
  const { enter, told, queue } = openQueue({ maxConcurrency: 1, maxQueue: 1 })
  const running = enter('a')
  const waiting = enter('b')
  await expect(enter('c')).rejects.toMatchObject({ code: 'QUEUE_FULL', message: /raise maxQueue or maxConcurrency/ })
  expect(told).toEqual(['b 0'])
  ;(await running).leave()
  ;(await waiting).leave()
  expect(queue.waiting).toBe(0)
})

test('a call that could run does not wait for one that waits for a busy member', async () => {
  const { enter, started } = openQueue({ maxConcurrency: 3 })
  void enter('a', { members: ['ann'], limit: 1 })
  void enter('b', { members: ['ann'], limit: 1 })
  void enter('c', { members: ['bob'], limit: 1 })
  void enter('d', { members: ['ann', 'cat'], limit: 1 })
  void enter('e', { members: ['cat'], limit: 1 })
  await settle()
  expect(started).toEqual(['a', 'c', 'd'])
})

test('a call that moves on to another member keeps its place, before later ones', async () => {
  const { enter, started, queue, choose } = openQueue({ maxConcurrency: 2 })
  const first = await enter('a', { members: ['ann'], limit: 1 })
  const second = await enter('b', { members: ['bob'], limit: 1 })
  void enter('c', { members: ['bob'], limit: 1 })
  await settle()
  let hasMoved = false
  const moving = first.move({ kind: 'a again', choose: choose(['bob'], 1) }).then(() => (hasMoved = true))
  await settle()
  expect([hasMoved, queue.running, queue.runningOf('ann')]).toEqual([false, 2, 0])
  second.leave()
  await moving
  expect([...queue.calls()]).toEqual([
    { about: 'a', member: 'bob', before: null },
    { about: 'c', member: null, before: 0 },
  ])
  first.leave()
  await settle()
  expect(started).toEqual(['a', 'b', 'c'])
})

test('who gives up leaves at once, and the reason is theirs', async () => {
  const { enter, queue, started } = openQueue({ maxConcurrency: 1 })
  const running = await enter('a')
  const controller = new AbortController()
  const leaving = enter('b', { signal: controller.signal })
  const staying = enter('c')
  controller.abort(new Error('no more'))
  expect(queue.waiting).toBe(1)
  await expect(leaving).rejects.toThrow('no more')
  await expect(enter('d', { signal: controller.signal })).rejects.toThrow('no more')
  running.leave()
  ;(await staying).leave()
  expect(started).toEqual(['a', 'c'])
})

test('a choice that fails ends its call alone', async () => {
  const { enter, queue } = openQueue()
  const choose = () => {
    throw new Error('nobody is left')
  }
  const refused = queue.enter({
    about: 'x',
    kind: 'x',
    choose,
    signal: new AbortController().signal,
    onPosition: () => {},
  })
  await expect(refused).rejects.toThrow('nobody is left')
  ;(await enter('a')).leave()
  expect([queue.running, queue.waiting]).toEqual([0, 0])
})

test('limits that were raised let more go on, and a closed queue lets nobody wait', async () => {
  const { enter, queue, settings, started } = openQueue({ maxConcurrency: 1 })
  void enter('a')
  void enter('b')
  const last = enter('c')
  settings.maxConcurrency = 2
  queue.advance()
  await settle()
  expect(started).toEqual(['a', 'b'])
  queue.close(new Error('closed'))
  await expect(last).rejects.toThrow('closed')
})

/** Numbers that look random and are the same every time. */
function randomNumbers(seed: number): (below: number) => number {
  let state = Math.imul(seed, 2_654_435_761) >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

test('whatever comes, leaves, moves and gives up: no limit is passed, equals keep their order, nothing stays behind', async () => {
  const members = ['ann', 'bob', 'cat']
  const problems: string[] = []
  for (let seed = 1; seed <= 30; seed++) {
    const random = randomNumbers(seed)
    const maxConcurrency = 1 + random(4)
    const limit = 1 + random(2)
    const { queue, enter, started, choose } = openQueue({ maxConcurrency, maxQueue: 5 + random(20) })
    const running: { place: QueuePlace; about: string }[] = []
    const calls: { about: string; kind: string; controller: AbortController; done: Promise<unknown> }[] = []
    for (let step = 0; step < 100; step++) {
      const action = random(10)
      if (action < 5) {
        const wanted = members.slice(random(members.length))
        const controller = new AbortController()
        const about = `${step}`
        const done = enter(about, { members: wanted, limit, signal: controller.signal }).then(
          (place) => running.push({ place, about }),
          () => undefined,
        )
        calls.push({ about, kind: wanted.join(), controller, done })
      } else if (action < 8 && running.length > 0) {
        running.splice(random(running.length), 1)[0]!.place.leave()
      } else if (action === 8 && running.length > 0) {
        const { place, about } = running.splice(random(running.length), 1)[0]!
        void place.move({ kind: `moved ${about}`, choose: choose(members, limit) }).then(
          () => running.push({ place, about }),
          () => place.leave(),
        )
      } else if (calls.length > 0) {
        calls[random(calls.length)]!.controller.abort(new Error('gave up'))
      }
      // A call that waits could not run: the team is full, or all of its members are busy.
      for (const { about, member } of queue.calls()) {
        const wanted = calls.find((call) => call.about === about)!.kind.split(',')
        const isIdle = member === null && wanted.some((name) => queue.runningOf(name) < limit)
        if (isIdle && queue.running < maxConcurrency) problems.push(`${seed}: ${about} waits for nothing`)
      }
      if (queue.running > maxConcurrency) problems.push(`${seed}: too many run`)
      if (members.some((member) => queue.runningOf(member) > limit)) problems.push(`${seed}: a member has too much`)
      if (random(2) === 0) await settle()
    }
    for (const kind of new Set(calls.map((call) => call.kind))) {
      const ofKind = started.filter((about) => calls.find((call) => call.about === about)?.kind === kind).map(Number)
      expect(ofKind).toEqual(ofKind.toSorted((a, b) => a - b))
    }
    while (queue.running + queue.waiting > 0) {
      await settle()
      for (const { place } of running.splice(0)) place.leave()
    }
    await Promise.all(calls.map(({ done }) => done))
    for (const { place } of running.splice(0)) place.leave()
    expect([queue.running, queue.waiting, [...queue.calls()]]).toEqual([0, 0, []])
    for (const member of members) expect(queue.runningOf(member)).toBe(0)
  }
  expect(problems).toEqual([])
})
