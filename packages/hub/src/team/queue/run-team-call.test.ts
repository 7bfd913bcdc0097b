import { HubError } from '@herma/contract'
import { expect, test } from 'vitest'
import { scriptedWorkContext } from '../testing/scripted-sessions.ts'
import { settle, TestTeam } from '../testing/test-team.ts'

const twoCoders = [
  { session: 'ann', role: 'code', priority: 1 },
  { session: 'bob', role: 'code', priority: 2, provider: 'anthropic' },
]

test('a call goes to the member, and its answer says who it was and why', async () => {
  const team = new TestTeam(twoCoders, { workingDir: '/work', hasPathPolicy: true, paths: { roots: ['/work'] } })
  const workContext = scriptedWorkContext()
  const answer = team.generate(workContext)
  await settle()
  const work = team.sessions.given[0]!
  expect(work).toMatchObject({ session: 'ann', ability: 'code.generate', fields: { spec: 'a clock' } })
  expect(work.place).toEqual({ defaultCwd: '/work', policy: { roots: ['/work'] } })
  expect(work.workContext.path).toEqual({ requestId: 'r', entries: ['here/alpha>ann'] })
  expect(workContext.told).toEqual(["'ann' (code, openai) works on it."])
  work.answer({ summary: 'made' })
  const routing = { because: ['its role is code', 'priority 1', 'healthy'], tried: [{ session: 'ann', outcome: 'ok' }] }
  const member = { session: 'ann', role: 'code', provider: 'openai' }
  expect(await answer).toEqual({
    content: [{ type: 'text', text: 'done' }],
    structuredContent: { summary: 'made', member, routing },
    _meta: { 'herma/team': { member, routing } },
  })
  expect(team.seen).toHaveLength(1)
  const { spanId } = work.workContext
  expect(team.seen[0]).toMatchObject({ kind: 'team.routed', server: 'alpha', session: 'ann', route: 'openai', spanId })
  expect(team.seen[0]).toMatchObject({ parentId: workContext.spanId, outcome: 'ok', target: 'team.generate_code' })
  expect(team.seen[0]!.data).toMatchObject({ chosen: 'ann', ability: 'code.generate', ...routing })
  expect(team.ends).toEqual({ ok: 1 })
})

test('without a policy of the team, that of the session holds', async () => {
  const team = new TestTeam(twoCoders)
  team.sessions.onWork = (work) => work.answer()
  await team.generate()
  expect(team.sessions.given[0]!.place).toEqual({ defaultCwd: null })
})

test('after a failure without effect the next member is asked', async () => {
  const team = new TestTeam(twoCoders)
  team.sessions.onWork = (work) => (work.session === 'ann' ? work.fail('PROVIDER_UNAVAILABLE') : work.answer())
  const { structuredContent } = await team.generate()
  expect(structuredContent).toMatchObject({
    member: { session: 'bob', provider: 'anthropic' },
    routing: {
      tried: [
        { session: 'ann', outcome: 'PROVIDER_UNAVAILABLE' },
        { session: 'bob', outcome: 'ok' },
      ],
    },
  })
  expect(team.seen.map(({ session, route, outcome }) => [session, route, outcome])).toEqual([
    ['ann', 'openai', 'error'],
    ['bob', 'anthropic', 'ok'],
  ])
  expect(team.queue.running).toBe(0)
})

test('after a failure with an effect nobody else is asked', async () => {
  const team = new TestTeam(twoCoders)
  team.sessions.onWork = (work) => work.fail('PROVIDER_UNAVAILABLE', { hadEffect: true })
  const answer = await team.generate()
  expect(answer).toMatchObject({
    isError: true,
    content: [{ text: /^'ann' failed after it had changed something, so nobody else was asked: It failed/ }],
    _meta: { 'herma/error': { code: 'PROVIDER_UNAVAILABLE', hadEffect: true } },
  })
  expect(team.sessions.given).toHaveLength(1)
  expect(team.ends).toEqual({ error: 1 })
})

test.each([
  'INVALID_PARAMS',
  'PATH_REFUSED',
  'FILE_NOT_FOUND',
  'FORBIDDEN',
  'WORKSPACE_CONFLICT',
  'CALL_CYCLE',
] as const)('what is wrong with the call itself is not tried again: %s', async (code) => {
  const team = new TestTeam(twoCoders)
  team.sessions.onWork = (work) => work.fail(code)
  expect(await team.generate()).toMatchObject({ isError: true, _meta: { 'herma/error': { code, hadEffect: false } } })
  expect(team.sessions.given).toHaveLength(1)
})

test('when everybody failed, the error names each with its reason', async () => {
  const team = new TestTeam([...twoCoders, { session: 'tom', role: 'test' }])
  team.sessions.onWork = (work) => work.fail(work.session === 'ann' ? 'PROVIDER_UNAVAILABLE' : 'RATE_LIMITED')
  const answer = await team.generate()
  const text = (answer.content[0] as unknown as { text: string }).text
  expect(text).toBe(
    "team.generate_code of team 'alpha' could not be done: ann failed: It failed with PROVIDER_UNAVAILABLE; " +
      'bob failed: It failed with RATE_LIMITED; tom: its role is test, not code. See: herma team who alpha',
  )
  expect(answer._meta).toMatchObject({
    'herma/error': {
      code: 'RATE_LIMITED',
      data: {
        tried: [
          { session: 'ann', outcome: 'PROVIDER_UNAVAILABLE' },
          { session: 'bob', outcome: 'RATE_LIMITED' },
        ],
      },
    },
  })
})

test('a call that falls back to a busy member waits for it, in its place of the team', async () => {
  const team = new TestTeam(
    twoCoders.map((member) => ({ ...member, maxConcurrency: 1 })),
    { maxConcurrency: 2 },
  )
  const [first, second] = [team.generate(), team.generate()]
  await settle()
  const third = team.generate()
  team.sessions.given[0]!.fail('PROVIDER_UNAVAILABLE')
  await settle()
  expect(team.sessions.given.map(({ session }) => session)).toEqual(['ann', 'bob'])
  expect([team.queue.running, team.queue.waiting]).toEqual([2, 1])
  team.sessions.onWork = (work) => work.answer()
  team.sessions.given[1]!.answer()
  await Promise.all([first, second, third])
  expect(team.sessions.given.map(({ session }) => session)).toEqual(['ann', 'bob', 'bob', 'ann'])
})

test('a hundred calls at once on two places are done in their order', async () => {
  const team = new TestTeam(twoCoders, { maxConcurrency: 2, maxQueue: 98 })
  let atOnce = 0
  let most = 0
  team.sessions.onWork = (work) => {
    most = Math.max(most, ++atOnce)
    setImmediate(() => {
      atOnce--
      work.answer()
    })
  }
  const calls = Array.from({ length: 100 }, (_, index) => team.generate(scriptedWorkContext(), String(index)))
  const late = await team.generate(scriptedWorkContext(), 'one too many')
  expect(late).toMatchObject({ isError: true, _meta: { 'herma/error': { code: 'QUEUE_FULL' } } })
  const answers = await Promise.all(calls)
  expect(answers.every(({ isError }) => isError === undefined)).toBe(true)
  expect(team.sessions.given.map(({ fields }) => fields['spec'])).toEqual(calls.map((_, index) => String(index)))
  expect(most).toBe(2)
  expect(team.ends).toEqual({ ok: 100, 'queue-full': 1 })
})

test('cancelled while it waits, a call leaves the line; while it runs, its session hears of it', async () => {
  const team = new TestTeam(twoCoders, { maxConcurrency: 1 })
  const [running, waiting] = [new AbortController(), new AbortController()]
  const calls = [running, waiting].map(({ signal }) => team.generate(scriptedWorkContext({ signal })))
  const outcomes = Promise.allSettled(calls)
  await settle()
  const reason = new HubError('DOWNSTREAM_FAILED', 'The client gave up.')
  waiting.abort(reason)
  expect(team.queue.waiting).toBe(0)
  running.abort(reason)
  expect(team.sessions.given[0]!.isOver).toBe(true)
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(team.sessions.given).toHaveLength(1)
  expect([team.queue.running, team.queue.waiting, [...team.queue.calls()]]).toEqual([0, 0, []])
  expect(team.ends).toEqual({ cancelled: 2 })
  expect(team.seen.map(({ outcome }) => outcome)).toEqual(['cancelled'])
})

test('cancelled between two members, a call asks no further one', async () => {
  const team = new TestTeam(twoCoders)
  const controller = new AbortController()
  team.sessions.onWork = (work) => {
    work.fail('PROVIDER_UNAVAILABLE')
    controller.abort(new Error('gave up'))
  }
  await expect(team.generate(scriptedWorkContext({ signal: controller.signal }))).rejects.toThrow('gave up')
  expect(team.sessions.given).toHaveLength(1)
  expect(team.queue.running).toBe(0)
})

test('the deadline holds for waiting and for work', async () => {
  const team = new TestTeam(twoCoders, { maxConcurrency: 1, deadlineMs: 60_000 })
  const running = team.generate()
  team.change({ deadlineMs: 20 })
  const late = { isError: true, _meta: { 'herma/error': { code: 'DEADLINE_PASSED' } } }
  expect(await team.generate()).toMatchObject(late)
  expect([team.queue.running, team.queue.waiting, team.sessions.given.length]).toEqual([1, 0, 1])
  team.sessions.given[0]!.answer()
  expect((await running).isError).toBeUndefined()
  expect(await team.generate()).toMatchObject(late)
  expect(team.sessions.given[1]!.isOver).toBe(true)
  expect(team.ends).toEqual({ ok: 1, deadline: 2 })
  expect([team.queue.running, team.queue.waiting]).toEqual([0, 0])
})

test('a call that has been in the team before is refused with its way', async () => {
  const team = new TestTeam(twoCoders)
  const entries = ['here/alpha>ann', 'there/beta>eve']
  const answer = await team.generate(scriptedWorkContext({ path: { requestId: 'r', entries } }))
  const path = [...entries, 'here/alpha']
  expect(answer).toMatchObject({
    isError: true,
    content: [{ text: /here\/alpha>ann → there\/beta>eve → here\/alpha/ }],
    _meta: { 'herma/error': { code: 'CALL_CYCLE', data: { path, requestId: 'r' } } },
  })
  expect(team.seen).toMatchObject([{ kind: 'team.refused', errorCode: 'CALL_CYCLE', data: { details: { path } } }])
  expect(team.ends).toEqual({ cycle: 1 })
})

test('a session that works on the request is not asked, and is a circle when it is the only one', async () => {
  const path = { requestId: 'r', entries: ['here/session:ann'] }
  const team = new TestTeam(twoCoders)
  team.sessions.onWork = (work) => work.answer()
  expect((await team.generate(scriptedWorkContext({ path }))).structuredContent).toMatchObject({
    member: { session: 'bob' },
  })
  const alone = new TestTeam(twoCoders.slice(0, 1))
  expect(await alone.generate(scriptedWorkContext({ path }))).toMatchObject({
    _meta: { 'herma/error': { code: 'CALL_CYCLE', data: { path: ['here/session:ann', 'here/alpha'] } } },
  })
})

test('a call that has come too far is refused', async () => {
  const team = new TestTeam(twoCoders, { hopLimit: 2 })
  team.sessions.onWork = (work) => work.answer()
  const near = scriptedWorkContext({ path: { requestId: 'r', entries: ['there/a'] } })
  const far = scriptedWorkContext({ path: { requestId: 'r', entries: ['there/a', 'there/b'] } })
  expect((await team.generate(near)).isError).toBeUndefined()
  expect(await team.generate(far)).toMatchObject({ _meta: { 'herma/error': { code: 'HOP_LIMIT' } } })
  expect(team.ends).toEqual({ ok: 1, 'hop-limit': 1 })
})

test('nobody who could answer, and a team that is off, are told at once', async () => {
  const team = new TestTeam([{ session: 'tom', role: 'test' }])
  expect(await team.generate()).toMatchObject({
    content: [{ text: /has nobody who could do it: tom: its role is test, not code/ }],
    _meta: { 'herma/error': { code: 'NO_MEMBER' } },
  })
  team.change({ enabled: false })
  expect(await team.generate()).toMatchObject({ content: [{ text: /is disabled/ }] })
  expect(team.sessions.given).toEqual([])
})

test('a call that waits is refused when the last member is gone', async () => {
  const team = new TestTeam([{ session: 'ann', role: 'code', maxConcurrency: 1 }], { maxConcurrency: 2 })
  const running = team.generate()
  const waiting = team.generate()
  await settle()
  expect([team.queue.running, team.queue.waiting]).toEqual([1, 1])
  team.sessions.change('ann', { isEnabled: false })
  team.runs.advance()
  expect(await waiting).toMatchObject({ _meta: { 'herma/error': { code: 'NO_MEMBER' } } })
  team.sessions.given[0]!.answer()
  expect((await running).isError).toBeUndefined()
})

test('calls can be listed while they last', async () => {
  const team = new TestTeam(twoCoders, { maxConcurrency: 1 })
  const calls = [team.generate(), team.generate()]
  await settle()
  const listed = team.runs.calls(team.record.id, (id) => team.sessions.facts(id)!.name)
  const usual = { tool: 'team.generate_code', principal: 'operator', traceId: scriptedWorkContext().traceId }
  expect(listed).toMatchObject([
    { ...usual, state: 'running', session: 'ann', before: null },
    { ...usual, state: 'waiting', session: null, before: 0 },
  ])
  team.sessions.onWork = (work) => work.answer()
  team.sessions.given[0]!.answer()
  await Promise.all(calls)
})
