import { expect, test } from 'vitest'
import type { InteropServer } from '../server/interop-server.ts'
import type { InteropClient } from './client.ts'
import { printReport } from './print-report.ts'
import type { Findings } from './report.ts'
import type { Cell } from './trial.ts'

const client: InteropClient = { name: 'B', version: '2.0', cannot: {}, ways: [] }
const way = { name: 'URL', era: 'legacy', open: () => Promise.reject(new Error('never opened')) } as const
const server = { name: 'x', title: 'X', version: '1', transport: 'HTTP', eras: 'both' } as InteropServer
const nothing: Findings = { agents: [], trials: [], servers: [], broken: {}, missing: [] }
const report = (more: Partial<Findings>) => printReport({ ...nothing, ...more })
const trial = (...cells: Cell[]) => ({ trials: [{ client, way, cells }] })

test('each client has a row that counts, and the last line counts all', () => {
  const cells: Cell[] = [
    { attempt: 'text', verdict: 'ok' },
    { attempt: 'asks', server: 'x', verdict: 'ok' },
    { attempt: 'asks', server: 'y', verdict: 'FAIL', reason: 'gone' },
    { attempt: 'prompt', verdict: '–', reason: 'No command.' },
  ]
  const text = report(trial(...cells))
  expect(text).toMatch(/^ {2}FAIL B 2\.0 URL +2\/3 {2}FAILED: asks; text$/m)
  expect(text).toContain('  B URL (prompt): No command.\n')
  expect(text).toMatch(/\n2 passed, 1 failed\n$/)
})

test('each server has a row of what all clients made of it, and one that does not start is a failure', () => {
  const cells: Cell[] = [{ attempt: 'asks', server: 'x', verdict: 'ok' }]
  expect(report({ ...trial(...cells), servers: [server] })).toMatch(/^ {2}ok {3}X 1 HTTP, both eras +1\/1 {2}asks$/m)
  const broken = report({ servers: [server], broken: { x: 'no such file' } })
  expect(broken).toContain('FAIL X over HTTP (it starts): no such file')
  expect(broken).toMatch(/\n0 passed, 1 failed\n$/)
})

test('an agent has a row with its checks', () => {
  const agent = { name: 'A', version: '1', checks: [] }
  const text = report({
    agents: [
      {
        agent,
        cells: [
          { check: 'added', verdict: 'ok' },
          { check: 'connected', verdict: 'FAIL', reason: 'refused' },
        ],
      },
    ],
  })
  expect(text).toMatch(/^ {2}FAIL A 1 +1\/2 {2}FAILED: connected; added$/m)
  expect(text).toContain('FAIL A (connected): refused')
})

test('what could not be had is named at the end, loudly', () => {
  const text = report({ missing: [{ name: 'codex', reason: 'npm ended with 1.\nno network' }] })
  expect(text).toContain('COULD NOT BE HAD: codex: npm ended with 1.\n    no network\n')
  expect(text).toMatch(/\n0 passed, 0 failed, 1 could not be had\n$/)
})

test('each reason is printed once, with all that it explains, and a long one is cut', () => {
  const failed = (attempt: Cell['attempt'], reason: string): Cell => ({ attempt, verdict: 'FAIL', reason })
  const text = report(
    trial(failed('text', 'gone\nfor good'), failed('image', 'gone\nfor good'), failed('prompt', 'x'.repeat(10_000))),
  )
  expect(text).toContain('  FAIL B URL (text; image): gone\n    for good\n')
  expect(text.length).toBeLessThan(2500)
})
