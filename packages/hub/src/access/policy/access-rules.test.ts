import type { Principal } from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Events, type HubEvent } from '../../platform/events.ts'
import { createLog } from '../../platform/log.ts'
import { openTestStore, type TestStore } from '../../platform/testing/test-store.ts'
import type { Action } from './action.ts'
import { Policy } from './policy.ts'
import { AccessRules } from './access-rules.ts'
import { RuleStore } from './store.ts'
import { accessRuleTable } from './table.ts'
import type { PastCall } from './try-rules.ts'

const ana: Principal = { id: 'user:ana', kind: 'user', name: 'ana', role: 'member', scopes: null, servers: null }
const action: Action = {
  principal: ana,
  server: 'facade',
  method: 'tools/call',
  target: 'rm',
  arguments: { path: '/a' },
  loopback: true,
}

let opened: TestStore
let seen: HubEvent[]
let calls: PastCall[] = []
const books: AccessRules[] = []

beforeAll(async () => {
  opened = await openTestStore()
})

afterAll(async () => {
  for (const rules of books) await rules.stop()
  await opened.close()
})

async function openRegistry(isStoreShared = false): Promise<AccessRules> {
  seen = []
  const events = new Events()
  events.listen((event) => void seen.push(event))
  const rules = new AccessRules({
    store: new RuleStore(opened.store.db),
    events,
    log: createLog('silent'),
    isStoreShared,
  })
  books.push(rules)
  await rules.start()
  return rules
}

async function emptyRegistry(): Promise<AccessRules> {
  await opened.store.db.delete(accessRuleTable)
  return openRegistry()
}

function openManager(rules: AccessRules): Policy {
  return new Policy(rules, {
    findPrincipal: (id) => (id === ana.id ? ana : undefined),
    findTarget: ({ target }) =>
      target === 'rm' ? { connector: 'files', original: 'remove', annotations: {} } : undefined,
    recentCalls: async (limit) => calls.slice(0, limit),
  })
}

test('rules hold from the moment that they are stored, in their order, and after a restart', async () => {
  const rules = await emptyRegistry()
  expect(rules.check(action).allowed).toBe(true)
  const first = await rules.add({ effect: 'deny', when: 'tool == "rm"', description: 'nothing is removed' })
  expect(rules.check(action)).toMatchObject({ allowed: false, rule: first.id })
  const second = await rules.add({ effect: 'deny', when: 'true' })
  expect((await rules.order([second.id, first.id])).map(({ id, position }) => [id, position])).toEqual([
    [second.id, 1],
    [first.id, 2],
  ])
  expect(rules.check(action).rule).toBe(second.id)
  await rules.update(second.id, { enabled: false })
  expect(rules.check(action).rule).toBe(first.id)
  expect(rules.explain(action).trail.at(-1)).toMatchObject({ step: second.id, outcome: 'disabled' })

  const restarted = await openRegistry()
  expect(restarted.list()).toEqual(rules.list())
  expect(restarted.check(action).rule).toBe(first.id)
  await restarted.remove(first.id)
  expect(restarted.check(action).allowed).toBe(true)
  expect(seen.map(({ kind }) => kind)).toEqual(['rule.removed'])
})

test('changes are told with what was before and after', async () => {
  const rules = await emptyRegistry()
  const { id } = await rules.add({ effect: 'deny', when: 'true' })
  await rules.update(id, { when: 'false' })
  const fields = { effect: 'deny', description: '', enabled: true }
  expect(seen.map(({ kind, data }) => [kind, data])).toEqual([
    ['rule.added', { rule: id, after: { ...fields, when: 'true' } }],
    ['rule.changed', { rule: id, before: { ...fields, when: 'true' }, after: { ...fields, when: 'false' } }],
  ])
})

test('what is no rule changes nothing', async () => {
  const rules = await emptyRegistry()
  const { id } = await rules.add({ effect: 'deny', when: 'tool == "rm"' })
  await expect(async () => rules.add({ effect: 'deny', when: 'tol == "rm"' })).rejects.toMatchObject({
    code: 'RULE_INVALID',
  })
  await expect(rules.update(id, { when: 'tool' })).rejects.toMatchObject({ code: 'RULE_INVALID' })
  await expect(rules.update('none', { enabled: false })).rejects.toMatchObject({ code: 'RULE_NOT_FOUND' })
  await expect(rules.remove('none')).rejects.toMatchObject({ code: 'RULE_NOT_FOUND' })
  await expect(rules.order([id, id])).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  expect(rules.list()).toMatchObject([{ id, when: 'tool == "rm"', enabled: true }])
})

test('a rule that fails shows its problem and is told of once', async () => {
  const rules = await emptyRegistry()
  const { id } = await rules.add({ effect: 'deny', when: 'arguments.count > 3' })
  for (let index = 0; index < 5; index += 1) expect(rules.check(action).allowed).toBe(false)
  expect(rules.get(id).problem).toBe("no such key at 'arguments.count'")
  expect(seen.filter(({ kind }) => kind === 'rule.failed')).toHaveLength(1)
  await rules.update(id, { when: 'has(arguments.count) && arguments.count > 3' })
  expect(rules.get(id).problem).toBe(null)
  expect(rules.check(action).allowed).toBe(true)
})

test('only who may do everything is asked nothing, and nobody once there is a rule that is on', async () => {
  const rules = await emptyRegistry()
  const narrowed: Principal[] = [
    { ...ana, role: 'viewer' },
    { ...ana, scopes: ['mcp'] },
    { ...ana, servers: ['facade'] },
  ]
  expect(rules.isFree(ana)).toBe(true)
  expect(narrowed.filter((principal) => rules.isFree(principal))).toEqual([])
  const { id } = await rules.add({ effect: 'deny', when: 'tool == "rm"' })
  expect(rules.isFree(ana)).toBe(false)
  await rules.update(id, { enabled: false })
  expect(rules.isFree(ana)).toBe(true)
})

test('a stored deny that cannot be read any more refuses, an allow does nothing, and both say why', async () => {
  await opened.store.db.delete(accessRuleTable)
  const fields = { description: '', when: 'nobody.knows', enabled: true }
  await opened.store.db.insert(accessRuleTable).values([{ id: 'a', effect: 'allow', ...fields }])
  const viewing: Action = { ...action, principal: { ...ana, role: 'viewer' } }
  const rules = await openRegistry()
  expect(rules.check(action).allowed).toBe(true)
  expect(rules.check(viewing).allowed).toBe(false)
  await opened.store.db.insert(accessRuleTable).values([{ id: 'd', effect: 'deny', ...fields }])
  const again = await openRegistry()
  expect(again.check(action)).toMatchObject({ allowed: false, rule: 'd' })
  expect(again.get('d').problem).toContain('Unknown variable: nobody')
  await again.remove('d')
  expect(again.check(action).allowed).toBe(true)
})

test('rules that another hub changed hold here soon', async () => {
  await opened.store.db.delete(accessRuleTable)
  const [here, there] = [await openRegistry(true), await openRegistry(true)]
  const { id } = await there.add({ effect: 'deny', when: 'true' })
  await expect.poll(() => here.check(action).rule, { timeout: 10_000 }).toBe(id)
})

test('people are told why, by names', async () => {
  const rules = await emptyRegistry()
  const policy = openManager(rules)
  const { id } = await rules.add({
    effect: 'deny',
    when: 'connector == "files" && original == "remove" && arguments.path.startsWith("/")',
  })
  const verdict = await policy.explain({ principal: 'user:ana', target: 'rm', arguments: { path: '/a' } })
  expect(verdict).toMatchObject({ allowed: false, rule: id })
  expect(verdict.trail[1]?.values).toEqual({ connector: '"files"', original: '"remove"', 'arguments.path': '"/a"' })
  expect((await policy.explain({ principal: { ...ana, role: 'viewer' }, target: 'new' })).allowed).toBe(false)
  expect(
    (
      await policy.explain({
        principal: { ...ana, role: 'viewer' },
        target: 'new',
        annotations: { readOnlyHint: true },
      })
    ).allowed,
  ).toBe(true)
  await expect(policy.explain({ principal: 'user:nobody' })).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
})

test('proposed rules are tried on recorded calls, and nothing of it stays', async () => {
  const rules = await emptyRegistry()
  await rules.add({ effect: 'deny', when: 'tool == "rm" && now < timestamp("2026-01-01T00:00:00Z")' })
  const call = {
    at: Date.parse('2026-02-01T00:00:00Z'),
    traceId: null,
    principal: 'user:ana',
    server: 'facade',
    method: 'tools/call',
  }
  calls = [
    { ...call, target: 'write', arguments: { path: '/etc/passwd' } },
    { ...call, target: 'write', arguments: { path: '/home' } },
    { ...call, target: 'write' },
    { ...call, target: 'rm', at: Date.parse('2025-06-01T00:00:00Z') },
    { ...call, target: 'rm', principal: 'user:gone' },
  ]
  const policy = openManager(rules)
  const report = await policy.dryRun({
    rules: [{ effect: 'deny', when: 'tool == "write" && arguments.path.startsWith("/etc")' }],
  })
  expect(report).toMatchObject({ calls: 5, undecided: 1, unknown: 1, newlyRefused: 1, newlyAllowed: 1 })
  expect(report.changes.map(({ target, before, after }) => [target, before.allowed, after.allowed])).toEqual([
    ['write', true, false],
    ['rm', false, true],
  ])
  expect(rules.list()).toHaveLength(1)
  const byOrigin = await policy.dryRun({ rules: [{ effect: 'deny', when: 'original == "remove"' }] })
  expect(byOrigin).toMatchObject({ undecided: 0, newlyRefused: 0, newlyAllowed: 0 })
  await expect(policy.dryRun({ rules: [{ effect: 'deny', when: 'x' }] })).rejects.toThrow('Proposed rule #1')
})
