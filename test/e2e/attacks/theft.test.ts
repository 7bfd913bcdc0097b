import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OperatorLink } from '@herma/contract'
import { modernStdioConnector } from '../../fixtures/modern-stdio-connector.ts'
import { modernMeta, RawClient, type Answer } from '../../fixtures/misbehaving/raw-client.ts'
import { cookiesOf, signIn, startAttackHub, type AttackHub, type Credential } from './start-attack-hub.ts'
import { vaultConnector } from './vault-connector.ts'

let hub: AttackHub
let owner: Credential
let thief: Credential
let client: RawClient

beforeAll(async () => {
  hub = await startAttackHub({ connectors: [vaultConnector('vault')] })
  owner = await hub.key({ name: 'owner', role: 'admin', scopes: ['mcp', 'admin'] })
  thief = await hub.key({ name: 'thief', role: 'admin', scopes: ['mcp', 'admin'] })
  client = new RawClient(hub.endpoint)
})
afterAll(() => hub.stop())

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'x', version: '1' } },
}
const call = (name: string) => ({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: {} } })

async function connect(who: Credential, endpoint = client): Promise<{ 'mcp-session-id': string }> {
  const { headers } = await endpoint.send(hello, { ...who })
  return { 'mcp-session-id': String(headers['mcp-session-id']) }
}

describe('the id of a connection', () => {
  test('is of no use to anybody else, whatever they do with it', async () => {
    const connection = await connect(owner)
    const local = new RawClient(hub.endpoint)
    for (const who of [{ ...thief }, {}, { ...hub.operator }]) {
      expect((await local.send(call('vault__look'), { ...connection, ...who })).status).toBe(404)
      expect((await local.send([call('vault__look')], { ...connection, ...who })).status).toBe(404)
      const listen = { ...connection, ...who, accept: 'text/event-stream' }
      expect((await hub.ask('/mcp', { headers: listen })).status).toBe(404)
      expect((await hub.ask('/mcp', { headers: { ...listen, 'last-event-id': '0-0' } })).status).toBe(404)
      expect((await hub.ask('/mcp', { method: 'DELETE', headers: { ...connection, ...who } })).status).toBe(404)
    }
    expect((await client.send(call('vault__look'), { ...connection, ...owner })).status).toBe(200)
  })

  test('is never chosen by the client', async () => {
    const { headers } = await client.send(hello, { ...owner, 'mcp-session-id': 'chosen-by-the-attacker' })
    expect(headers['mcp-session-id']).not.toBe('chosen-by-the-attacker')
    const { status } = await client.send(call('vault__look'), { ...owner, 'mcp-session-id': 'chosen-by-the-attacker' })
    expect(status).toBe(404)
  })

  test('is for one server', async () => {
    const connection = await connect(owner)
    await hub.api('POST', '/api/servers', { name: 'work' })
    const { status } = await new RawClient(`${hub.url}/api/mcp/servers/work/stream`).send(call('vault__look'), {
      ...connection,
      ...owner,
    })
    expect(status).toBe(404)
  })

  test('at the hub as an MCP server is bound like any other', async () => {
    const management = new RawClient(`${hub.url}/api/mcp/servers/herma/stream`)
    const connection = await connect(owner, management)
    const list = { jsonrpc: '2.0', id: 3, method: 'tools/list' }
    expect((await management.send(list, { ...connection, ...thief })).status).toBe(404)
    expect((await management.send(list, { ...connection, ...owner })).status).toBe(200)
  })

  test('of HTTP+SSE is bound too', async () => {
    await hub.api('PATCH', '/api/servers/facade', { sse: true })
    const cut = new AbortController()
    const stream = await fetch(`${hub.url}/sse`, { headers: { ...owner }, signal: cut.signal })
    const { value } = await stream.body!.getReader().read()
    const path = /data: (\S+)/.exec(Buffer.from(value ?? []).toString())![1]!
    const post = (who: object) => hub.ask(path, { method: 'POST', headers: { ...who }, body: hello })
    expect((await post(thief)).status).toBe(404)
    expect((await post({})).status).toBe(404)
    expect((await post(owner)).status).toBe(202)
    cut.abort()
  })
})

describe('a question', () => {
  const meta = { ...modernMeta, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }
  const answers = { 'question-1': { action: 'accept', content: { pin: '0000' } } }
  const ask = (params: object, who: Credential, name = 'vault__ask') =>
    client.modern('tools/call', { name, arguments: {}, _meta: meta, ...params }, { ...who })
  const stateOf = ({ message }: Answer) => String(message.result?.['requestState'])

  test('is answered by nobody but the one who was asked', async () => {
    const requestState = stateOf(await ask({}, owner))
    const stolen = await ask({ requestState, inputResponses: answers }, thief)
    expect(stolen.message.error?.message).toContain('belongs to another request')
    const other = await ask({ requestState, inputResponses: answers }, owner, 'vault__open')
    expect(other.message.error?.message).toContain('belongs to another request')
    const answered = await ask({ requestState, inputResponses: answers }, owner)
    expect(answered.message.result?.content?.[0]?.text).toBe('vault heard {"pin":"0000"}')
  })

  test('is answered once', async () => {
    const requestState = stateOf(await ask({}, owner))
    await ask({ requestState, inputResponses: answers }, owner)
    expect((await ask({ requestState, inputResponses: answers }, owner)).message.error).toBeDefined()
  })

  test('is not answered with the state of the one before it', async () => {
    const twice = { arguments: { times: 2 } }
    const first = stateOf(await ask(twice, owner))
    const second = stateOf(await ask({ ...twice, requestState: first, inputResponses: answers }, owner))
    const next = { 'question-2': { action: 'accept', content: { pin: '1111' } } }
    const replayed = await ask({ ...twice, requestState: first, inputResponses: next }, owner)
    expect(replayed.message.error?.message).toContain('used already')
    const { message } = await ask({ ...twice, requestState: second, inputResponses: next }, owner)
    expect(message.result?.content?.[0]?.text).toBe('vault heard {"pin":"1111"}')
  })

  test('of a modern server is no way around the limit of calls', async () => {
    await hub.add(modernStdioConnector('modern'))
    const limited = await hub.key({ name: 'limited', limits: { callsPerMinute: 60, concurrency: null } })
    const requestState = stateOf(await ask({}, limited, 'modern__ask'))
    const statuses: number[] = []
    while (statuses.length < 200 && statuses.at(-1) !== 429)
      statuses.push((await ask({ requestState, inputResponses: {} }, limited, 'modern__ask')).status)
    expect(statuses[0]).toBe(200)
    expect(statuses.at(-1)).toBe(429)
  })

  test('cannot be made up or changed', async () => {
    const requestState = stateOf(await ask({}, owner))
    const middle = Math.floor(requestState.length / 2)
    const other = requestState[middle] === 'A' ? 'B' : 'A'
    for (const forged of [
      requestState.slice(0, middle) + other + requestState.slice(middle + 1),
      requestState.slice(0, -4),
      Buffer.from('{"kind":"through","connectorId":"x","inner":null}').toString('base64url'),
      '',
      'x'.repeat(100_000),
    ]) {
      const { message } = await ask({ requestState: forged, inputResponses: answers }, owner)
      expect(message.error?.message).toContain('requestState was changed')
    }
    await ask({ requestState, inputResponses: answers }, owner)
  })

  test('of a legacy client is not answered by another one', async () => {
    const [asked, other] = [await connect(owner), await connect(thief)]
    const answered = client.send(call('vault__ask'), { ...asked, ...owner })
    for (let id = 0; id < 20; id++) {
      const answer = { jsonrpc: '2.0', id, result: { action: 'accept', content: { pin: 'stolen' } } }
      await client.send(answer, { ...other, ...thief })
    }
    await hub.ask('/mcp', { method: 'DELETE', headers: { ...asked, ...owner } })
    expect((await answered.catch(() => ({ text: '' }))).text).not.toContain('stolen')
  })
})

describe('a link of the operator', () => {
  test('opens one browser, once, and nothing when it is changed', async () => {
    const { url } = (await hub.api('POST', '/api/access/link')).body as OperatorLink
    const path = url.slice(hub.url.length)
    expect((await hub.ask(`${path}x`)).status).toBe(403)
    expect((await hub.ask('/open?ticket=')).status).toBe(403)
    expect((await hub.ask('/open')).status).toBe(403)
    // Previews of links and scanners of mail ask with HEAD, and must not use it up.
    expect((await hub.ask(path, { method: 'HEAD' })).status).toBe(405)
    expect((await hub.ask(path)).status).toBe(200)
    expect((await hub.ask(path)).status).toBe(403)
  })

  test('leaves neither the ticket nor the token where others look', async () => {
    const { url } = (await hub.api('POST', '/api/access/link')).body as OperatorLink
    const { headers } = await hub.ask(url.slice(hub.url.length))
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(headers['cache-control']).toBe('no-store')
    const ticket = new URL(url).searchParams.get('ticket')!
    const { body } = await hub.api('GET', '/api/events?limit=1000')
    for (const text of [hub.log.join(''), JSON.stringify(body)]) {
      expect(text).not.toContain(ticket)
      expect(text).not.toContain(hub.operator.authorization.slice(7))
    }
  })
})

describe('a cookie', () => {
  test.each([
    ['made up', () => 'herma_operator=operator'],
    ['with a digest of nothing', () => `herma_operator=${Buffer.from('x'.repeat(40)).toString('base64url')}`],
    ['that is a sealed state of a question', async () => `herma_operator=${await sealedState()}`],
    ['twice, one of them empty', () => 'herma_operator=; herma_operator='],
  ])('%s is none of the operator', async (_, make) => {
    expect((await hub.ask('/api/status', { headers: { cookie: await make(), 'herma-proof': 'x' } })).status).toBe(401)
  })

  test('of a user is a new one with each sign-in, and dead after signing out', async () => {
    const browser = await hub.user('ann', 'viewer')
    const before = cookiesOf(browser)
    expect((await hub.ask('/api/access/me', { headers: before })).status).toBe(200)
    await browser.open('/auth/account')
    await browser.submit({}, { button: 'action=sign-out' })
    expect((await hub.ask('/api/access/me', { headers: before })).status).toBe(401)
    await signIn(browser, 'ann')
    expect(cookiesOf(browser)).not.toEqual(before)
  })

  test('that an attacker planted does not become the one of the victim', async () => {
    const planted = await hub.user('mallory', 'viewer')
    const victim = await hub.user('victim', 'viewer')
    for (const [name, value] of planted.cookies) victim.cookies.set(name, value)
    await signIn(victim, 'victim')
    const { text } = await hub.ask('/api/access/me', { headers: cookiesOf(planted) })
    expect(JSON.parse(text)).toMatchObject({ id: 'user:mallory' })
    const { text: own } = await hub.ask('/api/access/me', { headers: cookiesOf(victim) })
    expect(JSON.parse(own)).toMatchObject({ id: 'user:victim' })
  })

  test('opens no MCP server, whoever it is of', async () => {
    const headers = { ...cookiesOf(await hub.user('bea', 'owner')), 'x-forwarded-for': '1.2.3.4' }
    for (const path of ['/mcp', '/api/mcp/servers/facade/rpc'])
      expect((await hub.ask(path, { method: 'POST', headers, body: hello })).status).toBe(401)
  })

  async function sealedState(): Promise<string> {
    const meta = { ...modernMeta, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }
    const params = { name: 'vault__ask', arguments: {}, _meta: meta }
    return String((await client.modern('tools/call', params, { ...owner })).message.result?.['requestState'])
  }
})
