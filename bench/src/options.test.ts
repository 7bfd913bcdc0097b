import { expect, test } from 'vitest'
import { cases, quickCases } from './cases.ts'
import { parseOptions, type BenchOptions } from './options.ts'

const parse = (...args: string[]) => parseOptions(args) as BenchOptions

test('without options everything runs', () => {
  const options = parse()
  expect(options.cases).toBe(cases)
  expect(options.targets.map((target) => target.name)).toContain('mcp-use')
  expect(options).toMatchObject({ hasFootprint: true, areTargetsChosen: false, rounds: 5, measureMs: 1500 })
})

test('quick runs the main cases', () => {
  expect(parse('--quick').cases.map((each) => each.name)).toEqual(quickCases)
  expect(parse('--quick').hasFootprint).toBe(true)
})

test('cases are chosen by parts of their names', () => {
  const options = parse('--cases', 'stdio,list', '--targets', 'direct,bare', '--rounds', '2', '--seconds', '0.2')
  expect(options.cases.every((each) => /stdio|list/.test(each.name))).toBe(true)
  expect(options.cases.length).toBeGreaterThan(2)
  expect(options.targets.map((target) => target.name)).toEqual(['direct', 'bare'])
  expect(options).toMatchObject({ hasFootprint: false, areTargetsChosen: true, rounds: 2, measureMs: 200 })
  expect(parse('--cases', 'footprint')).toMatchObject({ hasFootprint: true, cases: [] })
})

test('bad options say what to use instead', () => {
  expect(() => parse('--targets', 'direct,traefik')).toThrow(/no target 'traefik'. Choose from: direct, bare/)
  expect(() => parse('--cases', 'c63')).toThrow(/No case is called 'c63'.*--list/)
  expect(() => parse('--rounds', 'many')).toThrow(/--rounds must be a number/)
  expect(() => parse('--fast')).toThrow(/--fast/)
})

test('every case has a name of its own', () => {
  expect(new Set(cases.map((each) => each.name)).size).toBe(cases.length)
})
