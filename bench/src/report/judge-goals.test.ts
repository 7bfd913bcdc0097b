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
    peakRssMb: 80,
    storePeakRssMb: null,
    failures: 0,
    failureReasons: [],
    ...figure,
  },
})

const judge = (measurements: Measurement[], footprint: Footprint | null = null) =>
  judgeGoals({ measurements, footprint, peers: ['slow', 'slower'] })

const C64 = 'http/legacy/echo/c64'
const C1 = 'http/legacy/echo/c1'

test('figures are medians over rounds, and ratios are medians of the rounds’ own ratios to bare', () => {
  const rows = summarise([
    ...[1000, 5000, 2000].map((callsPerSecond, round) => measure(C64, 'bare', { callsPerSecond }, round)),
    ...[1500, 1600, 100].map((callsPerSecond, round) => measure(C64, 'herma', { callsPerSecond }, round)),
    measure(C64, 'direct', { cpuUsPerCall: null }),
  ])
  expect(rows.map((row) => [row.target, row.callsPerSecond, row.rounds])).toEqual([
    ['bare', 2000, 3],
    ['herma', 1500, 3],
    ['direct', 1000, 1],
  ])
  // 1500/1000, 1600/5000 and 100/2000.
  expect(rows[1]?.toBare.callsPerSecond).toBe(0.32)
  expect(rows[2]?.toBare.cpuUsPerCall).toBeNull()
})

test('full load is judged against bare and against the fastest peer that answered correctly', () => {
  const goals = judge([
    measure(C64, 'bare', { callsPerSecond: 10_000, cpuUsPerCall: 50 }),
    measure(C64, 'herma', { callsPerSecond: 8500, cpuUsPerCall: 80 }),
    measure(C64, 'slow', { callsPerSecond: 400 }),
    measure(C64, 'slower', { callsPerSecond: 90_000, failures: 3 }),
  ])
  expect(goals.slice(0, 4)).toEqual([
    { what: 'calls/s at c=64, legacy client', wanted: '≥ 0.8 × bare', got: '0.85 ×', verdict: 'holds' },
    { what: 'calls/s at c=64, legacy client', wanted: '≥ 20 × slow', got: '21.25 ×', verdict: 'holds' },
    { what: '  the same for bare, which is the limit', wanted: '', got: '25.00 ×', verdict: '' },
    { what: 'CPU per call at c=64, legacy client', wanted: '≤ 1.4 × bare', got: '1.60 ×', verdict: 'FAILS' },
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
    measure('1000-tools/legacy/echo/c64', 'bare', { cpuUsPerCall: 100 }),
    measure('1000-tools/legacy/echo/c64', 'herma', { cpuUsPerCall: 150 }),
  ])
  const goal = goals.find(({ what }) => what === 'CPU per call to bare, 1,000 tools')
  expect(goal).toMatchObject({ got: '1.25 ×', verdict: 'FAILS' })
})

test('a wrong answer of ours takes away the figure', () => {
  const goals = judge([measure(C64, 'bare', {}), measure(C64, 'herma', { failures: 1 })])
  expect(goals[0]).toMatchObject({ verdict: 'not measured' })
})

test('the hub at rest is judged by its own memory, its whole list and its live heap', () => {
  const footprint: Footprint = {
    idleEmpty: { hubRssMb: 120, withStoreMb: 160 },
    idleFull: { hubRssMb: 131, withStoreMb: 170 },
    start: { firstListMs: 600, completeListMs: 1600, runs: 3 },
    connections: 'herma ended with code 1.\nMore.',
  }
  const verdicts = judge([], footprint).slice(-4)
  expect(verdicts.map(({ got, verdict }) => [got, verdict])).toEqual([
    ['120 MB', 'holds'],
    ['131 MB', 'FAILS'],
    ['1.60 s', 'FAILS'],
    ['herma ended with code 1.', 'not measured'],
  ])
})
