import { expect, test } from 'vitest'
import type { Result } from './judge-checks.ts'
import { legs } from './legs.ts'
import { printReport } from './print-report.ts'

const base: Result = { scenario: 'ping', outcome: 'pass', passed: 2, failed: 0, messages: [], crossed: [] }

test('each kind of leg has a table, and only if one of its legs ran', () => {
  const report = printReport([{ name: 'client-2026-07-28', results: [base], notYet: [] }], legs)
  expect(report).toContain('As a client, with clients of the same era in front')
  expect(report).not.toContain('As a server')
})

test('what failed is told with its messages, and what cannot cross with its reason', () => {
  const failed: Result = { ...base, outcome: 'fail', failed: 1, messages: ['failure x: y'] }
  const excused: Result = { ...base, scenario: 'server-sse-polling', outcome: 'cannot cross' }
  const report = printReport([{ name: '2025-11-25-over-modern', results: [failed, excused], notYet: [] }], legs)
  expect(report).toContain('2025-11-25-over-modern ping\n  failure x: y\n')
  expect(report).toMatch(/server-sse-polling\n {2}cannot cross: A modern server .+\n/)
})

test('what was not run is counted once for each scenario, however many legs it is on', () => {
  const reason = 'needs OAuth'
  const notYet = ['auth/a', 'auth/b'].map((scenario) => ({ scenario, reason }))
  const columns = ['client-2025-11-25', 'client-2026-07-28'].map((name) => ({ name, results: [], notYet }))
  expect(printReport(columns, legs)).toContain('NOT RUN\n  not yet: needs OAuth: 2 scenarios\n')
})
