import type { ConnectorView, TestReport } from '@herma/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listen } from '../fixtures/start-oauth-server.ts'
import { startPlainServer } from '../fixtures/start-plain-server.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'

let hub: TestHub
let visits: string[] = []
let victim: Awaited<ReturnType<typeof listen>>

beforeAll(async () => {
  victim = await listen((request, response) => {
    visits.push(`${request.method} ${request.url}`)
    response.end('{}')
  })
  hub = await startTestHub()
})

afterAll(async () => {
  await hub?.stop()
  await victim?.stop()
})

beforeEach(async () => {
  const { connectors } = (await hub.api('GET', '/api/connectors')).body as { connectors: ConnectorView[] }
  for (const { name } of connectors) await hub.api('DELETE', `/api/connectors/${name}`)
  // Only now: what is refused is tried again all the time.
  await settings({ privateAddresses: 'auto', reachable: [] })
  visits = []
})

async function settings(patch: object): Promise<void> {
  const { status, body } = await hub.api('PATCH', '/api/access/settings', patch)
  expect(status, JSON.stringify(body)).toBe(200)
}

const viewOf = async (name: string) => (await hub.api('GET', `/api/connectors/${name}`)).body as ConnectorView

test.each(['stream', 'http', 'sse'] as const)(
  'a %s connector leads to no private address that is denied',
  async (transport) => {
    await settings({ privateAddresses: 'deny' })
    const port = new URL(victim.origin).port
    for (const [index, host] of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433'].entries()) {
      const connector = { name: `bad${index}`, transport, baseUrl: `http://${host}:${port}/mcp` }
      const { health } = await hub.add(connector)
      expect(health.lastError?.message).toMatch(/is an address of the machine .*Allow it with: herma access --reach/)
      const report = (await hub.api('POST', '/api/connector-test', { connector })).body as TestReport
      expect(report).toMatchObject({ ok: false, fix: expect.stringContaining('Allow its address') })
      expect(report.stages[0]).toMatchObject({ name: 'resolve', outcome: 'failed' })
    }
    expect(visits).toEqual([])
  },
)

test('where a cloud machine gets its credentials is refused by default', async () => {
  const { health } = await hub.add({ name: 'cloud', transport: 'stream', baseUrl: 'http://169.254.169.254/latest' })
  expect(health.lastError?.message).toContain('where a cloud machine gets its credentials')
})

test('what is listed is reached, as soon as it is', async () => {
  await settings({ privateAddresses: 'deny' })
  await using server = await startPlainServer()
  await hub.add({ name: 'plain', transport: 'http', baseUrl: `${server.origin}/rpc` })
  expect((await viewOf('plain')).health.lastError?.message).toContain('herma access --reach')
  await settings({ reachable: ['127.0.0.0/8'] })
  await waitFor(async () => ((await viewOf('plain')).health.state === 'ready' ? true : undefined))
})

test.each([
  ['an address of credentials', 'http://169.254.169.254'],
  ['another kind of private address', 'http://10.255.255.1'],
])('a server does not lead the hub to %s by naming it as its authorization server', async (_, issuer) => {
  const server = await listen((request, response) => {
    if (request.url?.startsWith('/.well-known/oauth-protected-resource') === true) {
      const metadata = { resource: `${server.origin}/mcp`, authorization_servers: [issuer] }
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata))
    }
    const place = `resource_metadata="${server.origin}/.well-known/oauth-protected-resource"`
    return response.writeHead(401, { 'www-authenticate': `Bearer ${place}` }).end()
  })
  await hub.add({ name: 'lure', transport: 'stream', baseUrl: `${server.origin}/mcp` })
  const { status, body } = await hub.api('POST', '/api/connectors/lure/sign-in')
  expect(status).toBe(502)
  expect(JSON.stringify(body)).toMatch(/cannot be signed in to: .*herma access --reach/)
  await server.stop()
})

test('a server does not lead the hub elsewhere by a redirect', async () => {
  const server = await listen((_, response) => response.writeHead(307, { location: `${victim.origin}/steal` }).end())
  const { health } = await hub.add({ name: 'moved', transport: 'stream', baseUrl: `${server.origin}/mcp` })
  expect(health.lastError?.message).toContain('it redirects')
  expect(visits).toEqual([])
  await server.stop()
})
