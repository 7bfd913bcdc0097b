import { expect, test } from 'vitest'
import { parseOptions } from './options.ts'

test('without options every leg and scenario runs through the hub', () => {
  const options = parseOptions([])
  expect(options.legs.map(({ name }) => name)).toEqual(['2025-06-18', '2025-11-25', '2026-07-28', 'tasks'])
  expect(options).toMatchObject({ direct: false, update: false, behind: undefined, scenarios: [] })
})

test('revisions and scenarios can be chosen, several of each', () => {
  const options = parseOptions(['--revision', 'tasks', '--revision', '2025-06-18', '--scenario', 'ping'])
  expect(options.legs.map(({ name }) => name)).toEqual(['2025-06-18', 'tasks'])
  expect(options.scenarios).toEqual(['ping'])
})

test.each([
  [['--revision', '2024-11-05'], '--revision 2024-11-05: use one of'],
  [['--behind', 'future'], '--behind future: use legacy or modern'],
  [['--behind', 'legacy', '--direct'], 'leave out --behind or --direct'],
  [['--nonsense'], '--help'],
])('%j is refused with what to do instead', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message)
})
