import { fileURLToPath } from 'node:url'
import type { Problem } from '@herma/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { RawClient } from '../fixtures/misbehaving/raw-client.ts'
import { startTestHub, stdioConnector, type TestHub } from './start-test-hub.ts'

const program = fileURLToPath(new URL('../fixtures/misbehaving/stdio-server.mjs', import.meta.url))
const good = stdioConnector('good', [program])

let hub: TestHub
let client: RawClient

beforeAll(async () => {
  hub = await startTestHub({ connectors: [good] })
  client = new RawClient(`${hub.url}/api/connectors`, hub.operator)
})

afterAll(() => hub.stop())

afterEach(expectUnchanged)

async function expectUnchanged(): Promise<void> {
  const { status, body } = await hub.api('GET', '/api/connectors')
  expect(status).toBe(200)
  expect((body as { connectors: { name: string }[] }).connectors.map(({ name }) => name)).toEqual(['good'])
}

async function refuse(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; error: Problem['error'] }> {
  const answer = await hub.api(method, path, body)
  return { status: answer.status, error: (answer.body as Problem).error }
}

describe('a connector to add', () => {
  test.each([
    ['no name', { transport: 'stdio', cmd: 'x' }, 'name'],
    ['a name with a slash', { ...good, name: '../a' }, 'name'],
    ['the name __proto__', { ...good, name: '__proto__' }, 'name'],
    ['no command', { name: 'a', transport: 'stdio' }, 'cmd'],
    ['no URL', { name: 'a', transport: 'stream' }, 'baseUrl'],
    ['a URL without a scheme', { name: 'a', transport: 'stream', baseUrl: 'example.com/mcp' }, 'baseUrl'],
    ['a URL of another scheme', { name: 'a', transport: 'stream', baseUrl: 'file:///etc/passwd' }, 'baseUrl'],
    ['an unknown transport', { ...good, name: 'a', transport: 'pigeon' }, 'transport'],
    ['an unknown field', { ...good, name: 'a', command: 'x' }, 'command'],
    ['an unknown option', { ...good, name: 'a', options: { colour: 'red' } }, 'options.colour'],
    ['an option out of range', { ...good, name: 'a', options: { maxConcurrency: 0 } }, 'options.maxConcurrency'],
    ['arguments that are text', { ...good, name: 'a', args: '--x' }, 'args'],
    ['a list', [good], ''],
    ['text', 'good', ''],
    ['null', null, ''],
  ])('with %s is refused with 422 and the place', async (_, body, path) => {
    const { status, error } = await refuse('POST', '/api/connectors', body)
    expect(status).toBe(422)
    expect(error.code).toBe('INVALID_PARAMS')
    expect(error.issues?.map((issue) => issue.path)).toContain(path)
  })

  test.each(['good', 'GOOD', 'Good'])('with the name %s, which is taken, is refused with 409', async (name) => {
    const { status, error } = await refuse('POST', '/api/connectors', { ...good, name })
    expect(status).toBe(409)
    expect(error.code).toBe('CONNECTOR_EXISTS')
    expect(error.message).toContain('herma edit')
  })

  test('with a secret that has no value is refused', async () => {
    const { status, error } = await refuse('POST', '/api/connectors', {
      ...good,
      name: 'a',
      env: [{ name: 'API_KEY' }],
    })
    expect(status).toBe(422)
    expect(error.message).toContain("'API_KEY' has no value")
  })

  test('with the character zero, which the store cannot hold, is refused', async () => {
    const { status } = await refuse('POST', '/api/connectors', { ...good, name: 'a', notes: 'a\0b', args: ['\0'] })
    expect(status).toBe(422)
  })

  test('without a body is refused', async () => {
    const { status, error } = await refuse('POST', '/api/connectors')
    expect(status).toBe(422)
    expect(error.message).toContain('not valid')
  })

  test.each(['{', 'name=x', "{'name':1}"])('that is no JSON is refused with 400: %s', async (body) => {
    const { status, text } = await client.send(body)
    expect(status).toBe(400)
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'PARSE_ERROR' } })
  })

  test('of another type is refused with 415', async () => {
    expect((await client.send('name=x', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415)
  })

  test('that is too large is refused with 413', async () => {
    const { status } = await client.send({ ...good, name: 'a', notes: 'x'.repeat(2_000_000) })
    expect(status).toBe(413)
  })

  test('that is nested very deeply is refused', async () => {
    const { status } = await client.send(`{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
    expect([400, 422]).toContain(status)
  })

  test('twice at the same time is added once', async () => {
    const twin = { ...good, name: 'twin', enabled: false }
    const answers = await Promise.all([1, 2, 3].map(() => hub.api('POST', '/api/connectors', twin)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
    await hub.api('DELETE', '/api/connectors/twin')
  })
})

describe('a change', () => {
  test.each([
    [{ name: 'a b' }, 'name'],
    [{ id: 'x' }, 'id'],
    [{ enabled: 'yes' }, 'enabled'],
    [{ options: { colour: 1 } }, 'options.colour'],
    [{ transport: 'pigeon' }, 'transport'],
  ])('to %j is refused with 422 and the place', async (body, path) => {
    const { status, error } = await refuse('PATCH', '/api/connectors/good', body)
    expect(status).toBe(422)
    expect(error.issues?.map((issue) => issue.path)).toContain(path)
  })

  test.each([{ cmd: null }, { transport: 'stream' }])(
    'to %j, which leaves nothing to reach, is refused',
    async (body) => {
      const { status, error } = await refuse('PATCH', '/api/connectors/good', body)
      expect(status).toBe(422)
      expect(error.message).toContain('needs a')
    },
  )

  test('of a connector that does not exist is refused with 404 and the names that do', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['GET', '/health'],
      ['GET', '/tools'],
      ['GET', '/logs'],
    ] as const) {
      for (const name of ['absent', '__proto__', 'constructor', '%00', 'x'.repeat(5000)]) {
        const { status, error } = await refuse(
          method,
          `/api/connectors/${name}${path}`,
          method === 'PATCH' ? {} : undefined,
        )
        expect(status).toBe(404)
        expect(error.code).toBe('CONNECTOR_NOT_FOUND')
        expect(error.message).toContain('There are: good')
      }
    }
  })
})

describe('a path', () => {
  test.each([
    '/api/unknown',
    '/api/',
    '/api/connectors/good/unknown',
    '/api/connectors/',
    '/api/connectors//health',
    '/api/../api/unknown',
    '/api/%2e%2e/%2e%2e/etc/passwd',
    '/api/connectors/..%2f..%2fetc%2fpasswd/logs/x',
    '/api/\\..\\..\\etc\\passwd',
  ])('%s leads nowhere', async (path) => {
    // A URL object would tidy the path up, so it goes into the request as it is.
    const { status, text } = await client.send('', {}, { method: 'GET', url: hub.url, path })
    expect(status).toBe(404)
    expect(text).not.toContain('root:')
  })

  test.each([
    '/../../../../../../../../etc/passwd.txt',
    '/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/hosts.txt',
    '/..%2f..%2f..%2f..%2f..%2fpackage.json',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/%00.js',
    '/%ff.js',
    '/assets/%zz.js',
  ])('%s leads to no file outside of the pages', async (path) => {
    const { status, text } = await client.send('', {}, { method: 'GET', url: hub.url, path })
    expect([200, 404]).toContain(status)
    expect(text).not.toContain('root:')
    expect(text).not.toContain('"workspaces"')
    expect(text).not.toContain('localhost')
  })

  test('with a broken escape is refused with 400', async () => {
    const { status } = await client.send('', {}, { method: 'GET', url: hub.url, path: '/api/connectors/%zz' })
    expect(status).toBe(400)
  })

  test.each(['/api/../mcp', '/mcp/../api/connectors', '//api/connectors', '/API/connectors', '/api;x=1/connectors'])(
    '%s does not get around the check of the origin',
    async (path) => {
      const headers = { origin: 'http://localhost:9999' }
      const { text } = await client.send('', headers, { method: 'GET', url: hub.url, path })
      expect(text).not.toContain('"connectors"')
    },
  )

  test('takes the methods that it takes', async () => {
    const { status, headers } = await client.send('', {}, { method: 'PUT' })
    expect(status).toBe(405)
    expect(headers.allow).toBe('GET, HEAD, POST')
  })

  test.each(['limit=0', 'limit=-1', 'limit=x', 'limit=100000', 'limit=1.5'])(
    'with ?%s is refused with 422',
    async (query) => {
      expect((await hub.api('GET', `/api/connectors/good/logs?${query}`)).status).toBe(422)
    },
  )
})

describe('a page of another site', () => {
  test.each(['https://evil.example', 'http://localhost:9999', 'null'])('at %s cannot use the API', async (origin) => {
    for (const [method, body] of [
      ['GET', ''],
      ['POST', { ...good, name: 'planted' }],
      ['DELETE', ''],
      ['OPTIONS', ''],
    ] as const) {
      const { status, headers } = await client.send(body, { origin }, { method, url: `${hub.url}/api/connectors` })
      expect(status).toBe(403)
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  test('that pretends to be this machine by a name of its own cannot either', async () => {
    const headers = { host: 'rebound.example', origin: 'http://rebound.example' }
    expect((await client.send('', headers, { method: 'GET' })).status).toBe(403)
  })

  test('of our own may', async () => {
    expect((await client.send('', { origin: hub.url }, { method: 'GET' })).status).toBe(200)
  })
})

describe('a client configuration to import', () => {
  test('with bad entries brings the good ones in and says why not the others', async () => {
    const servers = { fine: { command: 'x', disabled: true }, 'bad name!': { command: 'x' }, empty: {}, text: 'x' }
    const { body } = await hub.api('POST', '/api/import', { mcpServers: servers })
    const report = body as { added: string[]; failed: { name: string; reason: string }[] }
    expect(report.added).toContain('fine')
    for (const { reason } of report.failed) expect(reason).not.toBe('')
    for (const name of report.added) await hub.api('DELETE', `/api/connectors/${name}`)
  })

  test.each([[[]], ['text'], [5], [{ mcpServers: 'x' }]])('that is %j is refused', async (body) => {
    expect((await hub.api('POST', '/api/import', body)).status).toBeGreaterThanOrEqual(400)
  })
})
