import { expect, test } from 'vitest'
import { findBetterElsewhere } from './better-elsewhere.ts'
import { judgeFramework } from './framework-goals.ts'
import { cpuRatio, type FrameworkResults } from './framework-results.ts'
import type { LoadTurn } from './measure-load.ts'
import { renderComparison, renderFrameworkPage, renderFrameworkText } from './render-framework.ts'

const turn = (contender: string, round: number, cpuUsPerCall: number, tools = 1): LoadTurn => ({
  contender,
  round,
  way: 'http/modern',
  tools,
  calls: 1000,
  cpuUsPerCall,
  callsPerSecond: 1000,
})

const results: FrameworkResults = {
  machine: { cpu: 'a processor', cores: 2, memoryGb: 8, kernel: 'Linux 6', node: 'v20.19.0', date: '2026-01-01' },
  otherWork: 0.02,
  rounds: 3,
  starts: 2,
  measureMs: 1500,
  contenders: ['herma', 'sdk', 'tmcp'].map((name) => ({ name, main: name, version: '1.0.0', note: 'a note' })),
  load: [
    // The second round was twice as slow and the last has no SDK; the ratios of the rounds mind neither.
    turn('herma', 0, 50),
    turn('sdk', 0, 100),
    turn('tmcp', 0, 40),
    turn('herma', 1, 100),
    turn('sdk', 1, 200),
    turn('tmcp', 1, 80),
    turn('herma', 2, 50),
    turn('sdk', 2, 100),
    turn('tmcp', 2, 40),
    turn('herma', 3, 900),
    turn('herma', 0, 300, 500),
    turn('sdk', 0, 1000, 500),
  ],
  startTurns: [
    { contender: 'herma', round: 0, wallMs: 110, cpuMs: 90 },
    { contender: 'sdk', round: 0, wallMs: 100, cpuMs: 100 },
  ],
  hellos: [
    { contender: 'herma', lines: 7, files: 1 },
    { contender: 'tmcp', lines: 19, files: 2 },
  ],
  memories: [{ contender: 'sdk', idleStdioMb: null, idleHttpMb: 70, connection: null }],
  installs: [],
  findings: [
    { contender: 'herma', feature: 'sse', shown: 'no', detail: 'first | line\nsecond at 127.0.0.1:4711' },
    { contender: 'sdk', feature: 'sse', shown: 'by hand' },
    { contender: 'tmcp', feature: 'sse', shown: 'yes' },
  ],
  omissions: [{ contender: 'tmcp', what: 'memory', reason: 'it did not start' }],
}

test('a ratio compares turns of the same round', () => {
  expect(cpuRatio(results, 'herma', { way: 'http/modern', tools: 1 })).toBe(0.5)
  expect(cpuRatio(results, 'herma', { way: 'stdio/legacy', tools: 1 })).toBeUndefined()
})

test('goals hold, fail, or were not measured', () => {
  const verdicts = judgeFramework(results).map(({ got, verdict }) => [got, verdict])
  expect(verdicts).toEqual([
    ['–', 'not measured'],
    ['–', 'not measured'],
    ['0.50 × SDK', 'holds'],
    ['0.30 × SDK', 'FAILS'],
    ['7 lines', 'holds'],
    ['1.10 × SDK', 'holds'],
  ])
})

test('whatever somebody else does better is listed', () => {
  expect(findBetterElsewhere(results)).toEqual([
    'CPU of a call, HTTP, modern, 1 tool: tmcp 40; ours 75 µs',
    'cold start: sdk 100; ours 110 ms',
    'HTTP+SSE, the transport of 2024-11-05: sdk, tmcp; ours: no',
  ])
})

test('the page for readers has neither a date nor a machine, the other one has both', () => {
  const comparison = renderComparison(results)
  expect(comparison).not.toMatch(/2026-01-01|a processor|v20/)
  expect(comparison).toContain('| HTTP, modern, 1 tool | 75 (0.50) | 100 | 40 (0.40) |')
  expect(comparison).toContain('- cold start: sdk 100; ours 110 ms')
  const page = renderFrameworkPage(results)
  expect(page).toContain('a processor, 2 cores, 8 GB, Linux 6, Node v20.19.0, 2026-01-01')
  expect(page).toContain('| herma | sse | `first / line` |')
  expect(page).toContain('| tmcp | memory | `it did not start` |')
  expect(renderFrameworkText(results)).toContain('other work took 2 % of the machine')
})

test('a busy machine is named on both pages', () => {
  const busy = { ...results, otherWork: 0.6 }
  for (const page of [renderComparison(busy), renderFrameworkPage(busy)]) {
    expect(page).toContain('OTHER WORK TOOK 60 % OF THE MACHINE')
  }
  expect(renderComparison(results)).not.toContain('OTHER WORK')
})
