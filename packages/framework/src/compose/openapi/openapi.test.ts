import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../protocol/errors.ts'
import { server } from '../../server/app.ts'
import { connectClient } from '../../server/testing/connect-client.ts'
import { openapi, type OpenApiOptions } from './openapi.ts'
import { json, startPetApi } from '../testing/pet-api.ts'

type Json = Record<string, unknown>

const text = { schema: { type: 'string' } }
const parameter = (name: string, place: string, extra: Json = {}) => ({ name, in: place, ...text, ...extra })

function documentOf(paths: Json, extra: Json = {}): Json {
  return { openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths, ...extra }
}

async function connect(document: Json, options: OpenApiOptions) {
  const app = server({ name: 'api', version: '1.0.0' }).mount(openapi(document, options))
  return connectClient(app, { pin: '2026-07-28' })
}

function textOf(result: { content: unknown }): string {
  return (result.content as { text: string }[])[0]?.text ?? ''
}

describe('the tools of a document', () => {
  test('are named, described and hinted after its operations', async () => {
    const operation = { summary: 'All pets', description: 'In order.', tags: ['pets'], responses: {} }
    const document = documentOf({
      '/pets': { get: { operationId: 'listPets', ...operation }, post: { responses: {} } },
      '/pets/{petId}': { delete: { parameters: [parameter('petId', 'path')] }, put: { operationId: 'listPets' } },
    })
    await using session = await connect(document, { baseUrl: 'http://localhost:1' })
    const { tools } = await session.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['listPets', 'post_pets', 'listPets_2', 'delete_pets_petId'])
    expect(tools[0]).toMatchObject({
      title: 'All pets',
      description: 'All pets\n\nIn order.',
      annotations: { readOnlyHint: true },
      _meta: { tags: ['pets'] },
    })
    expect(tools[2]?.annotations).toMatchObject({ readOnlyHint: false, idempotentHint: true, destructiveHint: false })
    expect(tools[3]?.annotations).toMatchObject({ destructiveHint: true })
  })

  test('are chosen by include and named by name', async () => {
    const document = documentOf({ '/a': { get: { tags: ['in'] } }, '/b': { get: {} } })
    const options: OpenApiOptions = {
      baseUrl: 'http://localhost:1',
      include: ({ tags }) => tags.includes('in'),
      name: ({ method, path }) => `${method}${path}`,
    }
    await using session = await connect(document, options)
    const { tools } = await session.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['GET_a'])
  })

  test('take parameters and body as one object, and names that clash keep their place', async () => {
    const body = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, id: { type: 'integer' } },
    }
    const document = documentOf({
      '/pets/{id}': {
        parameters: [parameter('id', 'path')],
        post: {
          operationId: 'save',
          parameters: [parameter('id', 'query', { required: true }), parameter('x-trace', 'header')],
          requestBody: { required: true, content: { 'application/json': { schema: body } } },
        },
      },
    })
    await using api = await startPetApi()
    await using session = await connect(document, { baseUrl: `${api.url}/v1/` })
    const { tools } = await session.client.listTools()
    expect(tools[0]?.inputSchema).toMatchObject({
      required: ['id', 'query_id', 'name'],
      properties: { id: {}, query_id: {}, 'x-trace': {}, name: {}, body_id: { type: 'integer' } },
      additionalProperties: false,
    })
    const args = { id: 'a', query_id: 'b', 'x-trace': 'c', name: 'Rex', body_id: 7 }
    await session.client.callTool({ name: 'save', arguments: args })
    expect(api.received[0]).toMatchObject({ method: 'POST', url: '/v1/pets/a?id=b', body: '{"name":"Rex","id":7}' })
    expect(api.received[0]?.headers).toMatchObject({ 'x-trace': 'c', 'content-type': 'application/json' })
  })

  test('speak 2020-12 where the document speaks 3.0, and contain themselves where it does', async () => {
    const node = {
      type: 'object',
      nullable: true,
      properties: {
        age: { type: 'integer', minimum: 0, exclusiveMinimum: true, nullable: true, example: 3 },
        kind: { type: 'string', enum: ['a'], nullable: true },
        next: { $ref: '#/components/schemas/Node' },
      },
    }
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } }
    const document = {
      ...documentOf({ '/nodes': { post: { operationId: 'grow', requestBody: { required: true, content } } } }),
      openapi: '3.0.3',
      components: { schemas: { Node: node } },
    }
    await using api = await startPetApi()
    await using session = await connect(document, { baseUrl: api.url })
    const { tools } = await session.client.listTools()
    expect(tools[0]?.inputSchema).toMatchObject({
      properties: { body: { $ref: '#/$defs/Node' } },
      $defs: {
        Node: {
          type: ['object', 'null'],
          properties: {
            age: { type: ['integer', 'null'], exclusiveMinimum: 0, examples: [3] },
            kind: { enum: ['a', null] },
            next: { $ref: '#/$defs/Node' },
          },
        },
      },
    })
    const good = await session.client.callTool({ name: 'grow', arguments: { body: { age: 1, next: { kind: null } } } })
    expect(good.isError).not.toBe(true)
    const bad = await session.client.callTool({ name: 'grow', arguments: { body: { next: { age: 0 } } } })
    expect(bad.isError).toBe(true)
    expect(textOf(bad)).toContain('age')
    expect(api.received).toHaveLength(1)
  })
})

describe('a request', () => {
  const paths = {
    '/files/{path}': { get: { operationId: 'read', parameters: [parameter('path', 'path')] } },
    '/search': {
      get: {
        operationId: 'search',
        parameters: [
          { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'ids', in: 'query', explode: false, schema: { type: 'array', items: { type: 'integer' } } },
          { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object' } },
          { name: 'session', in: 'cookie', schema: { type: 'string' } },
        ],
      },
    },
  }

  test('keeps a value of the path within its segment', async () => {
    await using api = await startPetApi()
    await using session = await connect(documentOf(paths), { baseUrl: `${api.url}/base` })
    await session.client.callTool({ name: 'read', arguments: { path: '../admin?x=1#y' } })
    await session.client.callTool({ name: 'read', arguments: { path: 'a/../../b' } })
    expect(api.received.map(({ url }) => url)).toEqual([
      '/base/files/..%2Fadmin%3Fx%3D1%23y',
      '/base/files/a%2F..%2F..%2Fb',
    ])
    for (const path of ['..', '.', '', '\ud800']) {
      const refused = await session.client.callTool({ name: 'read', arguments: { path } })
      expect(refused.isError).toBe(true)
    }
    expect(api.received).toHaveLength(2)
  })

  test('writes lists, objects and cookies in the style that the document asks for', async () => {
    await using api = await startPetApi()
    await using session = await connect(documentOf(paths), { baseUrl: api.url })
    const args = { tags: ['a b', 'c'], ids: [1, 2], filter: { age: { min: 3 }, name: 'Rex' }, session: 'x;y' }
    await session.client.callTool({ name: 'search', arguments: args })
    const { url, headers } = api.received[0]!
    expect(decodeURIComponent(url)).toBe('/search?tags=a b&tags=c&ids=1,2&filter[age][min]=3&filter[name]=Rex')
    expect(headers.cookie).toBe('session=x%3By')
  })

  test('carries the headers of the author, which win and never show', async () => {
    const secret = 'Bearer very-secret-token'
    await using api = await startPetApi({
      '/echo': ({ headers }, response) => response.writeHead(418).end(`You sent ${headers.authorization}`),
    })
    const document = documentOf({
      '/echo': { get: { operationId: 'echo' } },
      '/gone': { get: { operationId: 'gone' } },
    })
    await using session = await connect(document, {
      baseUrl: api.url,
      headers: async () => ({ authorization: secret }),
    })
    const echoed = await session.client.callTool({ name: 'echo' })
    expect(api.received[0]?.headers.authorization).toBe(secret)
    expect(textOf(echoed)).toContain('GET /echo was answered with 418')
    expect(JSON.stringify(echoed)).not.toContain('very-secret-token')

    await using broken = await connect(document, { baseUrl: api.url, headers: () => ({ a: 'very-secret-token\nb' }) })
    const failed = await broken.client.callTool({ name: 'echo' })
    expect(failed.isError).toBe(true)
    expect(JSON.stringify(failed)).not.toContain('very-secret')
  })

  test('goes to the origin of the base URL only', async () => {
    await using elsewhere = await startPetApi()
    await using api = await startPetApi({
      '/out': (_, response) => response.writeHead(302, { location: `${elsewhere.url}/stolen` }).end(),
      '/in': (_, response) => response.writeHead(303, { location: '/landed?x=1' }).end(),
    })
    const document = documentOf({ '/out': { get: { operationId: 'out' } }, '/in': { post: { operationId: 'in' } } })
    await using session = await connect(document, { baseUrl: api.url })
    const refused = await session.client.callTool({ name: 'out' })
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toContain('another origin')
    expect(elsewhere.received).toEqual([])
    expect((await session.client.callTool({ name: 'in' })).structuredContent).toEqual({ path: '/landed?x=1' })
    expect(api.received.at(-1)?.method).toBe('GET')
  })

  test('ends when its time is up, and says that nobody answers', async () => {
    await using api = await startPetApi({ '/slow': () => {} })
    const document = documentOf({ '/slow': { get: { operationId: 'slow' } } })
    await using session = await connect(document, { baseUrl: api.url, timeoutMs: 30 })
    expect(textOf(await session.client.callTool({ name: 'slow' }))).toContain('no answer within 30 ms')
    await using nobody = await connect(document, { baseUrl: 'http://127.0.0.1:1' })
    expect(textOf(await nobody.client.callTool({ name: 'slow' }))).toMatch(/could not be reached/)
  })
})

describe('an answer', () => {
  const pet = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  const operation = { responses: { 200: { description: '', content: { 'application/json': { schema: pet } } } } }
  const get = (operationId: string, rest: Json = {}) => ({ get: { operationId, ...rest } })

  test('is structured when it is JSON, and checked when the document has its schema', async () => {
    await using api = await startPetApi({
      '/good': json({ name: 'Rex' }),
      '/bad': json({ age: 3 }),
      '/list': json([1]),
    })
    const document = documentOf({
      '/good': get('good', operation),
      '/bad': get('bad', operation),
      '/list': get('list'),
    })
    await using session = await connect(document, { baseUrl: api.url })
    const { tools } = await session.client.listTools()
    expect(tools[0]?.outputSchema).toMatchObject(pet)
    const good = await session.client.callTool({ name: 'good' })
    expect(good).toMatchObject({ structuredContent: { name: 'Rex' }, content: [{ text: '{"name":"Rex"}' }] })
    const bad = await session.client.callTool({ name: 'bad' })
    expect(bad.isError).toBe(true)
    expect(textOf(bad)).toContain('does not fit its schema')
    expect((await session.client.callTool({ name: 'list' })).structuredContent).toEqual([1])
  })

  test('is content of its type when it is no JSON', async () => {
    const send = (type: string, body: string) => (_: unknown, response: { writeHead: Function }) =>
      void response.writeHead(200, { 'content-type': type }).end(body)
    await using api = await startPetApi({
      '/text': send('text/plain; charset=utf-8', 'hello'),
      '/image': send('image/png', 'png'),
      '/zip': send('application/zip', 'zip'),
      '/none': (_, response) => response.writeHead(204).end(),
    })
    const names = ['text', 'image', 'zip', 'none']
    const document = documentOf(Object.fromEntries(names.map((name) => [`/${name}`, get(name)])))
    await using session = await connect(document, { baseUrl: api.url })
    const blocks: unknown[] = []
    for (const name of names) blocks.push((await session.client.callTool({ name })).content[0])
    expect(blocks).toMatchObject([
      { type: 'text', text: 'hello' },
      { type: 'image', mimeType: 'image/png', data: Buffer.from('png').toString('base64') },
      { type: 'resource', resource: { uri: `${api.url}/zip`, blob: Buffer.from('zip').toString('base64') } },
      { type: 'text', text: 'GET /none was answered with 204 and nothing else.' },
    ])
  })

  test('is an error beyond the limit, and a long error is cut', async () => {
    await using api = await startPetApi({ '/big': json('x'.repeat(5000)), '/broken': json('y'.repeat(5000), 500) })
    const document = documentOf({ '/big': get('big'), '/broken': get('broken') })
    await using small = await connect(document, { baseUrl: api.url, maxResponseBytes: 1000 })
    expect(textOf(await small.client.callTool({ name: 'big' }))).toContain('larger than 1000 bytes')
    await using session = await connect(document, { baseUrl: api.url })
    const broken = await session.client.callTool({ name: 'broken' })
    expect(broken.isError).toBe(true)
    expect(textOf(broken).length).toBeLessThan(2200)
  })
})

describe('a document that cannot be served', () => {
  const paths = { '/a': { get: { parameters: [{ $ref: 'other.yaml#/x' }] } } }
  test.each([
    ['is of another version', { swagger: '2.0' }, { baseUrl: 'http://localhost' }, 'no version'],
    ['has no server', documentOf({}), {}, 'baseUrl'],
    ['has a relative server', documentOf({}, { servers: [{ url: '/v1' }] }), {}, "'/v1' is no whole URL"],
    ['leads out of itself', documentOf(paths), { baseUrl: 'http://localhost' }, 'Bundle'],
    ['has a base URL with credentials', documentOf({}), { baseUrl: 'http://a:b@localhost' }, 'headers'],
    ['leads to a file', documentOf({}), { baseUrl: 'file:///etc/passwd' }, 'https:'],
  ])('%s and says so', (_, document, options, said) => {
    expect(() => openapi(document, options)).toThrow(ConfigError)
    expect(() => openapi(document, options)).toThrow(said)
  })

  test('takes the first server with the defaults of its variables', async () => {
    await using api = await startPetApi()
    const variables = { version: { default: 'v2' } }
    const servers = [{ url: `${api.url}/{version}`, variables }]
    await using session = await connect(documentOf({ '/a': { get: { operationId: 'a' } } }, { servers }), {})
    expect((await session.client.callTool({ name: 'a' })).structuredContent).toEqual({ path: '/v2/a' })
  })
})
