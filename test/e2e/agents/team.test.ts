import { access, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FakeRequest, Reply } from '../../fixtures/fake-llm/fake-llm.ts'
import { serverProgram, stdioConnector, waitFor } from '../start-test-hub.ts'
import { startTeamHub, succeed, type EraOfClient, type TeamHub } from './start-team-hub.ts'

let place: TeamHub
const alpha = '/api/mcp/servers/alpha/stream'

beforeAll(async () => {
  place = await startTeamHub()
  const { llm, addSession, addTeam, hub } = place
  await hub.add(stdioConnector('web', [serverProgram('everything')]))
  await addSession({ name: 'coder', provider: 'openai', model: 'gpt-x', baseUrl: llm.baseUrl('openai') })
  await addSession({ name: 'spare', provider: 'anthropic', model: 'claude-x', baseUrl: llm.baseUrl('anthropic') })
  await addSession({ name: 'planner', provider: 'google', model: 'gemini-x', baseUrl: llm.baseUrl('google') })
  await addSession({
    name: 'tester',
    provider: 'openai-compatible',
    model: 'llama',
    baseUrl: llm.baseUrl('openai-compatible'),
  })
  await addSession({
    name: 'searcher',
    provider: 'mcp',
    routes: [{ abilities: ['search.web'], use: { connector: 'web', tool: 'echo', arguments: { message: '{query}' } } }],
  })
  await succeed(hub, 'POST', '/api/bindings', { session: 'searcher', connector: 'web' })
  await addTeam({
    name: 'alpha',
    maxConcurrency: 2,
    maxQueue: 200,
    routing: { 'team.generate_code': { prefer: ['openai'], fallback: ['planner'] } },
    members: [
      { session: 'coder', role: 'code', priority: 2 },
      { session: 'spare', role: 'code', priority: 1 },
      { session: 'tester', role: 'test' },
      { session: 'planner', role: 'planner' },
      { session: 'searcher', role: 'search' },
    ],
  })
})
afterAll(() => place[Symbol.asyncDispose]())

/** A model that writes the file that it is asked for, and then says so. */
function writer({ messages }: FakeRequest): Reply {
  const asked = messages.findLast(({ role }) => role === 'user')!.text
  const name = /\bmodule (\w+)/.exec(asked)?.[1] ?? 'add'
  if (messages.at(-1)!.role === 'tool') return { text: `Wrote ${name}.` }
  const code = `export const ${name} = (a, b) => a + b\n`
  const checks = `import test from 'node:test'\nimport assert from 'node:assert'\nimport { ${name} } from './${name}.js'\ntest('adds', () => assert.equal(${name}(2, 3), 5))\n`
  return {
    toolCalls: [
      { name: 'write_file', arguments: { path: `src/${name}.js`, text: code } },
      { name: 'write_file', arguments: { path: `src/${name}.test.js`, text: checks } },
    ],
  }
}

const plan = {
  summary: 'Add, then test.',
  steps: [{ title: 'Add', detail: 'Write add.', role: 'code', depends_on: [] }],
  risks: [],
}

describe.each<EraOfClient>(['legacy', 'auto'])('a team of five sessions for a client of era %s', (era) => {
  test('offers its tools, with schemas, and no dispatch', async () => {
    const client = await place.connect(alpha, era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'team.generate_code',
      'team.run_tests',
      'team.search_web',
      'team.plan_task',
    ])
    for (const { inputSchema, outputSchema } of tools) {
      expect(inputSchema.type).toBe('object')
      expect(outputSchema?.type).toBe('object')
    }
  })

  test('writes code into the workspace, and another member really runs its tests', async () => {
    place.llm.script = writer
    const client = await place.connect(alpha, era)
    const name = era === 'legacy' ? 'sum' : 'plus'
    const partial: string[] = []
    const made = await client.callTool(
      { name: 'team.generate_code', arguments: { spec: `A module ${name} that adds two numbers.` } },
      { onprogress: ({ message }) => void partial.push(message ?? '') },
    )
    expect(made.isError, JSON.stringify(made.content)).toBeFalsy()
    expect(made.structuredContent).toMatchObject({
      committed: true,
      member: { session: 'coder', provider: 'openai' },
      changes: [
        { path: `src/${name}.js`, kind: 'added' },
        { path: `src/${name}.test.js`, kind: 'added' },
      ],
    })
    expect(await readFile(join(place.workspace, `src/${name}.js`), 'utf8')).toContain(`export const ${name}`)
    expect(partial.join('')).toContain(`Wrote ${name}.`)
    const run = await client.callTool({ name: 'team.run_tests', arguments: { paths: [`src/${name}.test.js`] } })
    expect(run.structuredContent, JSON.stringify(run.content)).toMatchObject({
      ok: true,
      framework: 'node',
      counts: { total: 1, passed: 1, failed: 0 },
      member: { session: 'tester' },
    })
  })

  test('answers a plan by its planner and a search by its searcher', async () => {
    place.llm.script = () => ({ text: JSON.stringify(plan) })
    const client = await place.connect(alpha, era)
    const planned = await client.callTool({ name: 'team.plan_task', arguments: { goal: 'Add numbers.' } })
    expect(planned.structuredContent, JSON.stringify(planned.content)).toMatchObject({
      summary: 'Add, then test.',
      member: { session: 'planner', provider: 'google' },
    })
    const found = await client.callTool({ name: 'team.search_web', arguments: { query: 'herma' } })
    expect(found.isError, JSON.stringify(found.content)).toBeFalsy()
    expect(JSON.stringify(found.structuredContent)).toContain('Echo: herma')
    expect(found.structuredContent).toMatchObject({ member: { session: 'searcher' } })
  })
})

test('work moves to the next member by the rules when a provider fails, but not once it had an effect', async () => {
  const client = await place.connect(alpha, 'auto')
  place.llm.script = (request) => (request.dialect === 'openai-responses' ? { status: 401 } : writer(request))
  const moved = await client.callTool({ name: 'team.generate_code', arguments: { spec: 'A module moved that adds.' } })
  expect(moved.structuredContent, JSON.stringify(moved.content)).toMatchObject({
    member: { session: 'spare', provider: 'anthropic' },
    routing: {
      tried: [
        { session: 'coder', outcome: 'PROVIDER_UNAUTHORIZED' },
        { session: 'spare', outcome: 'ok' },
      ],
    },
  })
  const decisions = (await succeed(place.hub, 'GET', '/api/teams/alpha/decisions')) as { decisions: unknown[] }
  expect(JSON.stringify(decisions)).toContain('team.generate_code')

  // The tool of a server may have done something, so that nobody else may be asked to do it again.
  await succeed(place.hub, 'POST', '/api/bindings', {
    session: 'coder',
    connector: 'web',
    allowedTools: ['toggle-simulated-logging'],
  })
  place.llm.script = ({ messages, tools }) => {
    if (messages.at(-1)!.role === 'tool') return { status: 401 }
    const toggle = tools.find((name) => name.includes('toggle'))!
    return {
      toolCalls: [
        { name: 'write_file', arguments: { path: 'src/lost.js', text: 'lost' } },
        { name: toggle, arguments: {} },
      ],
    }
  }
  const failed = await client.callTool({ name: 'team.generate_code', arguments: { spec: 'A module lost that adds.' } })
  expect(failed.isError).toBe(true)
  expect(JSON.stringify(failed)).toContain('coder')
  expect(JSON.stringify(failed)).not.toContain('spare')
  await expect(access(join(place.workspace, 'src/lost.js'))).rejects.toThrow('ENOENT')
  await succeed(place.hub, 'DELETE', '/api/sessions/coder/bindings/web')
})

test('a hundred calls at once on concurrency 2 begin in the order in which they came', async () => {
  const client = await place.connect(alpha, 'auto')
  const begun: number[] = []
  let open = 0
  let most = 0
  place.llm.script = async ({ messages }) => {
    begun.push(Number(/number (\d+)/.exec(messages.at(-1)!.text)?.[1]))
    most = Math.max(most, ++open)
    await new Promise((resolve) => setTimeout(resolve, 2))
    open--
    return { text: JSON.stringify(plan) }
  }
  const calls = Array.from({ length: 100 }, (_, index) =>
    client.callTool({ name: 'team.plan_task', arguments: { goal: `Do number ${index}.` } }),
  )
  const results = await Promise.all(calls)
  expect(results.filter(({ isError }) => isError === true)).toEqual([])
  expect(most).toBeLessThanOrEqual(2)
  // Two run at once, so that neighbours may reach the provider in either order.
  for (const [index, number] of begun.entries()) expect(Math.abs(number - index)).toBeLessThanOrEqual(1)
}, 120_000)

describe('a cancelled call leaves nothing behind', () => {
  test('while it waits in the queue', async () => {
    const client = await place.connect(alpha, 'auto')
    const gate = deferred()
    place.llm.script = async () => {
      await gate.promise
      return { text: JSON.stringify(plan) }
    }
    const running = [1, 2].map((number) =>
      client.callTool({ name: 'team.plan_task', arguments: { goal: `Hold ${number}` } }),
    )
    await waitFor(async () => ((await callsOf()).running === 2 ? true : undefined))
    const controller = new AbortController()
    const waiting = client.callTool(
      { name: 'team.plan_task', arguments: { goal: 'Never.' } },
      { signal: controller.signal },
    )
    const settled = waiting.catch((error: unknown) => error)
    await waitFor(async () => ((await callsOf()).waiting === 1 ? true : undefined))
    controller.abort()
    await settled
    await waitFor(async () => ((await callsOf()).waiting === 0 ? true : undefined))
    gate.resolve()
    await Promise.all(running)
    expect(place.llm.requests.some(({ messages }) => messages.some(({ text }) => text.includes('Never.')))).toBe(false)
  })

  test('while the model speaks: its socket is closed and no file is written', async () => {
    const client = await place.connect(alpha, 'legacy')
    const aborted = place.llm.aborted
    place.llm.script = (request) =>
      request.messages.at(-1)!.role === 'tool' ? { text: 'slow '.repeat(500), chunkMs: 20 } : writer(request)
    const controller = new AbortController()
    const call = client.callTool(
      { name: 'team.generate_code', arguments: { spec: 'A module cancelled that adds.' } },
      {
        signal: controller.signal,
        onprogress: ({ message }) => {
          if (message?.includes('slow') === true) controller.abort()
        },
      },
    )
    await expect(call).rejects.toThrow('abort')
    await place.llm.until(() => place.llm.aborted > aborted)
    await waitFor(async () => ((await callsOf()).running === 0 ? true : undefined))
    await expect(access(join(place.workspace, 'src/cancelled.js'))).rejects.toThrow('ENOENT')
    expect((await readdir(join(place.workspace, 'src'))).filter((name) => name.includes('herma-stage'))).toEqual([])
  })

  test('while tests run: their processes are gone', async () => {
    const file = join(place.workspace, 'src/hang.test.js')
    const marker = join(place.workspace, 'hang.pid')
    await writeFile(
      file,
      `import test from 'node:test'\nimport { writeFileSync } from 'node:fs'\ntest('hangs', async () => { writeFileSync(${JSON.stringify(marker)}, String(process.pid)); await new Promise((r) => setTimeout(r, 600000)) })\n`,
    )
    const client = await place.connect(alpha, 'auto')
    const controller = new AbortController()
    const call = client
      .callTool({ name: 'team.run_tests', arguments: { paths: ['src/hang.test.js'] } }, { signal: controller.signal })
      .catch((error: unknown) => error)
    // The file is there a moment before its content.
    const written = async () => (await readFile(marker, 'utf8').catch(() => '')) || undefined
    const pid = Number(await waitFor(written))
    controller.abort()
    await call
    expect(await waitFor(() => (isAlive(pid) ? undefined : 'gone'))).toBe('gone')
    await waitFor(async () => ((await callsOf()).running === 0 ? true : undefined))
    await rm(file)
    await rm(marker)
  })
})

test('a call that comes back to the team is refused, and its way is named', async () => {
  const { hub, addTeam, addSession, llm } = place
  // The session of beta uses alpha as a tool, and the coder of alpha uses beta.
  await addSession({ name: 'caller', provider: 'openai', model: 'gpt-x', baseUrl: llm.baseUrl('openai') })
  await addTeam({ name: 'beta', members: [{ session: 'caller', role: 'code' }] })
  await hub.add({ name: 'to-alpha', transport: 'stream', baseUrl: hub.url, endpointPath: alpha })
  await hub.add({
    name: 'to-beta',
    transport: 'stream',
    baseUrl: hub.url,
    endpointPath: '/api/mcp/servers/beta/stream',
  })
  await succeed(hub, 'POST', '/api/bindings', { session: 'caller', connector: 'to-alpha' })
  await succeed(hub, 'POST', '/api/bindings', { session: 'coder', connector: 'to-beta' })
  const told: string[] = []
  llm.script = ({ messages, tools }) => {
    const last = messages.at(-1)!
    if (last.role === 'tool') {
      told.push(last.text)
      return { text: `It said: ${last.text}` }
    }
    const next = tools.find((name) => name.includes('generate_code'))
    return next === undefined
      ? { text: 'nothing to call' }
      : { toolCalls: [{ name: next, arguments: { spec: 'go on' } }] }
  }
  const client = await place.connect(alpha, 'auto')
  const result = await client.callTool({ name: 'team.generate_code', arguments: { spec: 'Go in a circle.' } })
  // The hub is a client of its own servers here: a list that is the same again must not be news to anybody.
  const lists = async () => {
    const { events } = await succeed<{ events: unknown[] }>(hub, 'GET', '/api/events?method=tools/list&limit=1000')
    return events.length
  }
  const quiet = await waitFor(async () => {
    const before = await lists()
    await new Promise((resolve) => setTimeout(resolve, 1500))
    return (await lists()) === before ? 'quiet' : undefined
  })
  expect(quiet).toBe('quiet')
  expect(told[0], JSON.stringify(result.content)).toMatch(/circle: .+\/alpha>coder → .+\/beta>caller → .+\/alpha/)
  await succeed(hub, 'DELETE', '/api/sessions/coder/bindings/to-beta')
})

async function callsOf(): Promise<{ running: number; waiting: number }> {
  return succeed(place.hub, 'GET', '/api/teams/alpha')
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function deferred() {
  let resolve: () => void = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
