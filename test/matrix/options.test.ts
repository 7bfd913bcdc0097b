import { expect, test } from 'vitest'
import { allCells } from './cell.ts'
import { features } from './features.ts'
import { parseOptions } from './options.ts'

test('without options the whole matrix runs and the document is compared', () => {
  expect(parseOptions([])).toEqual({
    cells: allCells(),
    features,
    isDirect: false,
    isWhole: true,
    writes: false,
    print: null,
  })
})

test('options narrow the matrix, and may be given several times', () => {
  const sides = '--client 2025-11-25 --server 2024-11-05 --server 2026-07-28'
  const rest = '--client-transport http --server-transport sse --feature tools'
  const options = parseOptions(`${sides} ${rest}`.split(' '))
  expect(options.isWhole).toBe(false)
  expect(options.cells).toEqual([
    { client: '2025-11-25', clientTransport: 'http', server: '2024-11-05', serverTransport: 'sse' },
  ])
  expect(options.features.map(({ name }) => name)).toEqual(['tools'])
})

test('every revision, transport and feature is there', () => {
  const cells = allCells()
  // Five revisions over HTTP and stdio and one over HTTP+SSE; ten servers over HTTP and stdio and four over HTTP+SSE.
  expect(cells).toHaveLength(11 * 14)
  expect(new Set(features.map(({ name }) => name)).size).toBe(features.length)
})

test.each([
  [['--client', '2020-01-01'], "--client does not know '2020-01-01'. It takes: 2024-11-05"],
  [['--feature', 'nothing'], "--feature does not know 'nothing'. It takes: tools"],
  [['--nothing'], "Unknown option '--nothing'"],
  [['--write', '--feature', 'tools'], '--write needs the whole matrix'],
  [['--server', '2026-07-28', '--server-transport', 'sse'], 'No cell of the matrix is like that'],
])('%j is refused with what to do', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message)
})
