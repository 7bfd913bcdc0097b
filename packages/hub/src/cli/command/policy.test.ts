import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AccessRuleView, Decision, PolicyTrialReport, type Principal } from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Policy, AccessRules, RuleStore } from '../../access/policy/index.ts'
import { policyApi } from '../../access/policy/api.ts'
import { Events } from '../../platform/events.ts'
import { createApi } from '../../platform/http/index.ts'
import { createLog } from '../../platform/log.ts'
import { openTestStore, type TestStore } from '../../platform/testing/test-store.ts'
import { operator } from '../../wire/index.ts'
import { captureTerminal } from '../capture-terminal.ts'
import { runCli } from '../run-cli.ts'

const vic: Principal = { ...operator, id: 'user:vic', kind: 'user', name: 'vic', role: 'viewer' }
const log = createLog('silent')

let opened: TestStore
let server: Server
let url: string

beforeAll(async () => {
  opened = await openTestStore()
  const store = new RuleStore(opened.store.db)
  const book = new AccessRules({ store, events: new Events(), log, isStoreShared: false })
  await book.start()
  const call = { at: Date.now(), traceId: null, server: 'facade', method: 'tools/call', target: 'rm', arguments: {} }
  const desk = new Policy(book, {
    findPrincipal: (id) => [operator, vic].find((principal) => principal.id === id),
    findTarget: () => ({ connector: 'files', original: 'rm' }),
    recentCalls: async () => [{ ...call, principal: 'operator' }],
  })
  const api = createApi(policyApi(desk), { log, authorize: () => operator })
  server = createServer((request, response) => void api(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await opened.close()
})

async function policy(words: string[], input?: string) {
  const { terminal, written } = captureTerminal({ input: input ?? '', env: { HERMA_STATE_HOME: opened.stateHome } })
  const exitCode = await runCli(['policy', ...words, '--hub', url], terminal)
  return { exitCode, ...written, json: () => JSON.parse(written.out) as unknown }
}

test('rules are added, shown, changed, ordered, tried and removed from the command line', async () => {
  expect((await policy(['list'])).out).toContain('There are no rules')
  const first = AccessRuleView.parse(
    (await policy(['add', 'deny', 'tool == "rm"', '--description', 'no', '--json'])).json(),
  )
  const second = AccessRuleView.parse((await policy(['add', 'allow', 'tool == "edit"', '--off', '--json'])).json())
  expect(second).toMatchObject({ effect: 'allow', enabled: false })
  expect((await policy(['list'])).out).toMatch(/deny +on +tool == "rm" +no\n.*allow +off/)
  expect((await policy(['edit', second.id, '--on', '--json'])).json()).toMatchObject({
    enabled: true,
    when: 'tool == "edit"',
  })
  expect((await policy(['edit', second.id])).out).toContain('tool == "edit"')
  const { rules } = (await policy(['order', second.id, '--json'])).json() as { rules: AccessRuleView[] }
  expect(rules.map(({ id }) => id)).toEqual([second.id, first.id])

  const refused = await policy(['explain', 'operator', 'rm', '--json'])
  expect(refused.exitCode).toBe(1)
  expect(Decision.parse(refused.json())).toMatchObject({ allowed: false, rule: first.id })
  const allowed = await policy(['explain', 'user:vic', 'edit', '--json', '{"page": "home"}'])
  expect(allowed).toMatchObject({ exitCode: 0, out: expect.stringContaining('Allowed. Rule') as string })
  expect((await policy(['explain', 'user:nobody', 'edit'])).error).toContain("Nobody is known as 'user:nobody'")

  const trial = await policy(['dry-run', '--without', first.id, '--json'])
  expect(PolicyTrialReport.parse(trial.json())).toMatchObject({ calls: 1, newlyAllowed: 1, newlyRefused: 0 })
  const input = JSON.stringify({ rules: [{ effect: 'deny', when: 'server == "facade"' }] })
  expect((await policy(['dry-run', '--only', '-'], input)).out).toContain('Of 1 call, 0 would be refused')
  expect((await policy(['remove', first.id])).out).toBe(`Removed rule ${first.id}.\n`)
})

test('a rule that cannot be is refused with its place', async () => {
  const wrong = await policy(['add', 'deny', 'principal.rol == "x"'])
  expect(wrong).toMatchObject({ exitCode: 2, error: expect.stringContaining('line 1, column 11') as string })
  expect((await policy(['add', 'forbid', 'true'])).exitCode).toBe(2)
  expect((await policy(['edit', 'none', '--off'])).error).toContain("There is no rule 'none'")
  expect((await policy(['dry-run', '--without', 'none'])).exitCode).toBe(4)
  expect((await policy(['dry-run', '--add', '-'], '{"rules": [{"effect": "x"}]}')).exitCode).toBe(2)
})
