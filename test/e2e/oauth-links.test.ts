import type { ConnectorView, NewApiKey, SignInStep } from '@herma/contract'
import * as modern from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startOAuthServer, type OAuthServer } from '../fixtures/start-oauth-server.ts'
import { startProtectedServer, type ProtectedServer } from '../fixtures/start-protected-server.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'
import { WireClient, type WireMessage } from './wire-client.ts'

let oauth: OAuthServer
let server: ProtectedServer
let hub: TestHub

beforeAll(async () => {
  oauth = await startOAuthServer()
  server = await startProtectedServer(oauth, 'modern')
  const options = { prefix: '' }
  hub = await startTestHub({ connectors: [{ name: 'vault', transport: 'stream', baseUrl: server.url, options }] })
  await hub.api('POST', '/api/servers', { name: 'search', mode: 'search' })
  // Its tools have to be known before anybody calls one.
  const { body } = await hub.api('POST', '/api/connectors/vault/sign-in')
  await finish((body as SignInStep).url!)
  await waitFor(async () => {
    const { counts } = (await hub.api('GET', '/api/connectors/vault')).body as ConnectorView
    return counts.tools > 0 || undefined
  })
})

afterAll(async () => {
  await hub?.stop()
  await server?.[Symbol.asyncDispose]()
  await oauth?.[Symbol.asyncDispose]()
})

beforeEach(async () => {
  await hub.api('POST', '/api/connectors/vault/sign-out')
})

const echo = { name: 'echo', arguments: { text: 'hi' } }
const echoed = { content: [{ type: 'text', text: 'hi' }] }
const canShow = { elicitation: { url: {} } }

/** What a browser does that is sent to the authorization server. */
async function finish(page: string, headers: Record<string, string> = {}): Promise<Response> {
  const sent = await fetch(page, { redirect: 'manual' })
  return fetch(sent.headers.get('location')!, { headers })
}

/** What a browser does with the link that a client shows. */
async function follow(link: string): Promise<void> {
  const page = await fetch(link, { redirect: 'manual' })
  expect(page.status, await page.text()).toBe(302)
  expect((await finish(page.headers.get('location')!)).status).toBe(200)
}

/** A legacy client that sees every message, and what it can do. */
async function connectLegacy(revision: string, capabilities: object): Promise<WireClient> {
  const clientInfo = { name: 'wire', version: '1.0.0' }
  const params = { protocolVersion: revision, capabilities, clientInfo }
  const { headers } = await new WireClient(hub.endpoint).request('initialize', params)
  const own = { 'mcp-session-id': headers.get('mcp-session-id')!, 'mcp-protocol-version': revision }
  const client = new WireClient(hub.endpoint, own)
  await client.notify('notifications/initialized')
  return client
}

interface Elicitation {
  readonly mode: string
  readonly url: string
  readonly elicitationId: string
}

function elicitationIn(message: WireMessage | null): Elicitation {
  const error = message?.error as { code: number; data: { elicitations: Elicitation[] } } | undefined
  expect(error?.code, JSON.stringify(message)).toBe(-32042)
  expect(error!.data.elicitations).toHaveLength(1)
  return error!.data.elicitations[0]!
}

test('a legacy client gets a link, hears when it is done, and its next call goes through', async () => {
  const client = await connectLegacy('2025-11-25', canShow)
  const { mode, url, elicitationId } = elicitationIn((await client.request('tools/call', echo)).message)
  expect(mode).toBe('url')
  expect(url.startsWith(`${hub.url}/api/sign-in/`)).toBe(true)
  // All who ask before it is opened get the same one.
  expect(elicitationIn((await client.request('tools/call', echo)).message).url).toBe(url)
  const stream = await client.listen()
  await follow(url)
  // That lists have changed may be told before.
  let heard = (await stream.next())!.message
  while (heard.method !== 'notifications/elicitation/complete') heard = (await stream.next())!.message
  expect(heard.params).toMatchObject({ elicitationId })
  stream.cut()
  expect((await client.request('tools/call', echo)).message?.result).toMatchObject(echoed)
  expect((await fetch(url, { redirect: 'manual' })).status).toBe(400)
})

test.each([
  ['cannot show links', '2025-11-25', { elicitation: { form: {} } }],
  ['speaks a revision without links', '2025-06-18', canShow],
])('a client that %s is told what to do in words', async (_, revision, capabilities) => {
  const client = await connectLegacy(revision, capabilities)
  const { message } = await client.request('tools/call', echo)
  expect(message?.error).toMatchObject({ code: -32603, message: expect.stringContaining('herma login vault') })
})

async function connectModern(answer: (url: string) => 'accept' | 'decline', path = '/mcp'): Promise<modern.Client> {
  const info = { name: 'test', version: '1.0.0' }
  const client = new modern.Client(info, { versionNegotiation: { mode: 'auto' }, capabilities: canShow })
  client.setRequestHandler('elicitation/create', ({ params }) => ({ action: answer((params as { url: string }).url) }))
  await client.connect(new modern.StreamableHTTPClientTransport(new URL(path, hub.url)))
  return client
}

test('a modern client is asked once, and its retry waits for the person at the page', async () => {
  const shown: string[] = []
  const client = await connectModern((url) => {
    shown.push(url)
    setTimeout(() => void follow(url), 300)
    return 'accept'
  })
  expect(await client.callTool(echo)).toMatchObject(echoed)
  expect(shown).toHaveLength(1)
  await client.close()
})

test('a person who declines is not asked for ever', async () => {
  let count = 0
  const client = await connectModern(() => {
    count++
    return 'decline'
  })
  await expect(client.callTool(echo)).rejects.toThrow('did not want to open the page')
  expect(count).toBe(1)
  await client.close()
})

test('a call inside of another one asks its client, and goes on afterwards', async () => {
  const shown: string[] = []
  const client = await connectModern((url) => {
    shown.push(url)
    setTimeout(() => void follow(url), 100)
    return 'accept'
  }, '/api/mcp/servers/search/stream')
  expect(await client.callTool({ name: 'call_tool', arguments: echo })).toMatchObject(echoed)
  expect(shown).toHaveLength(1)
  await client.close()
})

test('nobody else opens the link or finishes the sign-in', async () => {
  const made = await hub.api('POST', '/api/access/keys', { name: 'eve', scopes: ['mcp', 'admin'], role: 'admin' })
  const eve = { authorization: `Bearer ${(made.body as NewApiKey).key}` }
  const stranger = { 'x-forwarded-for': '203.0.113.9' }
  const client = await connectLegacy('2025-11-25', canShow)
  const { url } = elicitationIn((await client.request('tools/call', echo)).message)
  for (const headers of [eve, stranger]) {
    const page = await fetch(url, { redirect: 'manual', headers })
    expect(page.status).toBe(403)
    expect(await page.text()).toContain('made for somebody else')
  }
  const page = await fetch(url, { redirect: 'manual' })
  expect(page.status).toBe(302)
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  const back = (await fetch(page.headers.get('location')!, { redirect: 'manual' })).headers.get('location')!
  for (const headers of [eve, stranger]) {
    const refused = await fetch(back, { headers })
    expect(refused.status).toBe(403)
    expect(await refused.text()).toContain('begun by somebody else')
  }
  expect(oauth.journal.at(-1)).toMatch(/^authorize/)
  expect((await fetch(back)).status).toBe(200)
  expect((await client.request('tools/call', echo)).message?.result).toMatchObject(echoed)
})

test('a key is no person: it gets no link, and cannot begin what needs a browser', async () => {
  const made = await hub.api('POST', '/api/access/keys', { name: 'robot', scopes: ['mcp', 'admin'], role: 'admin' })
  const headers = { authorization: `Bearer ${(made.body as NewApiKey).key}` }
  const options = { versionNegotiation: { mode: 'auto' as const }, capabilities: canShow }
  const client = new modern.Client({ name: 'test', version: '1.0.0' }, options)
  await client.connect(new modern.StreamableHTTPClientTransport(hub.endpoint, { requestInit: { headers } }))
  await expect(client.callTool(echo)).rejects.toThrow('herma login vault')
  await client.close()
  const begun = await fetch(`${hub.url}/api/connectors/vault/sign-in`, { method: 'POST', headers })
  expect(begun.status).toBe(403)
  expect(await begun.text()).toContain('is no person')
})
