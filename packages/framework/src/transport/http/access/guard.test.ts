import { request as nodeRequest } from 'node:http'
import { expect, test } from 'vitest'
import { oauth } from '../../../auth/oauth/oauth.ts'
import { ConfigError } from '../../../protocol/errors.ts'
import { sample, serveSample } from '../testing/sample.ts'
import { callAdd, modernHeaders, modernRequest, post } from '../testing/wire.ts'

const add = modernRequest('tools/call', { name: 'add', arguments: { a: 1, b: 2 } })

/** `fetch` sets the Host header itself. */
function postAs(url: URL, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { host, 'content-type': 'application/json', ...modernHeaders(add) }
    const request = nodeRequest(url, { method: 'POST', headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.on('error', reject)
    request.end(JSON.stringify(add))
  })
}

test.each([
  ['localhost:1234', 200],
  ['127.0.0.1', 200],
  ['[::1]:80', 200],
  ['app.localhost', 200],
  ['api.example.com:8443', 200],
  ['API.example.com', 200],
  ['evil.example', 403],
  ['127.0.0.1.evil.example', 403],
  ['localhost.evil.example', 403],
])('a request to the host %j is answered with %i', async (host, status) => {
  await using served = await serveSample({ allowedHosts: ['api.example.com'] })
  expect(await postAs(served.url, host)).toBe(status)
})

test.each([
  ['http://localhost:6274', 200],
  ['https://127.0.0.1', 200],
  ['https://app.example.com', 200],
  ['https://evil.example', 403],
  ['https://localhost.evil.example', 403],
  ['null', 403],
  ['nonsense', 403],
])('a page of %s gets %i', async (origin, status) => {
  await using served = await serveSample({ allowedOrigins: ['https://app.example.com'] })
  const response = await callAdd(served.url, { origin })
  expect(response.status).toBe(status)
  expect(response.headers.get('access-control-allow-origin')).toBe(status === 200 ? origin : null)
})

test('a browser that asks first is told what a page may send and see', async () => {
  await using served = await serveSample()
  const asked = { origin: 'http://localhost:6274', 'access-control-request-headers': 'mcp-method, content-type' }
  const response = await fetch(served.url, { method: 'OPTIONS', headers: asked })
  expect(response.status).toBe(204)
  expect(response.headers.get('access-control-allow-headers')).toBe('mcp-method, content-type')
  expect(response.headers.get('access-control-allow-methods')).toContain('DELETE')
  expect(response.headers.get('access-control-expose-headers')).toBe(
    'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Last-Event-ID',
  )
})

test('with a star any page and any host may call', async () => {
  await using served = await serveSample({ allowedHosts: ['*'], allowedOrigins: ['*'] })
  expect(await postAs(served.url, 'evil.example')).toBe(200)
  expect((await callAdd(served.url, { origin: 'https://evil.example' })).status).toBe(200)
})

test.each([
  ['another type', JSON.stringify(add), { 'content-type': 'text/plain' }, 415, -32_600],
  ['a type that only begins like JSON', JSON.stringify(add), { 'content-type': 'application/jsonl' }, 415, -32_600],
  ['an Accept without streams', JSON.stringify(add), { accept: 'application/json' }, 406, -32_600],
  ['a body that is too large', `"${'x'.repeat(2000)}"`, {}, 413, -32_600],
  ['a body that is no JSON', '{"jsonrpc":', {}, 400, -32_700],
  ['an empty body', '', {}, 400, -32_700],
  ['JSON that is no message', '{"jsonrpc":"1.0"}', {}, 400, -32_600],
  ['a number', '7', {}, 400, -32_600],
  ['null', 'null', {}, 400, -32_600],
  ['an id that is none', '{"jsonrpc":"2.0","id":{},"method":"ping"}', {}, 400, -32_600],
])('%s is refused with what is wrong', async (_, body, headers, status, code) => {
  await using served = await serveSample({ maxBodyBytes: 1000 })
  const response = await post(served.url, body, headers)
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } })
})

test('a body without a length is cut at the same size', async () => {
  await using served = await serveSample({ maxBodyBytes: 1000 })
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < 8; at++) controller.enqueue(new Uint8Array(500).fill(0x20))
      controller.close()
    },
  })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(served.url, { method: 'POST', headers, body, duplex: 'half' })
  expect(response.status).toBe(413)
})

test('JSON that is nested too deep is refused', async () => {
  await using served = await serveSample()
  const response = await post(served.url, `${'['.repeat(1500)}${']'.repeat(1500)}`)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('nested') } })
})

test('an odd Content-Type of JSON is taken', async () => {
  await using served = await serveSample()
  const headers = { ...modernHeaders(add), 'content-type': 'Application/JSON; charset=utf-8', accept: '*/*' }
  expect((await post(served.url, add, headers)).status).toBe(200)
})

test('other paths and methods say where to go', async () => {
  await using served = await serveSample()
  const missing = await fetch(new URL('/other', served.url))
  expect(missing.status).toBe(404)
  expect(await missing.text()).toContain("'/mcp'")
  const put = await fetch(served.url, { method: 'PUT' })
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE'])
  expect((await fetch(new URL('/mcp?x=1', served.url), { method: 'PUT' })).status).toBe(405)
})

test('the documents of an Auth are for everybody', async () => {
  const auth = oauth({ resource: 'https://api.example.com/mcp', issuer: 'https://issuer.example.com' })
  await using served = await serveSample({ auth })
  const path = '/.well-known/oauth-protected-resource/mcp'
  const response = await fetch(new URL(path, served.url), { headers: { origin: 'https://any.example' } })
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(await response.json()).toMatchObject({ resource: 'https://api.example.com/mcp' })
  expect((await callAdd(served.url)).headers.get('www-authenticate')).toContain(path)
})

test.each([
  [{ path: 'mcp' }, /The path "mcp"/],
  [{ sse: { path: '/mcp' } }, /are the same/],
  [{ connections: { max: 0 } }, /connections.max is 0/],
  [{ maxBodyBytes: Number.NaN }, /maxBodyBytes is NaN/],
  [{ connections: false as const, sse: true }, /HTTP\+SSE needs connections/],
  [{ allowedOrigins: ['example.com'] }, /no origin/],
])('the options %j are refused', (options, problem) => {
  const { app } = sample()
  expect(() => app.http(options)).toThrow(ConfigError)
  expect(() => app.http(options)).toThrow(problem)
})
