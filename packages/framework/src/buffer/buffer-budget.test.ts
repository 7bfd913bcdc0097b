import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { BufferBudget, type ClientCut, type Reservation } from './buffer-budget.ts'

let now: number
let cuts: ClientCut[]
let budget: BufferBudget

beforeEach(() => {
  vi.useFakeTimers()
  now = 0
  cuts = []
  const limits = { client: 300_000, principal: 600_000, hub: 1_000_000 }
  budget = new BufferBudget({ limits, clock: () => now, onCut: (cut) => cuts.push(cut) })
})
afterEach(() => {
  budget.stop()
  vi.useRealTimers()
})

/** Time goes by, and the budget looks as often as it does. */
function pass(milliseconds: number): void {
  for (let left = milliseconds; left > 0; left -= 50) {
    now += 50
    vi.advanceTimersByTime(50)
  }
}

function reader(principal: string, client: object = {}) {
  const seen = { isCut: false }
  return { seen, output: budget.output({ principal, client }, () => (seen.isCut = true)) }
}

describe('a client that takes nothing', () => {
  test('is left alone while there is room', () => {
    const { seen, output } = reader('key:a')
    output.set(200_000)
    pass(60_000)
    expect(seen.isCut).toBe(false)
  })

  test('is cut off when it is over its own budget', () => {
    const client = {}
    const [one, other] = [reader('key:a', client), reader('key:a', client)]
    one.output.set(200_000)
    other.output.set(200_000)
    pass(1100)
    expect([one.seen.isCut, other.seen.isCut]).toEqual([true, false])
    expect(cuts).toEqual([{ principal: 'key:a', bytes: 200_000, over: 'client', limit: 300_000 }])
  })

  test('makes room for others of its principal, the longest silent first', () => {
    const readers = [1, 2, 3].map(() => reader('key:a'))
    for (const { output } of readers) {
      output.set(250_000)
      pass(100)
    }
    pass(1100)
    expect(readers.map(({ seen }) => seen.isCut)).toEqual([true, false, false])
    expect(cuts).toMatchObject([{ over: 'principal' }])
  })

  test('makes room for other principals when the hub is full', () => {
    const readers = ['a', 'b', 'c', 'd', 'e'].map((name) => reader(`key:${name}`))
    for (const { output } of readers) output.set(250_000)
    pass(1100)
    // So much that it is not full again with the next answer.
    expect(readers.filter(({ seen }) => seen.isCut)).toHaveLength(2)
    expect(cuts).toMatchObject([{ over: 'hub', limit: 1_000_000 }, { over: 'hub' }])
    expect(budget.figures.bytes.hub).toBe(750_000)
    expect(budget.figures.cuts.hub).toBe(2)
  })
})

test('a client that reads slowly is never cut off', () => {
  const [slow, silent] = [reader('key:a'), reader('key:a')]
  silent.output.set(290_000)
  for (let left = 290_000; left > 0; left -= 10_000) {
    slow.output.set(left + 100_000)
    pass(500)
  }
  expect([slow.seen.isCut, silent.seen.isCut]).toEqual([false, true])
})

test('nothing of a client stays that is gone', () => {
  const readers = [reader('key:a'), reader('key:b')]
  for (const { output } of readers) output.set(200_000)
  for (const { output } of readers) output.close()
  readers[0]!.output.set(1)
  expect(budget.figures.bytes).toEqual({ client: 0, principal: 0, hub: 0 })
})

describe('reading from servers', () => {
  function server(): { reservation: Reservation; resumed: number } {
    const seen = { resumed: 0, reservation: budget.reserve(() => void seen.resumed++) }
    return seen
  }

  test('pauses while there is no room, and goes on when there is', () => {
    const { output } = reader('key:a')
    const [first, second] = [server(), server()]
    expect([first.reservation.take(100_000), second.reservation.take(100_000)]).toEqual([true, true])
    output.set(900_000)
    expect(second.reservation.take(100_000)).toBe(false)
    output.set(0)
    expect(second.resumed).toBe(1)
  })

  test('goes on for the one that came first, so that something always ends', () => {
    const servers = [server(), server(), server()]
    for (const { reservation } of servers) reservation.take(300_000)
    expect(servers.map(({ reservation }) => reservation.take(100_000))).toEqual([true, false, false])
    servers[0]!.reservation.close()
    pass(50)
    expect(servers.map(({ resumed }) => resumed)).toEqual([0, 1, 1])
  })

  test('goes on for another when the server of the first one keeps it waiting', () => {
    const servers = [server(), server(), server()]
    for (const { reservation } of servers) reservation.take(330_000)
    expect(servers.map(({ reservation }) => reservation.take(30_000))).toEqual([true, false, false])
    pass(1100)
    expect(servers.map(({ resumed }) => resumed)).toEqual([0, 1, 0])
  })

  test('never pauses for what is small', () => {
    reader('key:a').output.set(2_000_000)
    const [first, second] = [server(), server()]
    expect([first.reservation.take(60_000), second.reservation.take(60_000)]).toEqual([true, true])
  })

  test('goes on for whoever waits for room once clients that take nothing are cut off', () => {
    reader('key:a').output.set(500_000)
    reader('key:b').output.set(501_000)
    let resumed = 0
    expect(budget.isFull).toBe(true)
    budget.waitForRoom({}, () => void resumed++)
    pass(50)
    expect(resumed).toBe(0)
    pass(100)
    expect([resumed, budget.isFull]).toEqual([1, false])
  })
})
