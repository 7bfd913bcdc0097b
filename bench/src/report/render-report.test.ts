import { expect, test } from 'vitest'
import { cases } from '../cases.ts'
import { describeMachine } from '../machine/describe-machine.ts'
import type { LoadResult } from '../client/run-load.ts'
import { renderMarkdown, renderText, type Results } from './render-report.ts'
import { summarise } from './summarise.ts'

const [first, second] = cases

const result: LoadResult = {
  calls: 100,
  callsPerSecond: 12_345.6,
  p50Ms: 0.25,
  p99Ms: 2,
  cpuUsPerCall: 50,
  clientCpuUsPerCall: 20,
  peakRssMb: 80,
  storePeakRssMb: null,
  failures: 0,
  failureReasons: [],
}

const measurements = ['bare', 'herma'].map((target) => ({ case: first?.name ?? '', target, round: 0, result }))

const results: Results = {
  machine: describeMachine(),
  otherWork: 0.04,
  isPinned: true,
  rounds: 1,
  measureMs: 100,
  targets: ['herma', 'bare'].map((name) => ({ name, note: `about ${name}` })),
  cases: cases.slice(0, 2),
  rows: summarise(measurements, []),
  measurements,
  omissions: [
    { case: first?.name ?? '', target: 'peer', reason: 'ended\nwith a long story', isFailure: true },
    { case: second?.name ?? '', target: 'peer', reason: 'ended\nwith a long story', isFailure: true },
  ],
  footprint: null,
  goals: [{ what: 'speed', wanted: '≥ 1', got: '2', verdict: 'holds' }],
}

test('the page shows each measured case as a table in the order of the targets, with ratios beside figures', () => {
  const page = renderMarkdown(results)
  expect(page).toContain(`## ${first?.name}: small answers, 1 http connector, 10 tools, legacy client, 1 at once`)
  const rows = page.split('\n').filter((line) => /^\| (herma|bare) \|/.test(line))
  expect(rows).toEqual([
    '| herma | 12,346 | 1.00 | 1.00 – 1.00 | 0.250 | 1.00 | 2.000 | 1.00 | 50 | 1.00 | 20 | 80 | 1.00 |',
    '| bare | 12,346 | 1.00 | 1.00 – 1.00 | 0.250 | 1.00 | 2.000 | 1.00 | 50 | 1.00 | 20 | 80 | 1.00 |',
  ])
  expect(page).not.toContain(`## ${second?.name}`)
  expect(page).toContain('| speed | ≥ 1 | 2 | holds |')
})

test('what was left out is named once for each reason', () => {
  expect(renderText(results)).toMatch(new RegExp(`peer +${first?.name}, ${second?.name} +FAILED: ended(?!\\nwith)`))
})

test('a busy machine is part of the result', () => {
  expect(renderText(results)).toContain('other work took 4 % of the machine')
  expect(renderMarkdown({ ...results, otherWork: 0.6 })).toContain('OTHER WORK TOOK 60 % OF THE MACHINE')
})
