import type { Principal } from '@herma/contract'
import { expect, test } from 'vitest'
import type { Action } from './action.ts'
import { compileRule } from './expression/compile-rule.ts'
import { decide, explain } from './decide.ts'
import { Meter } from './expression/meter.ts'
import { createRuleSet, type RuleSet } from './rule-set.ts'

const owner: Principal = {
  id: 'operator',
  kind: 'operator',
  name: 'operator',
  role: 'owner',
  scopes: null,
  servers: null,
}
const ana: Principal = { id: 'user:ana', kind: 'user', name: 'ana', role: 'member', scopes: null, servers: null }
const vic: Principal = { ...ana, id: 'user:vic', name: 'vic', role: 'viewer' }
const key: Principal = { ...ana, id: 'key:ci', kind: 'key', name: 'ci', scopes: ['mcp'], servers: ['facade'] }
const readKey: Principal = { ...key, role: 'admin', scopes: ['mcp:read'], servers: null }

test.each([
  ['an owner calls anything', owner, {}, true],
  ['a member calls anything', ana, {}, true],
  ['an admin calls anything', { ...ana, role: 'admin' }, {}, true],
  ['a viewer lists', vic, { method: 'tools/list', target: '' }, true],
  ['a viewer reads', vic, { method: 'resources/read', target: 'file:///a' }, true],
  ['a viewer gets a prompt', vic, { method: 'prompts/get', target: 'p' }, true],
  ['a viewer calls what only reads', vic, { annotations: { readOnlyHint: true } }, true],
  ['a viewer calls what writes', vic, {}, false],
  ['a viewer calls what says so with no boolean', vic, { annotations: { readOnlyHint: 'true' } }, false],
  ['a viewer uses a method that nobody knows', vic, { method: 'x/y' }, false],
  ['a member uses a method that nobody knows', ana, { method: 'x/y' }, true],
  ['a key uses its server', key, {}, true],
  ['a key uses another server', key, { server: 'other' }, false],
  ['a key for reading reads', readKey, { method: 'resources/read' }, true],
  ['a key for reading calls what only reads', readKey, { annotations: { readOnlyHint: true } }, true],
  ['a key for reading calls what writes, whatever its role', readKey, {}, false],
  ['a key for the management API alone lists', { ...key, scopes: ['admin'] }, { method: 'tools/list' }, false],
  ['a key without scopes lists', { ...key, scopes: [] }, { method: 'tools/list' }, false],
] as [string, Principal, Partial<Action>, boolean][])('without rules: %s', (_name, principal, action, allowed) => {
  const verdict = decide(rules(), call(principal, action))
  expect(verdict.allowed).toBe(allowed)
  expect(verdict.why).toMatch(/\w/)
})

test.each([
  ['a deny that matches wins over the role', ana, [deny('tool == "files__write"')], false, '1'],
  ['and over the operator', owner, [deny('true')], false, '1'],
  ['and over an allow in front of it', ana, [allow('true'), deny('true')], false, '2'],
  ['a deny that does not match says nothing', ana, [deny('tool == "other"')], true, null],
  ['an allow widens what a viewer may do', vic, [allow('tool == "files__write"')], true, '1'],
  ['but not past a deny', vic, [allow('true'), deny('principal.role == "viewer"')], false, '2'],
  ['but never the servers of a key', { ...key, servers: ['x'] }, [allow('true')], false, null],
  ['nor its scopes', readKey, [allow('true')], false, null],
  ['a deny that fails counts as matching', ana, [deny('arguments.missing == 1')], false, '1'],
  ['an allow that fails does not', vic, [allow('arguments.missing == 1')], false, null],
  ['a failure that does not matter is none', ana, [deny('false && arguments.missing == 1')], true, null],
  ['arguments are compared', ana, [deny('arguments.path.startsWith("/etc")')], false, '1'],
  [
    'numbers of JSON are compared with integers',
    ana,
    [deny('arguments.count > 4 && arguments.count == 5')],
    false,
    '1',
  ],
  ['lists are searched', ana, [deny('arguments.tags.exists(t, t == "b")')], false, '1'],
  ['absent arguments can be asked for', ana, [deny('!has(arguments.force)')], false, '1'],
  ['patterns are matched', ana, [deny('arguments.path.matches("^/etc/[a-z]+$")')], false, '1'],
  [
    'annotations have the defaults of MCP',
    ana,
    [deny('annotations.destructiveHint && annotations.openWorldHint && !annotations.readOnlyHint')],
    false,
    '1',
  ],
  ['the place of the request counts', ana, [deny('!loopback')], true, null],
  ['time counts', ana, [deny('now.getFullYear() >= 2026')], false, '1'],
  ['names at the server count', ana, [deny('connector == "files" && original == "write"')], false, '1'],
  [
    'a list of fixed names is one of them',
    ana,
    [deny('server in ["x", "facade"] && "files__write" == tool')],
    false,
    '1',
  ],
] as [string, Principal, Text[], boolean, string | null][])(
  'with rules: %s',
  (_name, principal, texts, allowed, rule) => {
    const action = call(principal)
    expect(decide(rules(...texts), action)).toMatchObject({ allowed, rule, trail: [] })
    expect(explain(rules(...texts), action)).toMatchObject({ allowed, rule })
  },
)

test('a refusal names its scope, its rule and the next step', () => {
  expect(decide(rules(), call(readKey)).missingScope).toBe('mcp')
  expect(decide(rules(deny('true', 'no writes on Fridays')), call(ana)).why).toBe(
    'Rule 1 (no writes on Fridays) denies it. Whoever manages the hub can change that: herma policy edit 1',
  )
  expect(decide(rules(deny('arguments.missing == 1')), call(ana)).why).toBe(
    "Rule 1 could not be worked out (no such key at 'arguments.missing'), so it denies. Mend it: herma policy edit 1",
  )
})

test('an explanation has every rule, what it looked at and what was there', () => {
  const set = rules(
    deny('principal.role == "viewer"'),
    deny('arguments.path.startsWith("/etc")'),
    deny('arguments.no'.concat(' == 1')),
  )
  expect(explain(set, call(ana)).trail).toEqual([
    expect.objectContaining({ step: 'role', outcome: 'allows', note: 'A member may use every server.' }),
    { step: '1', outcome: 'silent', note: 'deny', values: { 'principal.role': '"member"' } },
    { step: '2', outcome: 'denies', note: 'deny', values: { 'arguments.path': '"/etc/passwd"' } },
    {
      step: '3',
      outcome: 'failed',
      note: "deny — no such key at 'arguments.no'",
      values: { 'arguments.no': 'absent' },
    },
  ])
})

test('what a rule could not work out is told without values of the call', () => {
  const problems: string[] = []
  const canary = 'sk-canary-123'
  const set = rules(
    allow('bool(arguments.secret)'),
    allow('arguments[arguments.secret] == 1'),
    allow('int(arguments.secret) == 1'),
    allow('now.getHours(arguments.secret) == 1'),
    allow('duration(arguments.secret) == duration("1s")'),
  )
  const noting = { ...set, onFailure: (_rule: unknown, problem: string) => void problems.push(problem) }
  expect(decide(noting, call(vic, { arguments: { secret: canary } })).allowed).toBe(false)
  expect(problems).toHaveLength(5)
  expect(problems.join()).not.toContain(canary)
})

test('a name that objects have by birth is no argument', () => {
  const odd = JSON.parse('{"constructor": 1, "__proto__": {"path": "/etc"}}') as object
  expect(decide(rules(deny('has(arguments.toString)')), call(ana)).allowed).toBe(true)
  // What cannot be judged is refused, and nobody can hide an argument by it.
  expect(
    decide(rules(deny('has(arguments.path) && arguments.path == "/x"')), call(ana, { arguments: odd })).allowed,
  ).toBe(false)
  expect(
    decide(rules(deny('arguments.o.x == "bad"')), call(ana, { arguments: { o: { constructor: 1, x: 'bad' } } }))
      .allowed,
  ).toBe(false)
})

interface Text {
  readonly effect: 'allow' | 'deny'
  readonly when: string
  readonly description: string
}

function deny(when: string, description = ''): Text {
  return { effect: 'deny', when, description }
}

function allow(when: string, description = ''): Text {
  return { effect: 'allow', when, description }
}

function rules(...texts: Text[]): RuleSet {
  const meter = new Meter()
  return createRuleSet(
    texts.map((text, index) => compileRule({ id: `${index + 1}`, ...text }, meter)),
    { meter },
  )
}

function call(principal: Principal, action: Partial<Action> = {}): Action {
  return {
    principal,
    server: 'facade',
    method: 'tools/call',
    target: 'files__write',
    original: 'write',
    connector: 'files',
    arguments: { path: '/etc/passwd', count: 5, tags: ['a', 'b'] },
    loopback: true,
    ...action,
  }
}
