import { tmpdir } from 'node:os'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { HubError } from '@herma/contract'
import { Events, type HubEvent } from '../platform/events.ts'
import { openTestStore, storeKinds, type TestStore } from '../platform/testing/test-store.ts'
import { Signal } from '../platform/signal.ts'
import { TeamDirectory } from './team-directory.ts'
import { openTeams, type OpenTeams } from './open-teams.ts'
import type { TeamPaths } from './ports.ts'
import { teamTable } from './table.ts'
import { ScriptedSessions, scriptedWorkContext } from './testing/scripted-sessions.ts'
import { settle } from './testing/test-team.ts'

describe.each(storeKinds)('on an %s store', (storeKind) => {
  let testStore: TestStore
  let sessions: ScriptedSessions
  let seen: HubEvent[]
  let served: Set<string>
  let opened: OpenTeams
  let directory: TeamDirectory

  beforeAll(async () => {
    testStore = await openTestStore(storeKind)
  })

  afterAll(async () => {
    await testStore.close()
  })

  async function open(others: readonly string[] = []): Promise<OpenTeams> {
    seen = []
    served = new Set(['facade', ...others])
    const events = new Events()
    events.listen((event) => void seen.push(event))
    const requireFree = (name: string) => {
      if (served.has(name)) throw new HubError('SERVER_EXISTS', `There is a server '${name}' already.`)
    }
    const servers = {
      requireFree,
      announce(name: string) {
        requireFree(name)
        served.add(name)
      },
      withdraw: async (name: string) => void served.delete(name),
      renew: () => {},
    }
    const paths: TeamPaths = {
      checkGlob(glob) {
        if (glob.includes('[')) throw new HubError('INVALID_PARAMS', `The glob '${glob}' has a '['.`)
      },
      explain: async (policy, question) => ({
        allowed: true,
        writable: true,
        path: question.path,
        root: question.base,
        because: JSON.stringify(policy),
      }),
    }
    directory = new TeamDirectory()
    const sessionsChanged = new Signal()
    return openTeams({
      db: testStore.store.db,
      directory,
      events,
      hub: 'here',
      sessions,
      servers,
      paths,
      sessionsChanged,
    })
  }

  beforeEach(async () => {
    await testStore.store.db.delete(teamTable)
    sessions = new ScriptedSessions()
    for (const name of ['ann', 'bob', 'tom']) sessions.add(name)
    opened = await open()
  })

  test('a team is served from the moment that it is stored, and after a restart', async () => {
    const view = await opened.teams.add({
      name: 'alpha',
      workingDir: tmpdir(),
      routing: { 'team.run_tests': { prefer: ['tom', 'google'], fallback: ['nobody'] } },
      dispatch: { enabled: true, allow: ['review.*'] },
      members: [
        { session: 'tom', role: 'test', priority: 3, maxConcurrency: 1 },
        { session: 'ann', role: 'code' },
      ],
    })
    expect(view).toMatchObject({
      name: 'alpha',
      path: '/api/mcp/servers/alpha/stream',
      hopLimit: 3,
      tools: ['team.generate_code', 'team.run_tests', 'team.search_web', 'team.plan_task', 'team.dispatch'],
      members: [
        { session: 'ann', role: 'code', priority: 1, enabled: true, provider: 'openai', health: { state: 'healthy' } },
        { session: 'tom', role: 'test', priority: 3, maxConcurrency: 1 },
      ],
      running: 0,
      waiting: 0,
      problem: null,
    })
    expect([...served]).toEqual(['facade', 'alpha'])
    expect(opened.serverOf('alpha')?.tools).toHaveLength(5)
    expect(directory.namesWith(sessions.byName('tom')!.id)).toEqual(['alpha'])
    const restarted = await open()
    expect(restarted.teams.list()).toEqual([view])
    expect([...served]).toEqual(['facade', 'alpha'])
  })

  test('a session may get another name, and stays a member and in the rules', async () => {
    const routing = { 'team.generate_code': { prefer: ['ann', 'zoe'], fallback: ['bob'] } }
    await opened.teams.add({ name: 'alpha', routing, members: [{ session: 'ann', role: 'code' }] })
    sessions.change('ann', { name: 'anna' })
    const { members, routing: now } = opened.teams.get('alpha')
    expect(members.map(({ session }) => session)).toEqual(['anna'])
    expect(now).toEqual({ 'team.generate_code': { prefer: ['anna', 'zoe'], fallback: ['bob'] } })
    expect(directory.namesWith(sessions.byName('anna')!.id)).toEqual(['alpha'])
    expect(directory.namesWith(sessions.byName('bob')!.id)).toEqual([])
    await opened.teams.update('alpha', { description: 'x' })
    expect(opened.teams.get('alpha').routing).toEqual(now)
    expect((await open()).teams.get('alpha').routing).toEqual(now)
  })

  test('a session that is gone stays a member that nobody asks, also when another one gets its name', async () => {
    await opened.teams.add({ name: 'alpha', members: [{ session: 'ann', role: 'code' }] })
    sessions.remove('ann')
    sessions.add('ann', { provider: 'google' })
    await opened.teams.update('alpha', { hopLimit: 2 })
    expect(opened.teams.get('alpha').members).toMatchObject([{ session: 'ann', provider: null, health: null }])
    expect(opened.teams.decisions('alpha', 'team.generate_code')).toMatchObject([
      { chosen: null, candidates: [{ session: 'ann', eligible: false, because: ['its session is gone'] }] },
    ])
    await opened.teams.removeMember('alpha', 'ann')
    const { members } = await opened.teams.addMember('alpha', { session: 'ann', role: 'code' })
    expect(members).toMatchObject([{ session: 'ann', provider: 'google' }])
  })

  test('members come, change, are ordered and go, and every change is told', async () => {
    await opened.teams.add({ name: 'alpha', members: [{ session: 'ann', role: 'code' }] })
    await opened.teams.addMember('alpha', { session: 'bob', role: 'code', priority: 2 })
    await opened.teams.addMember('alpha', { session: 'tom', role: 'test', priority: 9 })
    await opened.teams.updateMember('alpha', 'bob', { enabled: false, priority: 2 })
    await opened.teams.order('alpha', ['tom', 'bob', 'ann'])
    const { members } = await opened.teams.removeMember('alpha', 'ann')
    expect(members.map(({ session, priority, enabled }) => [session, priority, enabled])).toEqual([
      ['tom', 1, true],
      ['bob', 2, false],
    ])
    await opened.teams.update('alpha', { maxQueue: 5, enabled: true })
    await opened.teams.remove('alpha')
    expect(seen.map(({ kind, data }) => [kind, data['session'] ?? data['after'] ?? null]).slice(1)).toEqual([
      ['member.added', 'bob'],
      ['member.added', 'tom'],
      ['member.changed', 'bob'],
      ['member.ordered', ['tom', 'bob', 'ann']],
      ['member.removed', 'ann'],
      ['team.changed', { maxQueue: 5 }],
      ['team.removed', null],
    ])
    expect(seen[3]!.data).toMatchObject({ before: { enabled: true }, after: { enabled: false } })
    expect([...served]).toEqual(['facade'])
    expect(opened.serverOf('alpha')).toBeUndefined()
  })

  test('what cannot be is refused, and changes nothing', async () => {
    const ann = { session: 'ann', role: 'code' }
    await opened.teams.add({ name: 'alpha', members: [ann] })
    const { teams } = opened
    const attempts: [string, () => Promise<unknown>][] = [
      ['SERVER_EXISTS', () => teams.add({ name: 'alpha' })],
      ['SERVER_EXISTS', () => teams.add({ name: 'facade' })],
      ['SESSION_NOT_FOUND', () => teams.add({ name: 'beta', members: [{ session: 'eve', role: 'code' }] })],
      ['MEMBER_EXISTS', () => teams.add({ name: 'beta', members: [ann, ann] })],
      ['INVALID_PARAMS', () => teams.add({ name: 'beta', workingDir: 'here' })],
      ['INVALID_PARAMS', () => teams.add({ name: 'beta', workingDir: '/no/such/folder' })],
      ['INVALID_PARAMS', () => teams.add({ name: 'beta', paths: { roots: ['/no/such/folder'] } })],
      ['INVALID_PARAMS', () => teams.add({ name: 'beta', paths: { denied: ['[a'] } })],
      ['INVALID_PARAMS', () => teams.explainPath('alpha', { path: 'a' })],
      ['TEAM_NOT_FOUND', () => teams.update('gamma', {})],
      ['TEAM_NOT_FOUND', () => teams.remove('gamma')],
      ['MEMBER_EXISTS', () => teams.addMember('alpha', ann)],
      ['MEMBER_NOT_FOUND', () => teams.updateMember('alpha', 'bob', {})],
      ['MEMBER_NOT_FOUND', () => teams.removeMember('alpha', 'bob')],
      ['INVALID_PARAMS', () => teams.order('alpha', ['ann', 'ann'])],
      ['TOOL_NOT_FOUND', async () => teams.decisions('alpha', 'team.sing')],
    ]
    for (const [code, attempt] of attempts) await expect(attempt()).rejects.toMatchObject({ code })
    expect(teams.list().map(({ name, members }) => [name, members.length])).toEqual([['alpha', 1]])
    expect([...served]).toEqual(['facade', 'alpha'])
  })

  test('folders and globs that cannot be used are named by their fields; those that were there before are let be', async () => {
    const { teams } = opened
    const bad = { roots: [tmpdir(), '/no/such/folder'], denied: ['*.pem', '[a'] }
    const refusal = await teams.add({ name: 'alpha', paths: bad }).catch((error: HubError) => error)
    expect((refusal as HubError).cause).toMatchObject({
      issues: [{ path: ['paths', 'roots', 1] }, { path: ['paths', 'denied', 1] }],
    })
    await teams.add({ name: 'alpha', workingDir: tmpdir(), paths: { roots: ['.'] } })
    await testStore.store.db.update(teamTable).set({ paths: bad })
    const restarted = await open()
    await restarted.teams.update('alpha', { hopLimit: 5 })
    const verdict = await restarted.teams.explainPath('alpha', { path: 'a', paths: { roots: ['.'] } })
    expect(verdict).toMatchObject({ root: tmpdir(), because: '{"roots":["."]}' })
  })

  test('a row that cannot be read is off and says why, and the others serve', async () => {
    await opened.teams.add({ name: 'alpha', members: [{ session: 'ann', role: 'code' }] })
    await opened.teams.add({ name: 'beta' })
    await testStore.store.db.update(teamTable).set({ strategy: 'by_moon' })
    await testStore.store.db.update(teamTable).set({ hopLimit: 99 })
    await opened.teams.add({ name: 'gamma' })
    const restarted = await open()
    const [alpha, , gamma] = restarted.teams.list()
    expect(alpha).toMatchObject({ enabled: false, problem: /cannot be read: strategy .*herma team edit alpha/ })
    expect(gamma).toMatchObject({ enabled: true, problem: null })
    expect(restarted.factsOf('alpha')).toMatchObject({ enabled: false, problem: alpha!.problem })
    const server = restarted.serverOf('alpha')!
    const answer = await server.tools[0]!.run({ spec: 'x' }, { workContext: () => scriptedWorkContext() })
    expect(answer).toMatchObject({ isError: true, content: [{ text: alpha!.problem }] })
  })

  test('a team whose name was taken meanwhile does not answer for the server that has it', async () => {
    await opened.teams.add({ name: 'alpha' })
    await opened.teams.add({ name: 'beta' })
    const restarted = await open(['alpha'])
    expect(restarted.serverOf('alpha')).toBeUndefined()
    expect(restarted.teams.get('alpha')).toMatchObject({ enabled: false, problem: /There is a server 'alpha'/ })
    expect(restarted.serverOf('beta')).toBeDefined()
  })

  test('decisions tell who would answer each tool, and calls who does', async () => {
    await opened.teams.add({
      name: 'alpha',
      maxConcurrency: 1,
      routing: { 'team.run_tests': { prefer: ['yan'], fallback: [] } },
      members: [
        { session: 'ann', role: 'code' },
        { session: 'tom', role: 'test' },
      ],
    })
    const decided = () =>
      opened.teams
        .decisions('alpha', undefined)
        .map(({ tool, chosen, wouldWait, warnings }) => [tool, chosen, wouldWait, warnings.length])
    expect(decided()).toEqual([
      ['team.generate_code', 'ann', false, 0],
      ['team.run_tests', 'tom', false, 1],
      ['team.search_web', null, false, 0],
      ['team.plan_task', null, false, 0],
    ])
    expect(opened.teams.decisions('alpha', 'code.advice')).toMatchObject([{ role: null, chosen: 'ann' }])
    const workContext = scriptedWorkContext()
    const answer = opened.serverOf('alpha')!.tools[0]!.run({ spec: 'x' }, { workContext: () => workContext })
    await settle()
    expect(decided()[1]).toEqual(['team.run_tests', 'tom', true, 1])
    expect(opened.teams.calls('alpha')).toMatchObject([{ state: 'running', session: 'ann' }])
    expect(opened.teams.get('alpha')).toMatchObject({ running: 1, members: [{ running: 1 }, { running: 0 }] })
    await opened.teams.remove('alpha')
    sessions.given[0]!.answer()
    expect((await answer).structuredContent).toMatchObject({ member: { session: 'ann' } })
  })

  test('a team that is removed, or a hub that stops, lets nobody wait', async () => {
    const members = [{ session: 'ann', role: 'code' }]
    await opened.teams.add({ name: 'alpha', maxConcurrency: 1, members })
    await opened.teams.add({ name: 'beta', maxConcurrency: 1, members })
    const call = (team: string) =>
      opened.serverOf(team)!.tools[0]!.run({ spec: 'x' }, { workContext: () => scriptedWorkContext() })
    const calls = [call('alpha'), call('alpha'), call('beta'), call('beta')]
    await settle()
    await opened.teams.remove('alpha')
    expect(await calls[1]).toMatchObject({ _meta: { 'herma/error': { code: 'TEAM_NOT_FOUND' } } })
    await opened.stop()
    expect(await calls[3]).toMatchObject({ _meta: { 'herma/error': { code: 'HUB_NOT_RUNNING' } } })
    for (const work of sessions.given) work.answer()
    await Promise.all(calls)
  })
})
