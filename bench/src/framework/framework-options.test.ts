import { expect, test } from 'vitest'
import { parseFrameworkOptions, type FrameworkOptions } from './framework-options.ts'

const parse = (...args: string[]) => parseFrameworkOptions(args) as FrameworkOptions

test('without options everything is measured and nothing is written', () => {
  const options = parse()
  expect(options.contenders.map(({ name }) => name)).toEqual(['herma', 'sdk', 'fastmcp', 'mcp-use', 'tmcp', 'xmcp'])
  expect(options.parts).toHaveLength(6)
  expect(options).toMatchObject({ rounds: 5, starts: 15, measureMs: 1500, writesReports: false })
})

test('parts and contenders are chosen by name, in their own order', () => {
  const options = parse('--contenders', 'sdk,herma', '--parts', 'start,load', '--rounds', '2')
  expect(options.contenders.map(({ name }) => name)).toEqual(['herma', 'sdk'])
  expect(options).toMatchObject({ parts: ['load', 'start'], rounds: 2 })
})

test.each([
  [['--contenders', 'nobody'], /--contenders does not know 'nobody'. Choose from: herma, sdk/],
  [['--parts', 'speed'], /--parts does not know 'speed'/],
  [['--rounds', 'many'], /--rounds must be a number/],
  [['--write', '--parts', 'load'], /--write needs every contender and every part/],
])('%j is refused with what to write instead', (args, reason) => {
  expect(() => parseFrameworkOptions(args)).toThrow(reason)
})
