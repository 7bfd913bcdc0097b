import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAttackHub, type AttackHub, type Credential } from './start-attack-hub.ts'
import { vaultConnector } from './vault-connector.ts'

let hub: AttackHub
let key: Credential

beforeAll(async () => {
  hub = await startAttackHub({ connectors: [vaultConnector('vault')] })
  key = await hub.key({ name: 'key' })
})
afterAll(() => hub.stop())

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
}

describe('a path that is written in another way', () => {
  const twisted = [
    '//api/status',
    '/./api/status',
    '/mcp/../api/status',
    '/mcp/%2e%2e/api/status',
    '/mcp/..%2fapi/status',
    '/mcp/..;/api/status',
    '/mcp\\\\..\\\\api\\\\status',
    '/API/status',
    '/Api/Status',
    '/api//status',
    '/api/./status',
    '/api/x/../status',
    '/api/%73tatus',
    '/api/status/',
    '/api/status.',
    '/api/status%00',
    '/api/status;x=1',
    '/api%2fstatus',
    '/api/mcp/servers/../../status',
    '/api/mcp/servers/%2e%2e/%2e%2e/status',
    '/api/mcp/servers/x/../../../status',
    '/api/oauth/callback/../../status',
    '/api/sign-in/..%2fstatus',
    '/open/../api/status',
    '/auth/../api/status',
    '/auth/callback/..%2f..%2fapi%2fstatus',
    '/.well-known/oauth-protected-resource/../../api/status',
    'http://127.0.0.1/api/status',
    'http://evil.example/api/status',
    '*',
  ]
  test.each(twisted)('%s leads past no check', async (path) => {
    for (const method of ['GET', 'POST', 'HEAD', 'PUT']) {
      const { text, status } = await hub.ask(path, { method, ...(method === 'GET' ? {} : { body: {} }) })
      expect(text).not.toMatch(/processId|stateHome/)
      // The page of the web UI stands wherever nothing else does; everything else has to be refused.
      const isPage = method === 'HEAD' || /^<!doctype html>/i.test(text)
      expect([method, status === 200 && !isPage]).toEqual([method, false])
    }
  })

  test.each([
    '/api/mcp/servers/herma/stream',
    '/api/mcp/servers/Herma/stream',
    '/api/mcp/servers/herma/stream/',
    '/api/mcp/servers/herma%2fstream',
    '/api/mcp/servers/%68erma/stream',
    '/api/mcp/servers/facade/../herma/stream',
    '/api/mcp/servers//herma/stream',
    '/mcp/../api/mcp/servers/herma/stream',
    '/api/mcp/servers/herma/sse',
    '/api/mcp/servers/herma/messages',
    '/api/mcp/servers/__proto__/stream',
    '/api/mcp/servers/constructor/stream',
  ])('%s does not lead to the hub as an MCP server', async (path) => {
    for (const headers of [{}, { ...key }]) {
      const { status, text } = await hub.ask(path, { method: 'POST', headers, body: hello })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(text).not.toContain('protocolVersion')
    }
  })

  test.each([
    '/..%2f..%2f..%2f..%2fetc%2fpasswd',
    '/%2e%2e/%2e%2e/package.json',
    '/assets/..%2f..%2fpackage.json',
    '/%00.js',
  ])('%s is no file of the web UI', async (path) => {
    const { text } = await hub.ask(path)
    expect(text).not.toMatch(/root:|"workspaces"|"name"/)
  })

  test('a parameter with a slash or dots stays one name', async () => {
    for (const name of ['..%2f..%2fstatus', '%2e%2e', 'a%2fb', '__proto__', 'constructor', '%00', '..%5c..%5cx']) {
      const { status } = await hub.ask(`/api/connectors/${name}`, { headers: { ...hub.operator } })
      expect([name, status]).toEqual([name, 404])
    }
  })
})

describe('a header that comes twice', () => {
  const send = (lines: readonly string[], request = 'GET /api/status HTTP/1.1') =>
    hub.raw(`${request}\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`)
  const token = () => `Authorization: ${hub.operator.authorization}`

  test('counts as itself when it comes once', async () => {
    expect(await send(['Host: localhost', token()])).toMatch(/^HTTP\/1\.1 200 /)
  })

  test.each([
    ['Authorization, the first one good', () => ['Host: localhost', token(), 'Authorization: Bearer x'], 401],
    ['Authorization, the second one good', () => ['Host: localhost', 'Authorization: Bearer x', token()], 401],
    ['Authorization, both good', () => ['Host: localhost', token(), token()], 401],
    ['Host, the first one ours', () => ['Host: localhost', 'Host: evil.example', token()], 4],
    ['Host, the second one ours', () => ['Host: evil.example', 'Host: localhost', token()], 4],
    ['Origin', () => ['Host: localhost', 'Origin: http://localhost', 'Origin: https://evil.example', token()], 403],
  ] as const)('is none: %s', async (_, lines, status) => {
    expect(await send(lines())).toMatch(new RegExp(`^HTTP/1\\.1 ${status}`))
  })

  test.each([
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 40', '{}'],
    ['a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked', '0\r\n\r\n'],
    ['chunks in an odd case', 'Content-Length: 2\r\nTransfer-Encoding: xchunked', '{}'],
    ['chunks behind a blank', 'Transfer-Encoding : chunked', '0\r\n\r\n'],
    ['chunks behind something else', 'Transfer-Encoding: identity, chunked, identity', '0\r\n\r\n'],
    ['a length with a sign', 'Content-Length: +2', '{}'],
    ['a length in another base', 'Content-Length: 0x2', '{}'],
    ['a bare line feed', 'X: a\nTransfer-Encoding: chunked\r\nContent-Length: 2', '{}'],
    ['a chunk with an odd length', 'Transfer-Encoding: chunked', '0x2\r\n{}\r\n0\r\n\r\n'],
  ])('hides no second request: %s', async (_, headers, body) => {
    const second = `GET /api/status HTTP/1.1\r\nHost: localhost\r\n${token()}\r\nConnection: close\r\n\r\n`
    const answer = await hub.raw(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}${second}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).not.toContain('processId')
  })
})

describe('a proxy on this machine', () => {
  test.each([
    'X-Forwarded-For: 1.2.3.4',
    'x-forwarded-host: mcp.example.com',
    'X-Forwarded-Proto: https',
    'X-Forwarded-Port: 443',
    'X-Forwarded-Server: proxy',
    'X-Forwarded-Prefix: /x',
    'Forwarded: for=1.2.3.4',
    'X-Real-IP: 1.2.3.4',
    'Via: 1.1 proxy',
    'CF-Connecting-IP: 1.2.3.4',
    'CF-Ray: 1',
    'True-Client-IP: 1.2.3.4',
    'X-Client-IP: 1.2.3.4',
    'Fly-Client-IP: 1.2.3.4',
    'X-Envoy-External-Address: 1.2.3.4',
    'X-Forwarded-For:',
  ])('does not lend its place to others: %s', async (line) => {
    // Headers that Connection names are for the next hop, so that a proxy might drop them; we do not.
    for (const connection of ['close', `close, ${line.split(':')[0]}`]) {
      for (const path of ['/mcp', '/mcp/manifest.json', '/metrics']) {
        const answer = await hub.raw(
          `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${line}\r\nConnection: ${connection}\r\n\r\n`,
        )
        expect(answer).toMatch(/^HTTP\/1\.1 401 /)
      }
    }
  })

  test('cannot name a machine that is trusted', async () => {
    for (const line of ['X-Forwarded-For: 127.0.0.1', 'Forwarded: for=127.0.0.1', 'X-Real-IP: ::1'])
      expect(await hub.raw(`GET /mcp HTTP/1.1\r\nHost: localhost\r\n${line}\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 401 /,
      )
  })
})

describe('a line break in a value', () => {
  test('adds no header to an answer of ours', async () => {
    for (const path of [
      '/mcp%0d%0aX-Evil:%201',
      '/login?name=%0d%0aX-Evil:%201',
      '/set-password?name=%0d%0aSet-Cookie:%20a=b',
      '/auth/oauth2/authorize?client_id=%0d%0aX-Evil:1&redirect_uri=http://x/%0d%0aX-Evil:1&state=%0d%0aX-Evil:1',
      '/api/traces/%0d%0aX-Evil:1/download',
      '/.well-known/oauth-protected-resource/%0d%0aX-Evil:1',
    ]) {
      const { headers, status } = await hub.ask(path, { headers: { ...hub.operator } })
      expect(headers['x-evil']).toBeUndefined()
      expect(status).toBeLessThan(500)
    }
  })

  test('adds no header to a request of ours', async () => {
    let received = ''
    const victim = createServer((socket) => {
      socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1'))).on('error', () => {})
      socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')
    }).listen(0, '127.0.0.1')
    await once(victim, 'listening')
    const baseUrl = `http://127.0.0.1:${(victim.address() as AddressInfo).port}/mcp`
    await hub.api('PUT', '/api/secrets/SPLIT', { value: 'a\r\nX-Evil: 1' })
    const headers = [
      { name: 'X-Good', value: 'a\r\nX-Evil: 1' },
      { name: 'X-Good', value: '{secret:SPLIT}' },
      { name: 'X-Good\r\nX-Evil', value: '1' },
    ]
    for (const [index, header] of [...headers, { name: 'X-Plain', value: 'plain' }].entries()) {
      const connector = { name: `split${index}`, transport: 'stream' as const, baseUrl, options: { maxRestarts: 0 } }
      await hub.add({ ...connector, headers: [header] }).catch(() => undefined)
      await hub.api('POST', '/api/connector-test', { connector: { ...connector, headers: [header] } })
    }
    victim.close()
    expect(received).toMatch(/\r\nX-Plain: plain\r\n/i)
    expect(received).not.toMatch(/^X-Evil/im)
  })
})
