import { once } from 'node:events'
import { createServer, request as openRequest, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from '../start-test-hub.ts'
import { calls, providerKey, startAgentsHub, succeed, toldBy, type AgentsHub } from './start-agents-hub.ts'
import type { Answer, Credential } from './start-attack-hub.ts'
import { vaultConnector } from './vault-connector.ts'

let place: AgentsHub
let admin: Credential
let member: Credential
let viewer: Credential
let echo: Server
const coder = '/api/mcp/sessions/coder/stream'
const alpha = '/api/mcp/servers/alpha/stream'

beforeAll(async () => {
  place = await startAgentsHub()
  const { hub, addSession, addTeam } = place
  await hub.add(vaultConnector('vault'))
  await addSession({ name: 'coder' })
  await addSession({ name: 'asking', tools: { approval: 'always' } })
  await succeed(hub, 'POST', '/api/bindings', { session: 'coder', connector: 'vault' })
  await addTeam({
    name: 'alpha',
    maxConcurrency: 1,
    maxQueue: 5,
    dispatch: { enabled: true, allow: ['search.*'] },
    members: [{ session: 'coder', role: 'code' }],
  })
  const scopes = ['admin' as const, 'mcp' as const]
  admin = await hub.key({ name: 'admin', role: 'admin', scopes })
  member = await hub.key({ name: 'member', role: 'member', scopes })
  viewer = await hub.key({ name: 'viewer', role: 'viewer', scopes })
  // A provider that says in its errors what it was shown, as some do.
  echo = createServer((request, response) => {
    request.resume()
    const message = `You sent ${JSON.stringify(request.headers)} to ${request.url}`
    const status = Number(/\/(\d+)\//.exec(request.url!)?.[1])
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }))
  }).listen(0, '127.0.0.1')
  await once(echo, 'listening')
})
afterAll(async () => {
  echo.close()
  await place[Symbol.asyncDispose]()
})

afterEach(async () => {
  const figures = ['team_calls_running', 'team_calls_waiting', 'session_turns_running', 'thread_turns_running']
  for (const figure of [...figures, 'approvals_pending', 'workspace_stages_open'])
    await waitFor(async () => ((await place.figure(figure)) === 0 ? true : undefined))
  await waitFor(() => (place.llm.open === 0 ? true : undefined))
})

async function chat(as: Credential, path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') {
  return place.hub.ask(`/api/sessions/${path}`, { method, headers: { ...as }, body })
}

async function begin(as: Credential, session: string): Promise<string> {
  return (JSON.parse((await chat(as, `${session}/threads`, {})).text) as { id: string }).id
}

describe('a client that wants to work elsewhere', () => {
  test.each([
    ['cwd', () => '/etc'],
    ['cwd', () => '../outside'],
    ['cwd', () => `${place.workspace}/../outside`],
    ['cwd', () => '/proc/self/cwd'],
    ['workspace_uri', () => pathToFileURL(place.outside).href],
    ['workspace_uri', () => `${pathToFileURL(place.workspace).href}/%2e%2e/outside`],
    ['workspace_uri', () => `${pathToFileURL(place.workspace).href}/..%2foutside`],
    ['workspace_uri', () => `file://elsewhere${place.workspace}`],
    ['workspace_uri', () => `file://${place.workspace}%00/etc`],
    ['workspace_uri', () => 'http://127.0.0.1/etc'],
  ])('by its %s is refused', async (field, value) => {
    for (const [tool, args] of [
      ['tests.run', {}],
      ['search.code', { query: 'root' }],
      ['code.generate', { spec: 'x' }],
    ] as const) {
      const asked = place.llm.requests.length
      const answer = await place.call(coder, { tool, args: { ...args, [field]: value() } })
      expect(answer.isError, answer.text).toBe(true)
      expect(answer.text).toMatch(/PATH_REFUSED|INVALID_PARAMS/)
      expect(place.llm.requests.length).toBe(asked)
    }
  })

  test('by talking to the session is refused, too', async () => {
    const thread = await begin(member, 'coder')
    const said = await chat(member, `coder/threads/${thread}/messages`, { text: 'hi', cwd: place.outside })
    expect(said.text).toContain('PATH_REFUSED')
    expect((await chat(member, `coder/threads/${thread}`)).text).toContain('"messages":[]')
  })
})

describe('a client that says which way its call has come', () => {
  const { searchCode, hops } = { searchCode: { query: 'nothing' }, hops: ['a/one', 'b/two', 'c/three'] }
  const search = (path: unknown) =>
    place.call(coder, { tool: 'search.code', args: searchCode, meta: { 'herma/path': path } })

  test('is believed when that is against it', async () => {
    expect((await search(hops)).text).toContain('HOP_LIMIT')
    expect((await search(Array.from({ length: 10_000 }, () => 'a/b'))).text).toContain('HOP_LIMIT')
  })

  test.each([['a text'], [{}], [[null, 7, {}, '../..', 'a/b>c>d', 'x'.repeat(9999)]]])(
    'in a way that is no path has come no way',
    async (path) => {
      expect((await search(path)).isError).toBe(false)
    },
  )

  test('keeps nobody else from being served', async () => {
    await Promise.all([search(hops), search(hops)])
    expect((await search([])).isError).toBe(false)
  })
})

describe('a client of a team', () => {
  const dispatch = (args: Record<string, unknown>, meta = {}) =>
    place.call(alpha, { tool: 'team.dispatch', args, meta })

  test('dispatches nothing that is not allowed, nor to others than members', async () => {
    const params = { query: 'x' }
    for (const args of [
      { tool: 'code.generate', params: { spec: 'x' } },
      { tool: 'tests.run', params: {} },
      { tool: 'search.code', params, target_session: 'asking' },
      { tool: 'search.code', params, target_role: 'test' },
      { tool: 'search.code', params: { ...params, policy: { roots: ['/'] } } },
      { tool: 'search.code', params: { ...params, cwd: '/etc' } },
      { tool: 'search.code', params, policy_override: { hop_limit: 20 } },
      { tool: 'search.code', params, policy_override: { roots: ['/'] } },
    ])
      expect((await dispatch(args)).isError, JSON.stringify(args)).toBe(true)
    const far = { 'herma/path': ['a/one', 'b/two', 'c/three'] }
    const raised = { tool: 'search.code', params, policy_override: { hop_limit: 3 } }
    expect((await dispatch(raised, far)).text).toContain('HOP_LIMIT')
    expect((await dispatch(raised)).isError).toBe(false)
  })

  test('cannot make it keep more calls than may wait', async () => {
    const { llm } = place
    const before = await place.figure('team_calls_total')
    let go: () => void = () => {}
    const gate = new Promise<void>((resolve) => (go = resolve))
    llm.script = () => gate.then(() => ({ text: 'Done.' }))
    const flood = Array.from({ length: 100 }, (_, index) =>
      place.call(alpha, { tool: 'team.generate_code', args: { spec: `Number ${index}` } }),
    )
    await waitFor(async () => ((await place.figure('team_calls_total')) - before >= 94 ? true : undefined))
    expect(await place.figure('team_calls_running')).toBe(1)
    expect(await place.figure('team_calls_waiting')).toBe(5)
    go()
    const answers = await Promise.all(flood)
    expect(answers.filter(({ text }) => text.includes('QUEUE_FULL'))).toHaveLength(94)
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(6)
  }, 60_000)
})

describe('what is somebody else’s', () => {
  test('threads look as if they were not there', async () => {
    const thread = await begin(member, 'coder')
    const missing = '00000000-0000-4000-8000-000000000000'
    const tries: [string, string, unknown?][] = [
      ['GET', ''],
      ['PATCH', '', { title: 'mine' }],
      ['DELETE', ''],
      ['POST', '/messages', { text: 'hi' }],
      ['GET', '/events'],
      ['POST', '/cancel'],
    ]
    for (const [method, rest, body] of tries) {
      const of = (id: string) => chat(admin, `coder/threads/${id}${rest}`, body, method)
      const [theirs, none] = [await of(thread), await of(missing)]
      expect(theirs.status, method + rest).toBe(404)
      expect(theirs.text).toBe(none.text.replaceAll(missing, thread))
    }
    // Nor through another session.
    expect((await chat(member, `asking/threads/${thread}`)).status).toBe(404)
    expect((await chat(member, `coder/threads/${thread}`)).status).toBe(200)
  })

  test('approvals are given by whoever was asked, and for everybody only by admins', async () => {
    const { llm, hub } = place
    llm.script = calls({ name: 'list_files', arguments: {} })
    const thread = await begin(member, 'asking')
    const said = chat(member, `asking/threads/${thread}/messages`, { text: 'Look.' })
    const follow = () => firstEvent(`/api/sessions/asking/threads/${thread}/events`, member, 'approval-wanted')
    const { approval } = (await follow()) as { approval: string }
    const answer = (as: Credential, word: string, session = 'asking') =>
      chat(as, `${session}/approvals/${approval}`, { answer: word })
    for (const as of [admin, hub.operator]) expect((await answer(as, 'once')).status).toBe(404)
    expect((await answer(viewer, 'once')).status).toBe(403)
    expect((await answer(member, 'once', 'coder')).status).toBe(404)
    expect((await answer(member, 'always')).status).toBe(403)
    expect((await answer(member, 'once')).status).toBe(204)
    expect((await answer(member, 'once')).status).toBe(404)
    expect((await said).text).toContain('"done"')
    const { tools } = (await succeed(hub, 'GET', '/api/sessions/asking')) as { tools: { approved: string[] } }
    expect(tools.approved).toEqual([])
  })

  test('a key for one session opens no other, no team, and no talk', async () => {
    const key = await place.hub.key({ name: 'narrow', servers: ['session:asking'], scopes: ['mcp', 'admin'] })
    const search = { tool: 'search.code', args: { query: 'x' }, as: key }
    expect((await place.call('/api/mcp/sessions/asking/stream', search)).isError).toBe(false)
    for (const path of [coder, alpha]) expect((await place.call(path, search)).status, path).toBe(403)
    expect((await chat(key, 'coder/threads', {})).status).toBe(403)
  })

  test('who may only look neither talks nor writes, nor has a session do it', async () => {
    const { llm } = place
    expect((await chat(viewer, 'coder/threads', {})).status).toBe(403)
    for (const tool of ['code.generate', 'tests.run', 'tests.generate']) {
      const answer = await place.call(coder, { tool, args: { spec: 'x' }, as: viewer })
      expect(answer.isError, answer.text).toBe(true)
      expect(answer.text).toContain('viewer')
    }
    // A session that a viewer may ask for advice uses the tools of the viewer, not its own.
    llm.script = calls({ name: 'vault__open', arguments: {} }, { name: 'vault__look', arguments: {} })
    const advice = { tool: 'code.advice', args: { question: 'What is in the vault?' } }
    const advised = await place.call(coder, { ...advice, as: viewer })
    expect(advised.isError, advised.text).toBe(false)
    expect(toldBy(llm)).toEqual([expect.stringContaining('viewer'), expect.not.stringContaining('viewer')])
    const reader = await place.hub.key({ name: 'reader', scopes: ['mcp:read'] })
    await place.call(coder, { ...advice, as: reader })
    expect(toldBy(llm)[0]).toContain('mcp')
  })
})

describe('a reader that does not read', () => {
  test('is cut off, and the turn goes on without it', async () => {
    const { llm, hub } = place
    llm.script = () => ({ text: 'blah'.repeat(3_000_000) })
    const thread = await begin(member, 'coder')
    const sent = openRequest(`${hub.url}/api/sessions/coder/threads/${thread}/messages`, {
      method: 'POST',
      headers: { ...member, 'content-type': 'application/json' },
      agent: false,
    })
    sent.on('error', () => {}).end('{"text":"Talk."}')
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.pause()
    await waitFor(async () => ((await place.figure('thread_turns_running')) === 0 ? true : undefined))
    expect((await chat(member, `coder/threads/${thread}`)).text.length).toBeGreaterThan(12_000_000)
    sent.destroy()
  }, 60_000)
})

describe('the key of a provider', () => {
  test.each([400, 401, 403, 404, 429, 500])(
    'is in nothing that is told after status %i',
    async (status) => {
      const { hub, addSession } = place
      const { port } = echo.address() as AddressInfo
      const name = `echo-${status}`
      const at = Date.now()
      await addSession({ name, baseUrl: `http://127.0.0.1:${port}/${status}/v1`, limits: { timeoutMs: 3000 } })
      const thread = await begin(admin, name)
      const answers: Answer[] = [
        await hub.ask(`/api/sessions/${name}/test`, { method: 'POST', headers: hub.operator, body: {} }),
        await chat(admin, `${name}/threads/${thread}/messages`, { text: 'hi' }),
        await chat(admin, `${name}/threads/${thread}`),
        await chat(admin, name),
        await hub.ask('/api/sessions', { headers: { ...viewer } }),
        await hub.ask(`/api/events?limit=200&from=${new Date(at).toISOString()}`, { headers: hub.operator }),
      ]
      const advice = { tool: 'code.advice', args: { question: 'x' } }
      const called = await place.call(`/api/mcp/sessions/${name}/stream`, advice)
      expect(called.isError).toBe(true)
      const told = [...answers.map(({ text }) => text), called.text, ...hub.log].join('\n')
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 200])
      expect(called.text).toContain('You sent')
      for (const form of [providerKey, encodeURIComponent(providerKey), Buffer.from(providerKey).toString('base64')])
        expect(told).not.toContain(form)
      await succeed(hub, 'DELETE', `/api/sessions/${name}`)
    },
    60_000,
  )

  test('is not taken in an address, where everybody would see it', async () => {
    for (const baseUrl of ['http://me:password@127.0.0.1/v1', 'http://127.0.0.1/v1?key=abc']) {
      const session = { name: 'shown', provider: 'openai', model: 'x', baseUrl }
      expect((await place.hub.api('POST', '/api/sessions', session)).status).toBe(422)
    }
  })
})

/** Reads a stream until an event of this type, and leaves. */
async function firstEvent(path: string, as: Credential, type: string): Promise<unknown> {
  return waitFor(async () => {
    const response = await fetch(place.hub.url + path, { headers: { ...as } })
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const found = [...text.matchAll(/^data: (.*)\n/gm)]
        .map(([, data]) => JSON.parse(data!) as { type: string })
        .find((event) => event.type === type)
      if (found !== undefined) return found
    }
    return undefined
  })
}
