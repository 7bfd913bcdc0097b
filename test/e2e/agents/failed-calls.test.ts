import type { EventPage, LatencyReport, ServerHealth, TestReport } from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../start-test-hub.ts'
import { startTeamHub, succeed, type TeamHub } from './start-team-hub.ts'

let place: TeamHub

beforeAll(async () => {
  place = await startTeamHub()
  place.llm.script = () => ({ status: 401, text: 'no such key' })
  await place.addSession({
    name: 'planner',
    provider: 'openai',
    model: 'gpt-5',
    baseUrl: place.llm.baseUrl('openai'),
  })
  await place.addTeam({ name: 'alpha', members: [{ session: 'planner', role: 'planner', priority: 1 }] })
})
afterAll(() => place?.[Symbol.asyncDispose]())

const get = <T>(path: string) => succeed<T>(place.hub, 'GET', path)

test('a call of a team that failed is found among errors, says why, and is counted', async () => {
  const client = await place.connect('/api/mcp/servers/alpha/stream', 'auto')
  const failed = await client.callTool({ name: 'team.plan_task', arguments: { goal: 'Ship it' } })
  expect(failed.isError).toBe(true)
  const { events } = await waitFor(async () => {
    const page = await get<EventPage>('/api/traces?kind=call.finished&outcome=tool-error&server=alpha')
    return page.events.length > 0 ? page : undefined
  })
  expect(events).toMatchObject([{ target: 'team.plan_task', errorCode: expect.stringMatching(/^PROVIDER_/) }])
  expect(events[0]!.data).toMatchObject({ error: expect.stringContaining('planner') })
  const latency = await get<LatencyReport>('/api/latencies?server=alpha')
  expect(latency).toMatchObject({
    total: { count: 1, errors: 1 },
    lastError: { message: expect.stringContaining('planner') },
  })
})

test('a test of a team says which tools nobody would answer', async () => {
  const report = await succeed<TestReport>(place.hub, 'POST', '/api/servers/alpha/test', {})
  expect(report.ok).toBe(true)
  expect(report.stages.find(({ name }) => name === 'list')?.detail).toMatch(/nobody would answer .*team\.search_web/)
})

test('a team whose members all fail is not ready, and says why', async () => {
  const client = await place.connect('/api/mcp/servers/alpha/stream', 'auto')
  for (let call = 0; call < 3; call++)
    await client.callTool({ name: 'team.plan_task', arguments: { goal: 'Ship it' } }).catch(() => undefined)
  const health = await waitFor(async () => {
    const response = await fetch(`${place.hub.url}/api/mcp/servers/alpha/health`)
    return response.status === 503 ? ((await response.json()) as ServerHealth) : undefined
  })
  expect(health).toMatchObject({ state: 'failing', problem: expect.stringMatching(/^None of its members can work/) })
})

test('who made and changed sessions and composites is in the audit log', async () => {
  await succeed(place.hub, 'PATCH', '/api/sessions/planner', { description: 'Plans.' })
  const kinds = await waitFor(async () => {
    const { events } = await get<EventPage>('/api/audit?limit=100')
    const found = events.map(({ kind }) => kind)
    return found.includes('session.changed') ? found : undefined
  })
  expect(kinds).toContain('session.added')
})
