import { expect, test } from 'vitest'
import { attemptNames, type AttemptName } from './attempts.ts'
import { printFailures, printReasons } from './print-report.ts'
import { printTable, type Cell } from './print-table.ts'

const allCells = (cell: Cell) =>
  Object.fromEntries(attemptNames.map((name) => [name, cell])) as Record<AttemptName, Cell>

test('the table has the ways of a client below its name, and a row for each attempt', () => {
  const columns = [
    { client: 'A client with a name', way: 'one', cells: allCells('ok') },
    { client: 'A client with a name', way: 'two', cells: { ...allCells('ok'), text: 'FAIL' as const } },
    { client: 'B', way: 'a-way', cells: { ...allCells('ok'), text: '–' as const } },
  ]
  const lines = printTable(columns).split('\n')
  expect(lines[0]).toMatch(/^ +A client with a name {2}B$/)
  expect(lines[1]).toMatch(/^ +one {2}two +a-way$/)
  expect(lines.find((line) => line.startsWith('text '))).toMatch(/^text +ok {3}FAIL +–$/)
  expect(lines).toHaveLength(attemptNames.length + 4)
  expect(lines[0]?.indexOf('B')).toBe(lines[1]?.indexOf('a-way'))
  // Every cell stands below its way.
  for (const line of lines.slice(3, -1)) expect(line.search(/\S+$/)).toBe(lines[1]?.indexOf('a-way'))
})

test('each reason is printed once, with all that it explains', () => {
  const client = {
    name: 'B',
    cannot: { prompt: 'No command.', completion: 'No command.', text: 'It is silent.' },
    ways: [{ name: 'URL', cannot: { resource: 'Not by URL.' }, open: () => Promise.reject(new Error('never opened')) }],
  }
  expect(printReasons([client])).toBe(
    'Not tried (–):\n  B (prompt; completion): No command.\n  B (text): It is silent.\n  B URL (resource): Not by URL.\n',
  )
  expect(printReasons([{ ...client, cannot: {}, ways: [] }])).toBe('')
})

test('failures are printed with their way, and a long reason is cut', () => {
  const failures = [
    { attempt: 'text', reason: 'gone\nfor good' },
    { attempt: 'image', reason: 'gone\nfor good' },
    { attempt: 'prompt', reason: 'x'.repeat(10_000) },
  ] as const
  const text = printFailures([{ client: 'B', way: 'URL', failures }])
  expect(text).toContain('  FAIL B URL (text; image): gone\n    for good\n')
  expect(text.length).toBeLessThan(2000)
  expect(printFailures([{ client: 'B', way: 'URL', failures: [] }])).toBe('')
})
