import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiKeyInput, GrantView, NewApiKey, Role, UserView } from '@herma/contract'
import { TestBrowser } from '../../../packages/hub/src/access/authority/testing/test-browser.ts'
import { vaultConnector } from './vault-connector.ts'
import { RawClient } from '../../fixtures/misbehaving/raw-client.ts'
import { cookiesOf, password, startAttackHub, type AttackHub, type Credential } from './start-attack-hub.ts'

let hub: AttackHub
const browsers = new Map<Role, TestBrowser>()

interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
}
let operations: Operation[]

beforeAll(async () => {
  hub = await startAttackHub({ connectors: [vaultConnector('vault'), vaultConnector('other')] })
  await hub.api('POST', '/api/servers', { name: 'work' })
  for (const role of ['owner', 'admin', 'member', 'viewer'] as const) browsers.set(role, await hub.user(role, role))
  const { paths } = (await hub.api('GET', '/api/openapi.json')).body as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, 'x'),
    })),
  )
})
afterAll(() => hub.stop())

/** Statuses of operations for somebody, by the name of the operation; what is not named answered with `usual`. */
async function walk(
  headers: Record<string, string>,
  usual: number,
  chosen = operations,
): Promise<Record<string, number>> {
  const odd: Record<string, number> = {}
  for (const { id, method, path } of chosen) {
    const body = method === 'GET' ? undefined : {}
    const { status } = await hub.ask(path, { method, headers, ...(body && { body }) })
    if (status !== usual) odd[id] = status
  }
  return odd
}

const isChange = ({ method }: Operation) => method !== 'GET'
/**
 * Whoever has the link in their browser came back from another site, and has nothing else to show. A check of the public
 * URL asks with a number that nobody else knows, and learns only that it arrived.
 */
const publicPages = { followSignInLink: 400, finishSignIn: 400, answerReach: 404 }

describe('at the management API', () => {
  test('nobody gets anything without showing who they are, not even on this machine', async () => {
    expect(operations.length).toBeGreaterThan(70)
    expect(await walk({}, 401)).toEqual(publicPages)
  })

  test.each([[['mcp']], [['mcp:read']], [['mcp', 'mcp:read']]] as const)(
    'a key for servers (%o) learns who it is, and nothing else, whatever its role',
    async (scopes) => {
      for (const role of ['viewer', 'owner'] as const) {
        const key = await hub.key({ name: `${role}-${scopes.join('.').replace(':', '')}`, role, scopes: [...scopes] })
        expect(await walk({ ...key }, 403)).toEqual({ ...publicPages, whoAmI: 200 })
      }
    },
  )

  test('a viewer changes nothing but takes back what it allowed itself', async () => {
    const changes = operations.filter(isChange)
    expect(await walk(cookiesOf(browsers.get('viewer')!), 403, changes)).toEqual({ revokeGrant: 404 })
    const key = await hub.key({ name: 'viewer', role: 'viewer', scopes: ['admin', 'mcp'] })
    expect(await walk({ ...key }, 403, changes)).toEqual({ revokeGrant: 404 })
  })

  test('a member changes what is its own only', async () => {
    const own = { addKey: 422, revokeKey: 404, revokeGrant: 404 }
    const credentials = {
      signInToConnector: 404,
      signOutOfConnector: 404,
      setOwnCredentials: 404,
      removeOwnCredentials: 404,
    }
    const threads = {
      addThread: 404,
      renameThread: 404,
      removeThread: 404,
      sayInThread: 422,
      cancelTurn: 404,
      answerApproval: 422,
    }
    expect(await walk(cookiesOf(browsers.get('member')!), 403, operations.filter(isChange))).toEqual({
      ...own,
      ...credentials,
      ...threads,
    })
  })

  test('neither reads what others said to their tools, nor who has accounts where', async () => {
    for (const role of ['viewer', 'member'] as const) {
      const secretive = operations.filter(
        ({ path, id }) => /\/(events|audit|traces)\b/.test(path) || /Holders/.test(id),
      )
      const open = ['getTraceStats', 'getTraceSettings', 'listCaptures', 'changeTraceSettings', 'changeCapture']
      // The events of a thread are those of whoever began it.
      const closed = secretive.filter(({ id }) => ![...open, 'followThread'].includes(id))
      expect(closed.length).toBeGreaterThan(7)
      expect(await walk(cookiesOf(browsers.get(role)!), 403, closed)).toEqual({})
    }
  })

  test('nobody gives more than they have', async () => {
    const add = (role: Role, path: string, body: unknown) =>
      hub.ask(path, { method: 'POST', headers: cookiesOf(browsers.get(role)!), body }).then(({ status }) => status)
    expect(await add('member', '/api/access/keys', { name: 'up', role: 'admin', scopes: ['admin'] })).toBe(403)
    expect(await add('admin', '/api/access/keys', { name: 'up', role: 'owner', scopes: ['admin'] })).toBe(403)
    expect(await add('admin', '/api/access/users', { name: 'up', role: 'owner' })).toBe(403)
    expect(await add('admin', '/api/access/users/owner/reset', {})).toBe(403)
    expect(await add('admin', '/api/access/link', {})).toBe(403)
    const promote = { method: 'PATCH', headers: cookiesOf(browsers.get('admin')!), body: { role: 'owner' } }
    expect((await hub.ask('/api/access/users/admin', promote)).status).toBe(403)
    expect((await hub.api('GET', '/api/access/users/admin')).body as UserView).toMatchObject({ role: 'admin' })
  })

  test('a key that is narrowed makes no key that is less so', async () => {
    const narrow = await hub.key({ name: 'narrow', scopes: ['admin', 'mcp:read'], servers: ['work'] })
    const make = (input: ApiKeyInput) =>
      hub.ask('/api/access/keys', { method: 'POST', headers: { ...narrow }, body: input })
    expect((await make({ name: 'wider', scopes: ['mcp'], servers: null })).status).toBe(403)
    expect((await make({ name: 'wider', scopes: ['mcp'], servers: ['facade'] })).status).toBe(403)
    const same = await make({ name: 'same', scopes: ['mcp:read'], servers: ['work'] })
    expect(same.status).toBe(201)
    const { key } = JSON.parse(same.text) as NewApiKey
    const { status } = await hub.ask('/mcp/manifest.json', { headers: { authorization: `Bearer ${key}` } })
    expect(status).toBe(403)
  })
})

describe('the hub as an MCP server', () => {
  const path = '/api/mcp/servers/herma/stream'
  const call = (headers: Record<string, string>, name: string, args: object = {}) =>
    new RawClient(hub.url + path).callTool(name, { ...args }, headers)

  test.each(['member', 'viewer'] as const)('runs no command for a %s, whatever its key says', async (role) => {
    const key = await hub.key({ name: `manage-${role}`, role, scopes: ['admin', 'mcp'] })
    const connector = { name: `by-${role}`, transport: 'stdio', cmd: process.execPath, args: ['-e', '0'] }
    for (const [tool, args] of [
      ['add_connector', connector],
      ['switch_connector', { name: 'vault', enabled: false }],
      ['remove_connector', { name: 'vault' }],
      ['test_connector', { name: 'vault' }],
    ] as const) {
      const { status } = await call({ ...key }, tool, args)
      expect([tool, status]).toEqual([tool, 403])
    }
    const { body } = await hub.api('GET', '/api/connectors')
    expect(JSON.stringify(body)).not.toContain(`by-${role}`)
  })

  test('nor for who has a token of a member with the scope admin', async () => {
    const client = await hub.client()
    const resource = hub.url + path
    const tokens = await client
      .signIn(new TestBrowser(hub.url), 'member', password, { resource, scope: 'admin mcp' })
      .catch(() => null)
    if (tokens === null) return
    const connector = { name: 'by-token', transport: 'stdio', cmd: process.execPath, args: ['-e', '0'] }
    const { status } = await call({ authorization: `Bearer ${tokens.access_token}` }, 'add_connector', connector)
    expect([401, 403]).toContain(status)
  })

  test('serves an admin', async () => {
    const key = await hub.key({ name: 'manage-admin', role: 'admin', scopes: ['admin'] })
    expect((await call({ ...key }, 'get_status')).status).toBe(200)
  })
})

describe('at a served server', () => {
  let reader: Credential
  let viewer: Credential
  beforeAll(async () => {
    reader = await hub.key({ name: 'reader', scopes: ['mcp:read'] })
    viewer = await hub.key({ name: 'viewing', role: 'viewer' })
  })
  const client = () => new RawClient(hub.endpoint)
  const rpcPath = '/api/mcp/servers/facade/rpc'

  test('who may only read calls no tool that does more, in either era, alone or in a batch', async () => {
    for (const key of [reader, viewer]) {
      const { message } = await client().callTool('vault__look', {}, { ...key })
      expect(message.result?.content?.[0]?.text).toBe('looked')
      expect((await client().callTool('vault__open', {}, { ...key })).status).toBe(403)
      const connection = await connect(key, '2025-03-26')
      const legacy = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'vault__open' } }
      expect((await client().send(legacy, connection)).message.error).toBeDefined()
      expect((await client().send([legacy], connection)).text).not.toContain('opened')
      const rpc = { method: 'POST', headers: { ...key } }
      expect((await hub.ask(rpcPath, { ...rpc, body: legacy })).status).toBe(403)
      expect((await hub.ask(rpcPath, { ...rpc, body: [legacy] })).text).not.toContain('opened')
      for (const method of ['vendor/anything', 'tasks/cancel', 'sampling/createMessage'])
        expect((await client().modern(method, { taskId: '1' }, { ...key, 'mcp-name': '1' })).status).toBe(403)
    }
  })

  test('a key for one server is a key for no other, on none of its paths', async () => {
    const key = await hub.key({ name: 'elsewhere', servers: ['work'] })
    for (const path of [
      '/mcp',
      '/sse',
      '/messages?sessionId=1',
      '/mcp/manifest.json',
      '/api/mcp/servers/facade/stream',
      rpcPath,
    ])
      expect([path, (await hub.ask(path, { headers: { ...key } })).status]).toEqual([path, 403])
    expect((await client().callTool('vault__look', {}, { ...key })).status).toBe(403)
  })

  test('a rule about a connector holds for every way to it', async () => {
    const rule = { effect: 'deny', when: "connector == 'vault' && principal.id == 'key:ruled'" }
    expect((await hub.api('POST', '/api/access/rules', rule)).status).toBe(201)
    const key = await hub.key({ name: 'ruled' })
    expect((await client().callTool('vault__look', {}, { ...key })).status).toBe(403)
    expect((await client().callTool('other__look', {}, { ...key })).status).toBe(200)
    await hub.api('POST', '/api/servers', { name: 'hosting', connector: 'vault' })
    const look = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'look' } }
    for (const server of ['facade', 'hosting']) {
      const body = server === 'facade' ? { ...look, params: { name: 'vault__look' } } : look
      const path = `/api/mcp/servers/${server}/rpc`
      expect((await hub.ask(path, { method: 'POST', headers: { ...key }, body })).status).toBe(403)
    }
    // The other connector is asked first and does not have it.
    for (const uri of ['vault://gold', 'vault://hidden/gold']) {
      const { text } = await client().modern('resources/read', { uri }, { ...key })
      expect(text).not.toContain('gold in vault')
    }
    const completion = { ref: { type: 'ref/prompt', name: 'vault__greet' }, argument: { name: 'a', value: '' } }
    expect((await client().modern('completion/complete', completion, { ...key })).text).not.toContain(
      'completed by vault',
    )
    const connection = await connect(key, '2025-11-25')
    const subscribe = { jsonrpc: '2.0', id: 9, method: 'resources/subscribe', params: { uri: 'vault://gold' } }
    expect((await client().send(subscribe, connection)).message.error).toBeDefined()
    expect((await client().modern('vendor/secret', {}, { ...key })).text).not.toContain('secret of vault')
  })

  async function connect(key: Credential, revision: string): Promise<Record<string, string>> {
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'attacker', version: '1' } }
    const { headers } = await client().send({ jsonrpc: '2.0', id: 1, method: 'initialize', params }, { ...key })
    return { ...key, 'mcp-session-id': String(headers['mcp-session-id']) }
  }
})

describe("what is somebody else's", () => {
  test('is neither seen nor taken back: grants', async () => {
    const client = await hub.client()
    const owner = browsers.get('owner')!
    await client.signIn(owner, 'owner', password)
    const asMember = cookiesOf(browsers.get('member')!)
    expect((await hub.ask('/api/access/grants', { headers: asMember })).text).not.toContain('"user":"owner"')
    const { grants } = (await hub.api('GET', '/api/access/grants')).body as { grants: GrantView[] }
    const { id } = grants.find(({ user }) => user === 'owner')!
    const { status } = await hub.ask(`/api/access/grants/${id}`, { method: 'DELETE', headers: asMember })
    expect(status).toBe(404)
  })

  test('is neither seen nor changed: credentials', async () => {
    const headers = cookiesOf(browsers.get('member')!)
    const path = '/api/connectors/vault/credentials'
    expect((await hub.ask(`${path}?principal=user:owner`, { headers })).status).toBe(403)
    expect((await hub.ask(`${path}/principals`, { headers })).status).toBe(403)
    expect((await hub.ask(`${path}/principals/user:owner`, { method: 'DELETE', headers })).status).toBe(403)
    const signIn = { method: 'POST', headers, body: { principal: 'key:reader' } }
    expect((await hub.ask('/api/connectors/vault/sign-in', signIn)).status).toBe(403)
  })
})
