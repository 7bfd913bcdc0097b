import { text as readText } from 'node:stream/consumers'
import type { CredentialHolder, CredentialsView, NewApiKey, SignInStep } from '@herma/contract'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveEras } from '../conformance/server/serve-eras.ts'
import { buildFixtureServer, createFixtureState } from '../fixtures/build-fixture-server.ts'
import { listen, startOAuthServer } from '../fixtures/start-oauth-server.ts'
import { startProtectedServer } from '../fixtures/start-protected-server.ts'
import { serverProgram, startTestHub, stdioConnector, waitFor, type TestHub } from './start-test-hub.ts'
import { textOf, WireClient } from './wire-client.ts'

/** Somebody with an API key, who uses tools and the management API with it. */
interface Person {
  readonly id: string
  readonly api: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: unknown }>
  readonly call: (tool: string, args?: object) => ReturnType<WireClient['requestModern']>
}

let hub: TestHub
let [ann, bob]: Person[] = []
let tracker: Awaited<ReturnType<typeof startTracker>>

beforeAll(async () => {
  tracker = await startTracker()
  hub = await startTestHub()
  ;[ann, bob] = [await createPerson('ann'), await createPerson('bob')]
})

afterAll(async () => {
  await hub?.stop()
  await tracker?.stop()
})

async function createPerson(name: string): Promise<Person> {
  const made = await hub.api('POST', '/api/access/keys', { name, role: 'member', scopes: ['mcp', 'admin'] })
  const authorization = `Bearer ${(made.body as NewApiKey).key}`
  const client = new WireClient(hub.endpoint, { authorization })
  return {
    id: `key:${name}`,
    async api(method, path, body) {
      const headers = { authorization, 'content-type': 'application/json' }
      const sent = body === undefined ? null : JSON.stringify(body)
      const response = await fetch(hub.url + path, { method, headers, body: sent })
      const text = await response.text()
      return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
    },
    call: (tool, args = {}) => client.requestModern('tools/call', { name: tool, arguments: args }),
  }
}

/** A legacy MCP server that writes down which key came with which session and words. */
async function startTracker() {
  const state = createFixtureState()
  const served = serveEras(() => buildFixtureServer(state), { era: 'legacy' })
  const handler = toNodeHandler(served)
  const seen: { key: string; session: string; body: string }[] = []
  const { origin, stop } = await listen((request, response) => {
    void (async () => {
      const body = request.method === 'POST' ? await readText(request) : ''
      const { 'x-api-key': key = '', 'mcp-session-id': session = '' } = request.headers
      seen.push({ key: String(key), session: String(session), body })
      await handler(request, response, body === '' ? undefined : (JSON.parse(body) as unknown))
    })()
  })
  return { url: `${origin}/mcp`, seen, stop: () => stop().then(() => served.close()) }
}

const isThere = (tool: string) =>
  waitFor(async () => {
    const { message } = await new WireClient(hub.endpoint).requestModern('tools/list')
    const tools = message?.result?.['tools'] as { name: string }[]
    return tools.some(({ name }) => name === tool) || undefined
  })

test('each principal has a header of its own, links of its own, and nothing of the others', async () => {
  const headers = [{ name: 'X-Api-Key', personal: true }]
  const connector = { name: 'tracker', transport: 'stream' as const, baseUrl: tracker.url, headers }
  const shared = await hub.api('POST', '/api/connectors', connector)
  expect(JSON.stringify(shared.body)).toContain('needs the option credentials=personal')
  await hub.add({ ...connector, options: { credentials: 'personal' } })
  expect(tracker.seen).toEqual([])

  const path = '/api/connectors/tracker/credentials'
  const put = await ann!.api('PUT', path, { headers: { 'x-api-key': 'ann-{secret:hub}-key' } })
  expect(put).toMatchObject({ status: 200, body: { principal: 'key:ann', values: [{ stored: true }] } })
  expect(JSON.stringify((await ann!.api('GET', path)).body)).not.toContain('ann-')
  await isThere('tracker__echo')
  const refused = await bob!.call('tracker__echo', { text: 'bob' })
  expect(refused.message?.error?.message).toBe(`'tracker' wants X-Api-Key of yours. Run: herma credentials set tracker`)
  await bob!.api('PUT', path, { headers: { 'X-Api-Key': 'bob-key' } })

  const calls = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? ann! : bob!))
  const answers = await Promise.all(calls.map((who) => who.call('tracker__echo', { text: who.id })))
  expect(answers.map(textOf)).toEqual(calls.map(({ id }) => id))
  // A reference in a value of one's own is words, not a way to read what others stored.
  expect(new Set(tracker.seen.map(({ key }) => key))).toEqual(new Set(['ann-{secret:hub}-key', 'bob-key']))
  for (const { key, body } of tracker.seen.filter(({ body: said }) => said.includes('"key:')))
    expect(body).toContain(key === 'bob-key' ? 'key:bob' : 'key:ann')
  const owners = new Map<string, Set<string>>()
  for (const { key, session } of tracker.seen)
    if (session !== '') owners.set(session, (owners.get(session) ?? new Set()).add(key))
  for (const keys of owners.values()) expect(keys.size).toBe(1)

  expect((await ann!.api('GET', `${path}/principals`)).status).toBe(403)
  expect((await ann!.api('DELETE', `${path}/principals/key:bob`)).status).toBe(403)
  const { principals } = (await hub.api('GET', `${path}/principals`)).body as { principals: CredentialHolder[] }
  expect(principals.map(({ principal, values }) => [principal, values])).toEqual([
    ['key:ann', 1],
    ['key:bob', 1],
  ])
  // Whoever gets the name of a key that is gone gets nothing of it.
  const carl = await createPerson('carl')
  await carl.api('PUT', path, { headers: { 'X-Api-Key': 'carl-key' } })
  expect(textOf(await carl.call('tracker__echo', { text: 'carl' }))).toBe('carl')
  await hub.api('DELETE', '/api/access/keys/carl')
  const another = await createPerson('carl')
  expect((await another.call('tracker__echo', { text: 'x' })).message?.error?.message).toContain('of yours')

  expect((await ann!.api('DELETE', path)).status).toBe(204)
  expect((await ann!.call('tracker__echo', { text: 'x' })).message?.error?.message).toContain('of yours')
  expect(textOf(await bob!.call('tracker__echo', { text: 'still' }))).toBe('still')
})

test.each([
  [{ headers: { 'X-Other': 'x' } }, `does not mark 'X-Other'`],
  [{ headers: { 'X-Api-Key': 'a\r\nX-Evil: 1' } }, 'holds a sign that cannot be sent'],
  [{ env: { PATH: '/evil' } }, `does not mark 'PATH'`],
  [{ header: {} }, 'not known'],
])('what cannot be stored is refused: %j', async (body, text) => {
  const { status, body: answer } = await bob!.api('PUT', '/api/connectors/tracker/credentials', body)
  expect(status).toBe(422)
  expect(JSON.stringify(answer)).toContain(text)
})

test('each principal has a process of its own with its own variables', async () => {
  const env = [{ name: 'MY_TOKEN', personal: true }]
  await hub.add(
    stdioConnector('every', [serverProgram('everything'), 'stdio'], { env, options: { credentials: 'personal' } }),
  )
  for (const who of [ann!, bob!])
    await who.api('PUT', '/api/connectors/every/credentials', { env: { MY_TOKEN: `${who.id}-value` } })
  await isThere('every__get-env')
  const [forAnn, forBob] = (await Promise.all([ann!, bob!].map((who) => who.call('every__get-env')))).map(textOf)
  expect(forAnn).toContain('key:ann-value')
  expect(forAnn).not.toContain('key:bob-value')
  expect(forBob).toContain('key:bob-value')
  const mine = await new WireClient(hub.endpoint).requestModern('tools/call', { name: 'every__get-env' })
  expect(mine.message?.error?.message).toContain('herma credentials set every')
})

test('each principal signs in by itself, keys through an admin, and calls with its own token', async () => {
  await using oauth = await startOAuthServer()
  await using server = await startProtectedServer(oauth, 'modern')
  const options = { credentials: 'personal' as const }
  await hub.add({ name: 'vault', transport: 'stream', baseUrl: server.url, options })
  const signIn = async (principal?: string) => {
    const body = principal === undefined ? undefined : { principal }
    const step = (await hub.api('POST', '/api/connectors/vault/sign-in', body)).body as SignInStep
    const page = await fetch(step.url!, { redirect: 'manual' })
    expect((await fetch(page.headers.get('location')!)).status).toBe(200)
  }
  expect((await hub.api('POST', '/api/connectors/vault/sign-in', { principal: 'user:ann' })).status).toBe(422)
  expect((await bob!.api('POST', '/api/connectors/vault/sign-in', { principal: 'key:ann' })).status).toBe(403)
  await signIn(ann!.id)
  await isThere('vault__echo')
  expect(textOf(await ann!.call('vault__echo', { text: 'mine' }))).toBe('mine')
  expect((await bob!.call('vault__echo', { text: 'x' })).message?.error?.message).toContain('herma login vault')
  const tokensOfAnn = new Set(server.shown)
  await signIn(bob!.id)
  server.shown.length = 0
  expect(textOf(await bob!.call('vault__echo', { text: 'mine too' }))).toBe('mine too')
  expect(server.shown.filter((token) => tokensOfAnn.has(token))).toEqual([])
  const view = (await hub.api('GET', '/api/connectors/vault/credentials?principal=key:bob')).body as CredentialsView
  expect(view).toMatchObject({ principal: 'key:bob', signIn: { state: 'signed-in' } })
  await hub.api('DELETE', '/api/connectors/vault/credentials/principals/key:ann')
  expect((await ann!.call('vault__echo', { text: 'x' })).message?.error?.message).toContain('herma login vault')
  expect(textOf(await bob!.call('vault__echo', { text: 'on' }))).toBe('on')
  await hub.api('DELETE', '/api/connectors/vault')
})
