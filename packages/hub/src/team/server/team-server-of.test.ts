import type { Team } from '@herma/contract'
import { expect, test } from 'vitest'
import { teamServerOf } from './team-server-of.ts'
import { TestTeam } from '../testing/test-team.ts'

const members = [
  { session: 'ann', role: 'code' },
  { session: 'tom', role: 'test', provider: 'google' },
  { session: 'sue', role: 'search' },
  { session: 'pia', role: 'planner' },
  { session: 'rob', role: 'reviewer', provider: 'anthropic', priority: 9 },
]
const allowed: Partial<Team> = { dispatch: { enabled: true, allow: ['review.*', 'code.advice'] } }

function openTeam(settings: Partial<Team> = {}): TestTeam {
  const team = new TestTeam(members, settings)
  team.sessions.onWork = (work) => work.answer({ made: work.ability })
  return team
}

function serverOf(team: TestTeam) {
  return teamServerOf(team.team, team.outside, () => team.team)
}

test('a team offers four tools with exact schemas, and dispatch only when it is on and allows something', () => {
  const { tools } = serverOf(openTeam())
  expect(tools.map(({ name }) => name)).toEqual([
    'team.generate_code',
    'team.run_tests',
    'team.search_web',
    'team.plan_task',
  ])
  const shapes = tools.map(({ descriptor }) => descriptor as unknown as Shape)
  expect(shapes.map(({ inputSchema }) => [inputSchema.additionalProperties, inputSchema.required ?? []])).toEqual([
    [false, ['spec']],
    [false, []],
    [false, ['query']],
    [false, ['goal']],
  ])
  expect(shapes.map(({ inputSchema }) => Object.keys(inputSchema.properties))).toEqual([
    ['spec', 'path_globs', 'test_expectations', 'cwd', 'workspace_uri', 'options'],
    ['paths', 'framework', 'cwd', 'workspace_uri', 'options'],
    ['query', 'depth', 'cwd', 'workspace_uri'],
    ['goal', 'constraints', 'cwd', 'workspace_uri'],
  ])
  for (const { outputSchema } of shapes) {
    expect(outputSchema.additionalProperties).toBe(false)
    expect(outputSchema.required.slice(-2)).toEqual(['member', 'routing'])
  }
  expect(serverOf(openTeam({ dispatch: { enabled: true, allow: [] } })).tools).toHaveLength(4)
  const dispatch = serverOf(openTeam(allowed)).tools[4]!.descriptor as unknown as Shape
  expect(dispatch.inputSchema.properties['tool']).toMatchObject({ enum: ['code.advice', 'review.changes'] })
})

interface Shape {
  readonly inputSchema: ObjectShape
  readonly outputSchema: ObjectShape
}

interface ObjectShape {
  readonly additionalProperties: boolean
  readonly required: string[]
  readonly properties: Record<string, unknown>
}

test.each([
  ['team.generate_code', { spec: 'x', path_globs: ['src/**'], options: { dry_run: true } }, 'ann', 'code.generate'],
  ['team.run_tests', { paths: ['a.test.ts'], framework: 'vitest', cwd: '/w' }, 'tom', 'tests.run'],
  ['team.search_web', { query: 'x', depth: 2 }, 'sue', 'search.web'],
  ['team.plan_task', { goal: 'x', constraints: ['cheap'] }, 'pia', 'plan.task'],
])('%s goes with its arguments to the member of its role', async (tool, args, session, ability) => {
  const team = openTeam()
  const { structuredContent } = await team.call(tool, args)
  expect(team.sessions.given).toMatchObject([{ session, ability, fields: args }])
  expect(structuredContent).toMatchObject({ made: ability, member: { session } })
})

test.each([
  ['team.generate_code', {}, /spec: /],
  ['team.generate_code', { spec: 'x', colour: 'red' }, /"colour"/],
  ['team.plan_task', { goal: 'x', options: {} }, /"options"/],
  ['team.search_web', { query: 'x', depth: 9 }, /depth: /],
])('%s refuses %j and says what is wrong', async (tool, args, text) => {
  const team = openTeam()
  expect(await team.call(tool, args)).toMatchObject({
    isError: true,
    content: [{ text }],
    _meta: { 'herma/error': { code: 'INVALID_PARAMS' } },
  })
  expect(team.sessions.given).toEqual([])
})

const question = { tool: 'code.advice', params: { question: 'why?' } }

test.each([
  ['anybody', question, 'ann'],
  ['a role', { ...question, target_role: 'reviewer' }, 'rob'],
  ['a session', { ...question, target_session: 'tom' }, 'tom'],
  ['a preferred provider', { ...question, policy_override: { prefer: ['anthropic'] } }, 'rob'],
])('dispatch reaches %s', async (_whom, args, session) => {
  const team = openTeam(allowed)
  const { structuredContent } = await team.call('team.dispatch', { ...args, cwd: '/w' })
  expect(team.sessions.given).toMatchObject([
    { session, ability: 'code.advice', fields: { question: 'why?', cwd: '/w' } },
  ])
  expect(structuredContent).toMatchObject({ tool: 'code.advice', result: { made: 'code.advice' }, member: { session } })
})

test.each([
  ['a tool that is not allowed', { tool: 'code.generate', params: { spec: 'x' } }, 'INVALID_PARAMS', /tool: /],
  ['somebody who is no member', { ...question, target_session: 'eve' }, 'MEMBER_NOT_FOUND', /ann \(code\)/],
  ['a role that nobody has', { ...question, target_role: 'cook' }, 'MEMBER_NOT_FOUND', /the role 'cook'/],
  ['arguments that the tool does not take', { ...question, params: {} }, 'INVALID_PARAMS', /question: /],
  ['two places', { tool: 'code.advice', params: { question: 'x', cwd: '/a' }, cwd: '/b' }, 'INVALID_PARAMS', /cwd: /],
  ['a raised hop limit', { ...question, policy_override: { hop_limit: 4 } }, 'INVALID_PARAMS', /hop_limit/],
])('dispatch refuses %s', async (_what, args, code, text) => {
  const team = openTeam(allowed)
  expect(await team.call('team.dispatch', args)).toMatchObject({
    content: [{ text }],
    _meta: { 'herma/error': { code } },
  })
  expect(team.sessions.given).toEqual([])
})

test('dispatch to a session does not go on to another', async () => {
  const team = openTeam(allowed)
  team.sessions.onWork = (work) => work.fail('PROVIDER_UNAVAILABLE')
  const answer = await team.call('team.dispatch', { ...question, target_session: 'tom' })
  expect(answer).toMatchObject({ _meta: { 'herma/error': { code: 'PROVIDER_UNAVAILABLE' } } })
  expect(team.sessions.given).toHaveLength(1)
})

test('a dispatch that was switched off since it was listed is refused', async () => {
  const team = openTeam(allowed)
  const tool = serverOf(team).tools[4]!
  team.change({ dispatch: { enabled: false, allow: ['*'] } })
  const answer = await team.call('team.plan_task', { goal: 'x' })
  expect(answer.isError).toBeUndefined()
  const workContext = team.sessions.given[0]!.workContext
  const refused = await tool.run(question, { workContext: () => workContext })
  expect(refused).toMatchObject({ isError: true, _meta: { 'herma/error': { code: 'FORBIDDEN' } } })
})
