import { expect, test } from 'vitest'
import type { Footprint } from '../measure/footprint.ts'
import type { Measurement } from '../run/run-group.ts'
import { judgeGoals } from './judge-goals.ts'
import { summarise } from './summarise.ts'

interface Figure {
  callsPerSecond?: number
  p50Ms?: number
  cpuUsPerCall?: number | null
  failures?: number
}

const measure = (name: string, target: string, figure: Figure, round = 0): Measurement => ({
  case: name,
  target,
  round,
  result: {
    calls: 100,
    callsPerSecond: 1000,
    p50Ms: 1,
    p99Ms: 2,
    cpuUsPerCall: 50,
    clientCpuUsPerCall: 20,
    peakRssMb: 80,
    storePeakRssMb: null,
    failures: 0,
    failureReasons: [],
    ...figure,
  },
})

const judge = (measurements: Measurement[], footprint: Footprint | null = null) => judgeGoals(measurements, footprint)

const C64 = 'http/legacy/echo/c64'
const C1 = 'http/legacy/echo/c1'

test('figures are medians over rounds, and ratios are medians of the rounds’ own ratios to bare', () => {
  const rows = summarise(
    [
      ...[1000, 5000, 2000].map((callsPerSecond, round) => measure(C64, 'bare', { callsPerSecond }, round)),
      ...[1500, 1600, 100].map((callsPerSecond, round) => measure(C64, 'herma', { callsPerSecond }, round)),
      measure(C64, 'direct', { cpuUsPerCall: null }),
    ],
    [],
  )
  expect(rows.map((row) => [row.target, row.callsPerSecond, row.rounds])).toEqual([
    ['bare', 2000, 3],
    ['herma', 1500, 3],
    ['direct', 1000, 1],
  ])
  // 1500/1000, 1600/5000 and 100/2000.
  expect(rows[1]?.toBare.callsPerSecond).toBe(0.32)
  expect(rows[1]?.spread).toEqual([0.05, 1.5])
  expect(rows[2]?.toBare.cpuUsPerCall).toBeNull()
})

test('what runs on another Node is compared with bare on the same', () => {
  const measured = [
    measure(C64, 'bare', { callsPerSecond: 10_000 }),
    measure(C64, 'herma', { callsPerSecond: 12_000 }),
    measure(C64, 'bare@24', { callsPerSecond: 20_000 }),
    measure(C64, 'herma@24', { callsPerSecond: 25_000 }),
  ]
  const [limit, ours] = ['bare@24', 'herma@24'].map((name) => ({ name, limit: 'bare@24' }))
  const row = summarise(measured, [limit!, ours!]).find(({ target }) => target === 'herma@24')
  expect(row?.toBare.callsPerSecond).toBe(1.25)
  expect(judge(measured).filter(({ verdict }) => verdict !== 'not measured')).toEqual([
    { what: 'calls/s, small answers, legacy, c=64', wanted: '≥ 1.1 × bare', got: '1.20 ×', verdict: 'holds' },
    { what: 'calls/s, small answers, legacy, c=64, Node 24', wanted: '≥ 1.3 × bare', got: '1.25 ×', verdict: 'FAILS' },
  ])
})

test('a foreign gateway is judged in each case that it was measured in', () => {
  const goals = judge([
    measure(C1, 'tbxark', { callsPerSecond: 100 }),
    measure(C1, 'herma', { callsPerSecond: 90 }),
    measure(C64, 'tbxark', { failures: 1 }),
    measure(C64, 'herma', {}),
  ])
  expect(goals.filter(({ wanted }) => wanted.endsWith('tbxark')).map(({ verdict }) => verdict)).toEqual([
    'FAILS',
    'not measured',
  ])
})

test('what a gateway adds at c=1 is counted from direct', () => {
  const goals = judge([
    measure(C1, 'direct', { p50Ms: 0.1 }),
    measure(C1, 'bare', { p50Ms: 0.3 }),
    measure(C1, 'herma', { p50Ms: 0.4 }),
  ])
  const goal = goals.find(({ what }) => what === 'latency added at c=1, legacy client')
  expect(goal).toMatchObject({ got: '1.50 ×', verdict: 'FAILS' })
})

test('the cost of many tools is compared through bare, since the machine may change between two cases', () => {
  const goals = judge([
    measure('10-tools/legacy/echo/c64', 'bare', { cpuUsPerCall: 50 }),
    measure('10-tools/legacy/echo/c64', 'herma', { cpuUsPerCall: 60 }),
    measure('10000-tools/legacy/echo/c64', 'bare', { cpuUsPerCall: 100 }),
    measure('10000-tools/legacy/echo/c64', 'herma', { cpuUsPerCall: 150 }),
  ])
  const goal = goals.find(({ what }) => what === 'CPU per call to bare, 10,000 tools')
  expect(goal).toMatchObject({ got: '1.25 ×', verdict: 'FAILS' })
})

test('a wrong answer of ours takes away the figure', () => {
  const goals = judge([measure(C64, 'bare', {}), measure(C64, 'herma', { failures: 1 })])
  expect(goals.find(({ what }) => what.endsWith('legacy, c=64'))).toMatchObject({ verdict: 'not measured' })
})

test('the hub at rest is judged by its own memory, by that with its database, its first list and its live heap', () => {
  const footprint: Footprint = {
    idleEmpty: { hubRssMb: 70, withStoreMb: 100 },
    idleFull: { hubRssMb: 80, withStoreMb: 129 },
    start: { firstListMs: 601, completeListMs: 1600, runs: 3 },
    connections: 'herma ended with code 1.\nMore.',
  }
  const verdicts = judge([], footprint).slice(-5)
  expect(verdicts.map(({ got, verdict }) => [got, verdict])).toEqual([
    ['70 MB', 'holds'],
    ['80 MB', 'FAILS'],
    ['129 MB', 'holds'],
    ['0.60 s', 'FAILS'],
    ['herma ended with code 1.', 'not measured'],
  ])
})
