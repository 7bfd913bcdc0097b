import { networkInterfaces } from 'node:os'
import type { NewApiKey } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RawClient } from '../fixtures/misbehaving/raw-client.ts'
import { startTestHub, type TestHub } from './start-test-hub.ts'

// An address of this machine that is not loopback: what another machine would use.
const address = Object.values(networkInterfaces())
  .flat()
  .find((each) => each !== undefined && !each.internal && each.family === 'IPv4')?.address

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'far', version: '1' } },
}

describe.skipIf(address === undefined)('a hub that listens beyond this machine', () => {
  let hub: TestHub
  let key: string
  let far: string
  beforeAll(async () => {
    hub = await startTestHub({ host: '0.0.0.0' })
    far = `http://${address}:${new URL(hub.url).port}`
    key = ((await hub.api('POST', '/api/access/keys', { name: 'far' })).body as NewApiKey).key
  })
  afterAll(() => hub.stop())
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  test('tells its address on this machine, where programs still need no key', async () => {
    expect(new URL(hub.url).hostname).toBe('127.0.0.1')
    expect((await new RawClient(hub.endpoint).send(hello)).status).toBe(200)
  })

  test('serves nobody from elsewhere without a key, and says where to sign in', async () => {
    const { status, headers } = await new RawClient(`${far}/mcp`).send(hello)
    expect(status).toBe(401)
    expect(headers['www-authenticate']).toContain('resource_metadata=')
    for (const path of ['/metrics', '/mcp/manifest.json', '/api/status', '/api/mcp/servers/herma/stream'])
      expect((await fetch(far + path)).status).toBe(401)
    for (const path of ['/healthz', '/readyz']) expect((await fetch(far + path)).status).toBe(200)
  })

  test('serves whoever has a key', async () => {
    expect((await new RawClient(`${far}/mcp`).send(hello, bearer(key))).status).toBe(200)
    expect((await fetch(`${far}/metrics`, { headers: bearer(key) })).status).toBe(200)
    expect((await fetch(`${far}/api/status`, { headers: bearer(key) })).status).toBe(403)
  })

  test('answers to its public name once it has one, and to no other', async () => {
    const named = (host: string) => new RawClient(`${far}/mcp`).send(hello, { ...bearer(key), host })
    expect((await named('mcp.example.com')).status).toBe(403)
    await hub.api('PATCH', '/api/access/settings', { publicUrl: 'https://mcp.example.com/' })
    expect((await named('mcp.example.com')).status).toBe(200)
    expect((await named('evil.example')).status).toBe(403)
    // Whatever passes bytes on from there would look like a program of this machine.
    expect((await new RawClient(hub.endpoint).send(hello)).status).toBe(401)
    await hub.api('PATCH', '/api/servers/facade', { access: 'local' })
    expect((await new RawClient(hub.endpoint).send(hello)).status).toBe(200)
    const metadata = '/.well-known/oauth-protected-resource/mcp'
    expect((await fetch(hub.url + metadata)).status).toBe(404)
    expect(await (await fetch(far + metadata)).json()).toMatchObject({ resource: 'https://mcp.example.com/mcp' })
  })
})
