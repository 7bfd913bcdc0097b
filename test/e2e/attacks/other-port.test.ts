import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OperatorLink } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAttackHub, type AttackHub } from './start-attack-hub.ts'

// Another program of this machine listens on a port of its own, and gets every cookie of the host.
let hub: AttackHub
const received: string[] = []
const thief = createServer((request, response) => {
  received.push(request.headers.cookie ?? '')
  response.end('hello')
})

beforeAll(async () => {
  hub = await startAttackHub()
  await hub.api('PATCH', '/api/servers/facade', { access: 'required' })
  thief.listen(0, '127.0.0.1')
  await once(thief, 'listening')
})
afterAll(async () => {
  await new Promise((resolve) => thief.close(resolve))
  await hub.stop()
})

/** What a browser with these cookies sends there: it looks at the host, and not at the port. */
async function lure(cookie: string): Promise<string> {
  await fetch(`http://127.0.0.1:${(thief.address() as AddressInfo).port}/`, { headers: { cookie } })
  return received.at(-1)!
}

async function expectWorthNothing(cookie: string): Promise<void> {
  const reads = ['/api/status', '/api/access/me', '/api/backup', '/api/changes', '/api/traces/tail', '/api/traces']
  for (const path of reads) expect([path, (await hub.ask(path, { headers: { cookie } })).status]).toEqual([path, 401])
  for (const proof of ['', 'x', 'A'.repeat(43)]) {
    const headers = { cookie, 'herma-proof': proof }
    expect((await hub.ask('/api/status', { headers })).status).toBe(401)
    const link = await hub.ask('/api/access/link', { method: 'POST', headers, body: {} })
    expect(link.status).toBe(401)
  }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  for (const path of ['/mcp', '/api/mcp/servers/facade/rpc', '/api/mcp/servers/herma/stream'])
    expect((await hub.ask(path, { method: 'POST', headers: { cookie }, body: call })).status).toBe(401)
}

describe('a cookie that another port of this machine received', () => {
  test('of the operator is worth nothing', async () => {
    const { url } = (await hub.api('POST', '/api/access/link')).body as OperatorLink
    const opened = await fetch(url)
    const cookie = opened.headers.getSetCookie()[0]!.split(';')[0]!
    const proof = /data-proof="([^"]+)"/.exec(await opened.text())![1]!
    await expectWorthNothing(await lure(cookie))
    // It is the cookie of somebody who is signed in.
    expect((await hub.ask('/api/status', { headers: { cookie, 'herma-proof': proof } })).status).toBe(200)
  })

  test('of a user is worth nothing', async () => {
    const browser = await hub.user('ann', 'owner')
    await expectWorthNothing(await lure(browser.apiHeaders['cookie']!))
    expect((await hub.ask('/api/status', { headers: browser.apiHeaders })).status).toBe(200)
  })

  test('gets no code for a client, not even for one that the user has allowed', async () => {
    const browser = await hub.user('bob', 'member')
    const client = await hub.client()
    await browser.open(client.authorizeUrl())
    const sent = await browser.submit({}, { button: 'decision=allow' })
    expect(sent.url.searchParams.get('code')).toMatch(/^\w{32}$/)
    const cookie = await lure(browser.apiHeaders['cookie']!)
    const path = client.authorizeUrl().slice(hub.url.length)
    const asked = await hub.ask(path, { headers: { cookie } })
    expect([asked.status, asked.headers.location]).toEqual([200, undefined])
    expect(asked.text).not.toContain('code=')
    // The form of the page, as it stands there.
    const form = /name="form" value="([^"]*)"/.exec(asked.text)![1]!
    const query = path.slice(path.indexOf('?') + 1)
    for (const place of [path.split('?')[0]!, '/consent', '/auth/account'])
      for (const step of ['show', 'do']) {
        const body = new URLSearchParams({ form, query, step, proof: 'x', decision: 'allow', action: 'sign-out' })
        const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
        const {
          status,
          text,
          headers: answered,
        } = await hub.ask(place, { method: 'POST', headers, body: String(body) })
        expect([place, status]).toEqual([place, 303])
        expect(answered.location).toMatch(/^\/login/)
        expect(text).not.toMatch(/code=|bob/)
      }
    expect((await hub.ask('/api/access/me', { headers: browser.apiHeaders })).status).toBe(200)
  })
})
