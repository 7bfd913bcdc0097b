import { expect, test } from 'vitest'
import { nameTools } from './name-tools.ts'

const legal = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/
const names = (...tools: [connector: string | null, tool: string][]) =>
  nameTools(
    tools.map(([connector, tool]) => ({ connector, tool })),
    new Set(['read_file']),
  )

test('a tool is named for its connector, in letters that providers take', () => {
  expect(names(['github', 'create_issue'], ['github', 'repos.list/all'], [null, 'fetch'], ['1x', 'é'])).toEqual([
    'github__create_issue',
    'github__repos_list_all',
    'fetch',
    '_1x___',
  ])
})

test('names that would fall together differ, whatever their order', () => {
  const one = names(['a', 'b.c'], ['a', 'b_c'])
  const other = names(['a', 'b_c'], ['a', 'b.c'])
  expect(new Set(one).size).toBe(2)
  expect(other).toEqual(one.toReversed())
  expect(one.every((name) => legal.test(name))).toBe(true)
})

test('a long name and a taken one get a hash', () => {
  const [long, longer, taken] = names(['a', 'x'.repeat(80)], ['a', 'x'.repeat(81)], [null, 'read_file'])
  expect(long).toMatch(legal)
  expect(long).not.toBe(longer)
  expect(taken).toMatch(/^read_file_[0-9a-f]{8}$/)
})
