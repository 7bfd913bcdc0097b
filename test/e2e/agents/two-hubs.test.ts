import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EventPage } from '@herma/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FakeRequest, Reply } from '../../fixtures/fake-llm/fake-llm.ts'
import { waitFor } from '../start-test-hub.ts'
import { startTeamHub, succeed, type EraOfClient, type TeamHub } from './start-team-hub.ts'

let here: TeamHub
let there: TeamHub
const [alpha, beta] = ['alpha', 'beta'].map((name) => `/api/mcp/servers/${name}/stream`) as [string, string]

beforeAll(async () => {
  here = await startTeamHub()
  there = await startTeamHub()
  await build(here, { session: 'near', team: 'alpha', connector: 'to-there', to: [there, beta] })
  await build(there, { session: 'far', team: 'beta', connector: 'to-here', to: [here, alpha] })
})
afterAll(() => Promise.all([here, there].map((place) => place?.[Symbol.asyncDispose]())))

/** A team of one session that uses a team of another hub. */
async function build(
  place: TeamHub,
  { session, team, connector, to }: { session: string; team: string; connector: string; to: [TeamHub, string] },
): Promise<void> {
  const { hub, llm, addSession, addTeam } = place
  await addSession({ name: session, provider: 'openai', model: 'gpt-x', baseUrl: llm.baseUrl('openai') })
  await addTeam({ name: team, members: [{ session, role: 'code' }] })
  await hub.add({ name: connector, transport: 'stream', baseUrl: to[0].hub.url, endpointPath: to[1] })
  await succeed(hub, 'POST', '/api/bindings', { session, connector })
}

/** Hands the work on, and repeats what it was told. */
function handOn({ messages, tools }: FakeRequest): Reply {
  const last = messages.at(-1)!
  if (last.role === 'tool') return { text: `It said: ${last.text}` }
  const next = tools.find((name) => name.includes('generate_code'))
  return next === undefined
    ? { text: 'Nobody to ask.' }
    : { toolCalls: [{ name: next, arguments: { spec: 'Go on.' } }] }
}

beforeEach(() => {
  here.llm.script = handOn
  there.llm.script = handOn
})

describe.each<EraOfClient>(['legacy', 'auto'])('for a client of era %s', (era) => {
  test('a call that comes back over another hub is refused with its whole way', async () => {
    const client = await here.connect(alpha, era)
    const [hereBefore, thereBefore] = [here.llm.requests.length, there.llm.requests.length]
    const result = await client.callTool({ name: 'team.generate_code', arguments: { spec: 'Go in a circle.' } })
    const text = JSON.stringify(result)
    const [, first, second, third] =
      /circle: ([\w-]+)\/alpha>near → ([\w-]+)\/beta>far → ([\w-]+)\/alpha/.exec(text) ?? []
    expect(first, text).toBeDefined()
    expect(third).toBe(first)
    expect(second).not.toBe(first)
    // Each model was asked once to hand on and once to sum up; the circle itself cost none.
    expect([here.llm.requests.length - hereBefore, there.llm.requests.length - thereBefore]).toEqual([2, 2])
  })

  test('the hop limit of a team counts the servers of other hubs too', async () => {
    await succeed(there.hub, 'PATCH', '/api/teams/beta', { hopLimit: 1 })
    const client = await here.connect(alpha, era)
    const before = there.llm.requests.length
    const result = await client.callTool({ name: 'team.generate_code', arguments: { spec: 'Go far.' } })
    await succeed(there.hub, 'PATCH', '/api/teams/beta', { hopLimit: 3 })
    expect(JSON.stringify(result)).toMatch(/has passed 1 servers.*\/alpha>near → [\w-]+\/beta/)
    expect(there.llm.requests).toHaveLength(before)
  })

  test('a cancel reaches the provider of the other hub, and neither writes anything', async () => {
    const write = { name: 'write_file', arguments: { path: 'src/far.js', text: 'far' } }
    there.llm.script = ({ messages }) =>
      messages.at(-1)!.role === 'tool' ? { text: 'slow '.repeat(2000), chunkMs: 20 } : { toolCalls: [write] }
    const client = await here.connect(alpha, era)
    const aborted = there.llm.aborted
    const controller = new AbortController()
    const call = client
      .callTool(
        { name: 'team.generate_code', arguments: { spec: 'Go slowly.' } },
        { signal: controller.signal, onprogress: () => undefined },
      )
      .catch((error: unknown) => error)
    await there.llm.until(() => there.llm.open === 1 && there.llm.requests.at(-1)!.messages.at(-1)!.role === 'tool')
    controller.abort()
    await call
    await there.llm.until(() => there.llm.aborted > aborted)
    for (const [place, team] of [[here, 'alpha'] as const, [there, 'beta'] as const]) {
      await waitFor(async () => {
        const { running, waiting }: { running: number; waiting: number } = await succeed(
          place.hub,
          'GET',
          `/api/teams/${team}`,
        )
        return running + waiting === 0 ? true : undefined
      })
      await expect(access(join(place.workspace, 'src/far.js'))).rejects.toThrow('ENOENT')
    }
  })
})

test('work that ends well is done in the workspace of the other hub, in one trace where traces are exported', async () => {
  await succeed(here.hub, 'PATCH', '/api/traces/settings', { otlp: { endpoint: `${here.llm.url}/collector` } })
  there.llm.script = ({ messages }) =>
    messages.at(-1)!.role === 'tool'
      ? { text: 'Written far away.' }
      : { toolCalls: [{ name: 'write_file', arguments: { path: 'src/done.js', text: 'done\n' } }] }
  const client = await here.connect(alpha, 'auto')
  const made = await client.callTool({ name: 'team.generate_code', arguments: { spec: 'Go and write.' } })
  expect(made.isError, JSON.stringify(made)).toBeFalsy()
  expect(JSON.stringify(made.structuredContent)).toContain('Written far away.')
  expect(await readFile(join(there.workspace, 'src/done.js'), 'utf8')).toBe('done\n')
  const traceOf = (place: TeamHub, server: string) =>
    waitFor(async () => {
      const { events }: EventPage = await succeed(
        place.hub,
        'GET',
        `/api/traces?kind=call.finished&method=tools/call&server=${server}&limit=1`,
      )
      return events[0]?.traceId
    })
  await waitFor(async () => ((await traceOf(here, 'alpha')) === (await traceOf(there, 'beta')) ? true : undefined))
})
