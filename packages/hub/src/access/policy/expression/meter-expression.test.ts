import type { Principal } from '@herma/contract'
import { expect, test } from 'vitest'
import { compileRule } from './compile-rule.ts'
import { Meter } from './meter.ts'
import { RuleContext } from './rule-context.ts'

const principal: Principal = {
  id: 'operator',
  kind: 'operator',
  name: 'operator',
  role: 'owner',
  scopes: null,
  servers: null,
}
const numbers = Array.from({ length: 3000 }, (_, index) => index)
const tooLarge = 'what it looks at is too large to be worked out'

test.each([
  ['a loop in a loop', 'arguments.l.exists(x, arguments.l.exists(y, x + y < 0.0))', { l: numbers }],
  [
    'three loops whose errors are swallowed',
    'arguments.l.exists(x, arguments.l.exists(y, arguments.l.exists(z, z.no == 1)))',
    { l: numbers },
  ],
  ['lists that are made', 'arguments.l.map(x, arguments.l.map(y, y)).size() > 0', { l: numbers }],
  ['an error that || would hide', 'arguments.l.all(x, arguments.l.all(y, x >= 0.0)) || true', { l: numbers }],
  ['errors that are swallowed', 'arguments.l.exists(x, x.no == 1)', { l: numbers }],
  ['a huge list', 'arguments.l.exists(x, x < 0.0)', { l: Array.from({ length: 1_000_000 }, () => 1) }],
  [
    'a huge map',
    'arguments.m.exists(k, k == "no")',
    { m: Object.fromEntries(Array.from({ length: 200_000 }, (_, key) => [`k${key}`, 1])) },
  ],
  ['huge values that are compared', 'arguments.a == arguments.b', twice(Array.from({ length: 200_000 }, () => 1))],
  [
    'a search for a large value in a list',
    'arguments.l in arguments.ls',
    { l: numbers, ls: Array.from({ length: 100 }, () => [...numbers]) },
  ],
  ['a huge text that is taken apart', 'arguments.s.split("").size() > 0', { s: 'x'.repeat(2_000_000) }],
  ['texts that double', grow('arguments.s', 8), { s: 'x'.repeat(200_000) }],
  [
    'a pattern that would backtrack for ever, on a huge text',
    'arguments.s.matches("^(a+)+$")',
    { s: `${'a'.repeat(1_000_000)}!` },
  ],
  ['time zones in a loop', 'arguments.l.all(x, now.getHours("Europe/Berlin") >= 0)', { l: numbers }],
])('%s ends with an error', (_name, when, values) => {
  expect(() => run(when, values)).toThrow(tooLarge)
})

test.each([
  ['a pattern that would backtrack for ever', 'arguments.s.matches("^(a+)+$")', { s: `${'a'.repeat(5000)}!` }, false],
  ['a pattern in the middle', 'arguments.s.matches("b+")', { s: 'aabb' }, true],
  [
    'the largest text that a client can send',
    'arguments.s.contains("needle")',
    { s: `${'x'.repeat(15_000_000)}needle` },
    true,
  ],
  ['a list of thousands', 'arguments.l.exists(x, x == 2999)', { l: numbers }, true],
  ['a large value beside the one that counts', 'arguments.n == 1', { n: 1, l: numbers }, true],
])('%s is worked out', (_name, when, values, expected) => {
  expect(run(when, values)).toBe(expected)
})

test('values that are nested without end are not compared, and leave nothing behind', () => {
  const deep = JSON.parse(`${'['.repeat(50)}1${']'.repeat(50)}`) as unknown
  expect(() => run('arguments.d == 1', { d: deep })).toThrow('a value that it compares is nested too deeply')
  expect(run('arguments.d[0][0] != null || true', { d: deep })).toBe(true)
  expect(run('arguments.o.a.b.c.d.e == 1', { o: { a: { b: { c: { d: { e: 1 } } } } } })).toBe(true)
})

test('one budget is for all rules of a check', () => {
  const meter = new Meter()
  const rule = compileRule({ id: '1', effect: 'deny', description: '', when: 'arguments.l.exists(x, x < 0.0)' }, meter)
  const context = contextOf({ l: Array.from({ length: 20_000 }, () => 1) })
  meter.begin()
  expect(rule.matches(context)).toBe(false)
  expect(() => rule.matches(context)).toThrow(tooLarge)
  meter.begin()
  expect(rule.matches(context)).toBe(false)
})

function run(when: string, values: object): boolean {
  const meter = new Meter()
  const rule = compileRule({ id: '1', effect: 'deny', description: '', when }, meter)
  meter.begin()
  return rule.matches(contextOf(values))
}

function contextOf(values: object): RuleContext {
  return new RuleContext(
    { principal, server: 'facade', method: 'tools/call', target: 't', arguments: values, loopback: true },
    new Date(),
  )
}

function twice(value: unknown[]): object {
  return { a: value, b: [...value] }
}

/** `s + s + …`, each time as long as before. */
function grow(text: string, times: number): string {
  const sum = Array.from({ length: 2 ** (times - 3) }, () => `string(${text})`).join(' + ')
  return `size(${sum}) > 0`
}
