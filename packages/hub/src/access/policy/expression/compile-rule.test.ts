import type { HubError } from '@herma/contract'
import { expect, test } from 'vitest'
import { compileRule } from './compile-rule.ts'
import { Meter } from './meter.ts'

test.each([
  ['principal.rol == "x"', 'at line 1, column 11: No such key: rol. principal has id, kind'],
  ['princpal.role == "x"', 'at line 1, column 1: Unknown variable: princpal. A rule sees: principal, server'],
  ['annotations.readOnly', 'No such key: readOnly'],
  ['tool == 5', 'no such overload: string == int'],
  ['true &&\n  toool == "x"', 'at line 2, column 3: Unknown variable: toool'],
  ['tool', 'it gives a value of type string and not true or false'],
  ['arguments.force', 'it gives any value and not true or false; compare it with something'],
  ['tool == "a" &&', 'at line 1, column 15: Unexpected token: EOF'],
  ['tool.matches("(")', 'at line 1, column 14: error parsing regexp: missing closing )'],
  ['tool.matches("(?=a)")', 'unsupported Perl syntax'],
  ['tool.matches(arguments.pattern)', 'matches() needs its pattern as a text in quotes'],
  ['tool.matches("a{900}")', 'the pattern is too large'],
  ['cel.bind(x, tool, x == "a")', 'cel.bind() is not available'],
  ['arguments.?x.orValue(1) == 1', 'The rule cannot be read'],
  ['tool.nothing()', "found no matching overload for 'string.nothing()'"],
  [`${'('.repeat(40)}true${')'.repeat(40)}`, 'Exceeded maxDepth'],
  [Array.from({ length: 600 }, () => 'loopback').join(' || '), 'Exceeded maxAstNodes'],
  ['', 'The rule cannot be read'],
])('%s is refused with its place', (when, message) => {
  expect(refusal(when)).toMatchObject({ code: 'RULE_INVALID', message: expect.stringContaining(message) as string })
})

test('what a rule compares with fixed texts can be looked up without running it', () => {
  const { guards, fields, usesArguments } = compileRule(
    {
      id: '1',
      effect: 'deny',
      description: '',
      when: 'tool == "a" && "x" == server && (method in ["m", "n"] && principal.role == "viewer") && (target == "b" || loopback)',
    },
    new Meter(),
  )
  expect(guards.map(({ values }) => [...values])).toEqual([['a'], ['x'], ['m', 'n'], ['viewer']])
  expect(fields.toSorted()).toEqual(['loopback', 'method', 'principal.role', 'server', 'target', 'tool'])
  expect(usesArguments).toBe(false)
})

function refusal(when: string): HubError {
  try {
    compileRule({ id: '1', effect: 'deny', description: '', when }, new Meter())
  } catch (error) {
    return error as HubError
  }
  throw new Error(`'${when}' was taken for a rule.`)
}
