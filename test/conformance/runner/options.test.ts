import { expect, test } from 'vitest'
import { parseOptions, usage } from './options.ts'

const names = (args: string[]) => parseOptions(args).legs.map(({ name }) => name)

test('without options every leg and scenario runs through the hub', () => {
  expect(names([])).toEqual([
    '2025-06-18',
    '2025-11-25',
    '2026-07-28',
    'tasks',
    '2026-07-28-over-legacy',
    '2025-11-25-over-modern',
    'python-2025-11-25',
    'python-2026-07-28',
    'client-2025-03-26',
    'client-2025-06-18',
    'client-2025-11-25',
    'client-2026-07-28',
    'client-extensions',
    'client-2025-11-25-from-modern',
    'client-2026-07-28-from-legacy',
    'authorization-server',
  ])
  expect(parseOptions([])).toMatchObject({ direct: false, update: false, scenarios: [] })
  for (const name of names([])) expect(usage).toContain(name)
})

test('legs and scenarios can be chosen, several of each', () => {
  const args = ['--leg', 'tasks', '--leg', '2025-06-18', '--scenario', 'ping']
  expect(names(args)).toEqual(['2025-06-18', 'tasks'])
  expect(parseOptions(args).scenarios).toEqual(['ping'])
})

test('without a hub no leg runs that crosses eras or is about the hub itself', () => {
  expect(names(['--direct']).filter((name) => /over|from/.test(name))).toEqual([])
  expect(names(['--direct'])).toContain('client-2026-07-28')
  expect(names(['--direct'])).not.toContain('authorization-server')
})

test.each([
  [['--leg', '2024-11-05'], '--leg 2024-11-05: use one of'],
  [['--leg', '2025-11-25-over-modern', '--direct'], 'leave out --direct or --leg 2025-11-25-over-modern'],
  [['--leg', 'authorization-server', '--direct'], 'leave out --direct or --leg authorization-server'],
  [['--nonsense'], '--help'],
])('%j is refused with what to do instead', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message)
})
