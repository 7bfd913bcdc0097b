import { describe, expect, test } from 'vitest'
import { allCells, type CellKind } from '../cell.ts'
import { features } from '../features.ts'
import { findHole, introduced, type Feature } from '../feature/feature.ts'
import type { CellResult, Outcome } from '../run-cell.ts'
import { renderDocument } from './render-document.ts'
import { renderTable } from './render-table.ts'

function resultOf(kind: CellKind, list: readonly Feature[]): CellResult {
  const outcome = (feature: Feature): Outcome => {
    const hole = findHole(feature, kind)
    return hole === null ? { verdict: 'passes' } : { verdict: 'explained', hole }
  }
  return { kind, outcomes: new Map(list.map((feature) => [feature.name, outcome(feature)])) }
}

describe('the document', () => {
  const results = allCells().map((kind) => resultOf(kind, features))
  const text = renderDocument(results, features)

  test('is the same for the same results', () => {
    expect(renderDocument(results, features)).toBe(text)
  })

  test('has a row for every feature', () => {
    for (const { title } of features) expect(text).toContain(`\n| ${title} | `)
  })

  test('names where a feature crosses, and the reason with its page of the specification', () => {
    const link =
      '[Structured tool output came with 2025-06-18](https://modelcontextprotocol.io/specification/2025-06-18/changelog)'
    expect(text).toContain(`| clients from 2025-06-18, servers from 2025-06-18 | ${link} |`)
    expect(text).toContain('| Ping, by the client and by the server | clients until 2025-11-25 |')
    expect(text).toContain('(`notifications/elicitation/complete`) | clients of 2025-11-25, servers of 2025-11-25 |')
    expect(text).toContain('| clients of 2025-03-26 | [Batches were in 2025-03-26 only')
    expect(text).toContain('| servers of 2026-07-28, servers over http |')
  })
})

describe('the table', () => {
  const kinds = allCells().filter(({ client, clientTransport }) => client === '2024-11-05' && clientTransport === 'sse')
  const list: Feature[] = [
    { name: 'old', title: 'Old', run: () => Promise.resolve() },
    { name: 'new', title: 'New', needs: [introduced('New', '2025-11-25')], run: () => Promise.resolve() },
  ]

  test('counts what crosses in each cell', () => {
    const lines = renderTable(kinds.map((kind) => resultOf(kind, list))).split('\n')
    expect(lines[2]).toMatch(/^2024-11-05 sse( +1){14}$/)
    expect(lines.at(-1)).toBe('14 cells: 14 passed, 14 explained, 0 failed')
  })

  test('shows every failure with its feature, its reason and its pairs; those that are alike once', () => {
    const results = kinds.map((kind, index) => {
      const reason = `got key-${index}`
      return { kind, outcomes: new Map<string, Outcome>([['old', { verdict: 'FAILS', reason }]]) }
    })
    expect(renderTable(results)).toContain(
      [
        'FAILS old: got key-0',
        '      2024-11-05 sse → 2024-11-05 http',
        '      2024-11-05 sse → 2024-11-05 stdio',
        '      2024-11-05 sse → 2024-11-05 sse',
        '      and 11 more',
      ].join('\n'),
    )
  })
})
