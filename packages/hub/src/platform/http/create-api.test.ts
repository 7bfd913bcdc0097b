import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { HubError, type Principal } from '@herma/contract'
import type { ApiOperation } from '@herma/contract/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

import { createApi } from './create-api.ts'
import { Reply, serve } from './route.ts'

const logged: string[] = []
const note = (message: string, fields?: Record<string, unknown>) =>
  void logged.push(JSON.stringify({ message, fields }))
const log = { debug: note, info: note, warn: note, error: note }
let stopped = false

let stoppedStreams = 0
const operations = {
  getThing: {
    method: 'GET',
    path: '/api/things/:name',
    summary: 'One thing.',
    params: z.object({ name: z.string() }),
    query: z.object({ limit: z.coerce.number().int().min(1).max(10).default(5) }),
    responses: { 200: { description: 'The thing.', schema: z.object({ name: z.string(), limit: z.number() }) } },
  },
  getBest: {
    method: 'GET',
    path: '/api/things/best',
    summary: 'The best thing.',
    responses: { 200: { description: 'The thing.', schema: z.object({ best: z.boolean() }) } },
  },
  putThing: {
    method: 'POST',
    path: '/api/things/:name',
    summary: 'Stores a thing.',
    body: z.strictObject({ size: z.number().default(1), tags: z.array(z.string()).default([]) }),
    responses: { 201: { description: 'Stored.', schema: z.unknown() } },
  },
  stop: {
    method: 'POST',
    path: '/api/stop',
    summary: 'Stops.',
    responses: { 202: { description: 'Stopping.', schema: z.object({}) } },
  },
  optional: {
    method: 'POST',
    path: '/api/optional',
    summary: 'Takes a body or none.',
    body: z.object({ a: z.number() }).optional(),
    responses: { 200: { description: 'Done.', schema: z.object({ given: z.unknown() }) } },
  },
  watch: {
    method: 'GET',
    path: '/api/watch/:name',
    summary: 'Streams.',
    params: z.object({ name: z.string() }),
    responses: { 200: { description: 'A stream.' } },
  },
  save: {
    method: 'GET',
    path: '/api/save',
    summary: 'A file.',
    responses: { 200: { description: 'A file.' } },
  },
} as const satisfies Record<string, ApiOperation>

const routes = serve(operations, {
  getThing: ({ params, query }) => {
    if (params.name === 'missing') throw new HubError('CONNECTOR_NOT_FOUND', 'No such thing. Run: herma list')
    if (params.name === 'broken') throw new Error('password=hunter2')
    return { ...params, ...query }
  },
  getBest: () => ({ best: true }),
  putThing: ({ body, sent }) => {
    if (body.size < 0) {
      const cause = z.object({ size: z.number().min(0) }).safeParse(body).error
      throw new HubError('CONNECTOR_INVALID', 'The thing is not valid.', { cause })
    }
    return { body, sent }
  },
  stop: () => new Reply({}, { afterwards: () => (stopped = true) }),
  optional: ({ body }) => ({ given: body ?? null }),
  watch: ({ params }) =>
    Reply.stream((stream) => {
      if (params.name === 'full') throw new HubError('OVERLOADED', 'Too many watch. Close one.')
      stream.send('greeting', { name: params.name })
      return () => stoppedStreams++
    }),
  save: () => new Reply(undefined, { file: { name: 'a.jsonl', type: 'application/x-ndjson', text: '{}\n{}\n' } }),
})

let server: Server
let base: string
const somebody: Principal = { id: 'user:me', kind: 'user', name: 'me', role: 'owner', scopes: null, servers: null }

beforeAll(async () => {
  const api = createApi(routes, { log, authorize: () => somebody })
  server = createServer((request, response) => void api(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const post = (path: string, body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  fetch(base + path, { method: 'POST', body, headers })

test('a path parameter is decoded and an absent query value gets its default', async () => {
  const response = await fetch(`${base}/api/things/a%20b%2Fc`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await response.json()).toEqual({ name: 'a b/c', limit: 5 })
})

test('of two paths that match, the one with fewer placeholders is taken, whatever their order', async () => {
  expect(await (await fetch(`${base}/api/things/best`)).json()).toEqual({ best: true })
})

test('the handler gets the body with defaults and also as it was sent', async () => {
  const response = await post('/api/things/x', '{"size":2}')
  expect(response.status).toBe(201)
  expect(await response.json()).toEqual({ body: { size: 2, tags: [] }, sent: { size: 2 } })
})

test('a body of the wrong shape is refused with the path of every field that is wrong', async () => {
  const response = await post('/api/things/x', '{"size":"big","tags":["a",1],"colour":"red"}')
  expect(response.status).toBe(422)
  const { error } = (await response.json()) as { error: { code: string; issues: { path: string }[] } }
  expect(error.code).toBe('INVALID_PARAMS')
  expect(error.issues.map(({ path }) => path)).toEqual(['size', 'tags.1', 'colour'])
})

test('a query value of the wrong shape is refused with its name', async () => {
  const response = await fetch(`${base}/api/things/x?limit=many`)
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({ error: { issues: [{ path: 'query.limit' }] } })
})

test('an error of ours keeps its status, code and message', async () => {
  const response = await fetch(`${base}/api/things/missing`)
  expect(response.status).toBe(404)
  expect(await response.json()).toEqual({
    error: { code: 'CONNECTOR_NOT_FOUND', message: 'No such thing. Run: herma list' },
  })
})

test('issues behind an error of ours are listed', async () => {
  const response = await post('/api/things/x', '{"size":-1}')
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({ error: { code: 'CONNECTOR_INVALID', issues: [{ path: 'size' }] } })
})

test('an unexpected error is logged and shows nothing of itself', async () => {
  const response = await fetch(`${base}/api/things/broken?limit=3`)
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('hunter2')
  expect(logged.join('\n')).toContain('hunter2')
})

test('malformed JSON is refused without repeating its text', async () => {
  const response = await post('/api/things/x', '{"token": hunter2}')
  expect(response.status).toBe(400)
  const text = await response.text()
  expect(text).toContain('PARSE_ERROR')
  expect(text).not.toContain('hunter2')
})

test('TOML is named as what it is', async () => {
  const response = await post('/api/things/x', '[mcp_servers.files]\ncommand = "npx"\n')
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('TOML')
})

test.each([
  ['text', { 'content-type': 'text/plain' }],
  ['another charset', { 'content-type': 'application/json; charset=latin1' }],
  ['compression', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
])('a body sent as %s is refused as unsupported', async (_case, headers) => {
  const response = await post('/api/things/x', '{}', headers)
  expect(response.status).toBe(415)
  expect(await response.json()).toMatchObject({ error: { code: 'UNSUPPORTED_MEDIA_TYPE' } })
})

test('a body beyond the limit is refused, and its sender sees the answer', async () => {
  const response = await post('/api/things/x', JSON.stringify({ tags: ['x'.repeat(1_100_000)] }))
  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({ error: { code: 'BODY_TOO_LARGE' } })
})

test('a body of endless length is refused at once and its connection closed', async () => {
  const status = await new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': 2 ** 40 }
    const request = httpRequest(`${base}/api/things/x`, { method: 'POST', headers }, (response) => {
      resolve([response.statusCode, response.headers.connection])
      request.destroy()
    })
    request.on('error', reject)
    request.write('{')
  })
  expect(status).toEqual([413, 'close'])
})

test('a route that takes a body or none accepts none', async () => {
  expect(await (await fetch(`${base}/api/optional`, { method: 'POST' })).json()).toEqual({ given: null })
  expect(await (await post('/api/optional', '{"a":1}')).json()).toEqual({ given: { a: 1 } })
})

test('an unknown path is not found and a wrong method is told the right ones', async () => {
  expect((await fetch(`${base}/api/nothing`)).status).toBe(404)
  const response = await fetch(`${base}/api/things/x`, { method: 'DELETE' })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('GET, HEAD, POST')
})

test('broken percent-encoding is a bad request', async () => {
  expect((await fetch(`${base}/api/things/%E0%A4%A`)).status).toBe(400)
})

test('HEAD answers like GET without the body', async () => {
  const get = await fetch(`${base}/api/things/x`)
  const head = await fetch(`${base}/api/things/x`, { method: 'HEAD' })
  expect(head.status).toBe(200)
  expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
  expect(await head.text()).toBe('')
})

test('what comes afterwards runs when the answer has left', async () => {
  const response = await fetch(`${base}/api/stop`, { method: 'POST' })
  expect(response.status).toBe(202)
  await response.json()
  await expect.poll(() => stopped).toBe(true)
})

test('a stream sends events until its client leaves, and one that cannot begin is refused like anything else', async () => {
  const cut = new AbortController()
  const response = await fetch(`${base}/api/watch/x`, { signal: cut.signal })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const { value } = await response.body!.getReader().read()
  expect(new TextDecoder().decode(value)).toBe('event: greeting\ndata: {"name":"x"}\n\n')
  cut.abort()
  await expect.poll(() => stoppedStreams).toBe(1)
  const refused = await fetch(`${base}/api/watch/full`)
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({ error: { code: 'OVERLOADED' } })
})

test('a file comes with its type and a name to save it under', async () => {
  const response = await fetch(`${base}/api/save`)
  expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="a.jsonl"')
  expect(await response.text()).toBe('{}\n{}\n')
})
