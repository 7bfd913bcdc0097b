import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { AccessSettingsPatch } from '@herma/contract'
import { captureTerminal } from '../../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../../packages/hub/src/cli/run-cli.ts'
import { createTemporaryHome } from '../../../packages/hub/src/platform/testing/temporary-home.ts'
import { createScratch, scriptedConnector, type Scratch } from '../../fixtures/scripted-connector.ts'
import { RawClient, type Answer } from '../../fixtures/misbehaving/raw-client.ts'
import { waitFor } from '../start-test-hub.ts'
import { startAttackHub, type AttackHub } from './start-attack-hub.ts'

// One machine somewhere that opens without end whatever it can open, so that nothing is left for others.

/** An address of this machine that is not loopback: what another machine would come from. */
const far = Object.values(networkInterfaces())
  .flat()
  .find((each) => each !== undefined && !each.internal && each.family === 'IPv4')?.address

type Limits = NonNullable<AccessSettingsPatch['perAddress']>

const generous: Limits = { sockets: null, connections: null, opensPerMinute: null }
const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'far', version: '1' } },
}

const limit = (hub: AttackHub, some: Partial<Limits>) =>
  hub.api('PATCH', '/api/access/settings', { perAddress: { ...generous, ...some } })

async function refusals(hub: AttackHub, kind: string): Promise<number> {
  const { text } = await hub.ask('/metrics')
  return Number(new RegExp(`^herma_address_limit_refusals_total\\{limit="${kind}"\\} (\\d+)$`, 'm').exec(text)?.[1])
}

function expectRefused(answer: Answer, text: string, name: string): void {
  expect(answer.status, answer.text).toBe(429)
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  expect(answer.text).toContain(text)
  expect(answer.text).toContain(`herma access --per-address ${name}=N`)
}

describe('behind a proxy on this machine, one address', () => {
  let scratch: Scratch
  let hub: AttackHub
  const keys: string[] = []
  const streams: AbortController[] = []

  beforeAll(async () => {
    scratch = await createScratch()
    hub = await startAttackHub({ connectors: [scriptedConnector('scripted', scratch.file('journal'))] })
    await hub.api('PATCH', '/api/servers/facade', { sse: true })
    for (const name of ['a', 'b', 'c', 'd']) keys.push((await hub.key({ name })).authorization)
  })
  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.abort()
    await limit(hub, {})
  })
  afterAll(async () => {
    await hub.stop()
    await scratch[Symbol.asyncDispose]()
  })

  /** Somebody whom the proxy has seen at this address. */
  const client = (address: string, key = keys[0]) =>
    new RawClient(hub.endpoint, { authorization: key, 'x-forwarded-for': address })
  const operator = () => new RawClient(hub.endpoint)

  async function listen(address: string, key = keys[0]!): Promise<number> {
    const stream = new AbortController()
    streams.push(stream)
    const headers = { authorization: key, 'x-forwarded-for': address, accept: 'text/event-stream' }
    const { status } = await fetch(new URL('/sse', hub.url), { headers, signal: stream.signal })
    return status
  }

  test('has the limits that the owner sets, one by one', async () => {
    await limit(hub, { sockets: 50, connections: 50 })
    const env = { HERMA_CONFIG_HOME: dirname(hub.stateHome), HERMA_STATE_HOME: hub.stateHome }
    const run = async (...limits: string[]) => {
      const { terminal, written } = captureTerminal({ env })
      return { code: await runCli(['access', '--per-address', ...limits], terminal), ...written }
    }
    const { code, out } = await run('connections=7', 'opens=none')
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('50 sockets, 7 connections, any number opened in a minute'),
    ])
    const { body } = await hub.api('GET', '/api/access/settings')
    expect(body).toMatchObject({ perAddress: { sockets: 50, connections: 7, opensPerMinute: null } })
    expect((await run('sockets=0')).code).not.toBe(0)
  })

  test('opens no more connections than it may, with however many keys', async () => {
    await limit(hub, { connections: 3 })
    const opened = []
    for (const key of keys.slice(0, 3)) opened.push(await client('203.0.113.1', key).send(hello))
    expect(opened.map(({ status }) => status)).toEqual([200, 200, 200])
    const text = 'Your address has 3 connections'
    expectRefused(await client('203.0.113.1', keys[3]).send(hello), text, 'connections')
    // What the client itself claims stands before what the proxy saw.
    expectRefused(await client('198.51.100.9, 203.0.113.1', keys[3]).send(hello), text, 'connections')
    expect(await refusals(hub, 'connections')).toBe(2)
    expect((await client('203.0.113.2', keys[3]).send(hello)).status).toBe(200)
    for (let count = 0; count < 6; count++) expect((await operator().send(hello)).status).toBe(200)

    const session = { 'mcp-session-id': String(opened[0]!.headers['mcp-session-id']) }
    expect((await client('203.0.113.1').send('', session, { method: 'DELETE' })).status).toBe(200)
    expect((await client('203.0.113.1').send(hello)).status).toBe(200)
  })

  test('opens no more of them by coming back to those that the hub has forgotten', async () => {
    const home = await createTemporaryHome()
    onTestFinished(() => home.remove())
    const common = { stateHome: join(home.path, 'state'), configHome: home.path }
    const tokens: string[] = []
    let key = ''
    {
      await using before = await startAttackHub(common)
      key = (await before.key({ name: 'back' })).authorization
      for (let count = 0; count < 3; count++) {
        const answer = await new RawClient(before.endpoint, { authorization: key }).send(hello)
        tokens.push(String(answer.headers['mcp-session-id']))
      }
    }
    await using after = await startAttackHub(common)
    await limit(after, { connections: 2 })
    const from = (address: string) =>
      new RawClient(after.endpoint, {
        authorization: key,
        'x-forwarded-for': address,
        'mcp-protocol-version': '2025-11-25',
      })
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const back = (address: string, token: string) => from(address).send(ping, { 'mcp-session-id': token })
    expect((await back('203.0.113.1', tokens[0]!)).status).toBe(200)
    expect((await back('203.0.113.1', tokens[1]!)).status).toBe(200)
    expectRefused(await back('203.0.113.1', tokens[2]!), 'Your address has 2 connections', 'connections')
    expect((await back('203.0.113.2', tokens[2]!)).status).toBe(200)
  })

  test('opens connections no faster than it may', async () => {
    await limit(hub, { opensPerMinute: 20 })
    const statuses: Answer[] = []
    for (const key of keys) statuses.push(await client('203.0.113.3', key).send(hello))
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429, 429])
    expectRefused(statuses[3]!, 'may open 20 connections a minute', 'opens')
    expect((await client('203.0.113.4').send(hello)).status).toBe(200)
    for (let count = 0; count < 6; count++) expect((await operator().send(hello)).status).toBe(200)
  })

  test('holds no more streams of HTTP+SSE than connections, though it never says who it is', async () => {
    await limit(hub, { connections: 2 })
    const statuses = []
    for (let count = 0; count < 3; count++) statuses.push(await listen('203.0.113.5', keys[count]))
    expect(statuses).toEqual([200, 200, 429])
    expect(await listen('203.0.113.6')).toBe(200)
    streams[0]!.abort()
    await waitFor(async () => ((await listen('203.0.113.5')) === 200 ? true : undefined))
  })

  test('has no more requests under way than sockets, whatever they are, and with no key', async () => {
    await limit(hub, { sockets: 3 })
    await listen('203.0.113.7')
    await listen('203.0.113.7')
    // A body that never comes.
    const slow = connect(Number(hub.endpoint.port), hub.endpoint.hostname).on('error', () => {})
    const head = ['POST /login HTTP/1.1', `Host: ${hub.endpoint.host}`, 'X-Forwarded-For: 203.0.113.7']
    slow.write([...head, 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 100', '', ''].join('\r\n'))
    await waitFor(async () => {
      const answer = await client('203.0.113.7').callTool('scripted__echo', { text: 'hi' })
      if (answer.status === 200) return undefined
      expectRefused(answer, 'Your address has 3 requests under way', 'sockets')
      return true
    })
    const { status } = await hub.ask('/healthz', { headers: { 'x-forwarded-for': '203.0.113.7' } })
    expect(status).toBe(429)
    expect((await client('203.0.113.8').callTool('scripted__echo', { text: 'hi' })).status).toBe(200)
    for (let count = 0; count < 5; count++)
      expect((await operator().callTool('scripted__echo', { text: 'hi' })).status).toBe(200)
    slow.destroy()
    await waitFor(async () =>
      (await client('203.0.113.7').callTool('scripted__echo', { text: 'hi' })).status === 200 ? true : undefined,
    )
  })
})

describe.skipIf(far === undefined).each(['fast', 'node'] as const)('from elsewhere, read by %s HTTP', (http) => {
  let hub: AttackHub
  const sockets: Socket[] = []
  beforeAll(async () => {
    hub = await startAttackHub({ host: '0.0.0.0', http })
  })
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
  })
  afterAll(() => hub.stop())

  async function open(): Promise<Socket> {
    const socket = connect(Number(hub.endpoint.port), far)
    sockets.push(socket.on('error', () => {}))
    await once(socket, 'connect')
    return socket
  }

  async function ask(): Promise<string> {
    const socket = await open()
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    if (!socket.closed) await once(socket, 'close')
    return text
  }

  test('one address opens so many sockets, and those on which it says nothing count', async () => {
    await limit(hub, { sockets: 5 })
    const idle = []
    for (let count = 0; count < 5; count++) idle.push(await open())
    const refused = await ask()
    expect(refused).toMatch(/^HTTP\/1\.1 429 /)
    expect(refused).toMatch(/\r\nRetry-After: \d+\r\n/)
    expect(refused).toContain('Your address has 5 sockets open')
    expect(refused).toContain('herma access --per-address sockets=N')
    expect(await refusals(hub, 'sockets')).toBeGreaterThan(0)
    // This machine goes on.
    const local = new RawClient(hub.endpoint)
    for (let count = 0; count < 8; count++) expect((await local.send(hello)).status).toBe(200)
    idle[0]!.destroy()
    await waitFor(async () => ((await ask()).startsWith('HTTP/1.1 200 ') ? true : undefined))
  })

  test('one address opens so many connections', async () => {
    await limit(hub, { connections: 2 })
    const key = await hub.key({ name: 'far' })
    const client = new RawClient(`http://${far}:${hub.endpoint.port}/mcp`, { ...key, 'x-forwarded-for': '203.0.113.1' })
    expect((await client.send(hello)).status).toBe(200)
    expect((await client.send(hello)).status).toBe(200)
    // Who is no proxy of this machine does not choose where it comes from.
    const elsewhere = await client.send(hello, { 'x-forwarded-for': '203.0.113.2' })
    expectRefused(elsewhere, 'Your address has 2 connections', 'connections')
  })
})
