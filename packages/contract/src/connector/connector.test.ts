import { describe, expect, test } from 'vitest'
import { ConnectorInput, ConnectorPatch } from './connector.ts'

const stdio = { name: 'files', transport: 'stdio', cmd: 'node' }
const stream = { name: 'web', transport: 'stream', baseUrl: 'https://mcp.example.com/mcp' }

function issuesOf(schema: typeof ConnectorInput | typeof ConnectorPatch, value: unknown): string[] {
  const result = schema.safeParse(value)
  return result.success ? [] : [...new Set(result.error.issues.map((issue) => issue.path.join('.')))]
}

describe('a connector', () => {
  test('needs little and gets the rest by default', () => {
    expect(ConnectorInput.parse(stdio)).toEqual({
      ...stdio,
      description: '',
      kind: 'client',
      enabled: true,
      headers: [],
      args: [],
      env: [],
      notes: '',
      options: {
        listed: true,
        era: 'auto',
        start: 'use',
        isolation: 'shared',
        credentials: 'shared',
        pinning: 'warn',
        handshakeTimeoutMs: 30_000,
        installTimeoutMs: 300_000,
        requestTimeoutMs: 600_000,
        maxRequestMs: 3_600_000,
        idleTimeoutMs: 600_000,
        maxRestarts: 5,
        maxConcurrency: 256,
        maxMessageBytes: 16_777_216,
        maxListEntries: 10_000,
        maxListBytes: 16_777_216,
        maxDescriptorBytes: 1_048_576,
        maxEventsPerMinute: 1000,
        listRefreshMs: 300_000,
      },
    })
  })

  test('keeps the options that are given and fills in the others', () => {
    const { options } = ConnectorInput.parse({ ...stdio, options: { prefix: '', maxRestarts: 0 } })
    expect(options).toMatchObject({ prefix: '', maxRestarts: 0, era: 'auto' })
  })

  test.each(['a', 'A-1_b', '0', 'x'.repeat(40)])('may be named %s', (name) => {
    expect(issuesOf(ConnectorInput, { ...stdio, name })).toEqual([])
  })

  test.each([
    '',
    '-a',
    '_a',
    '__proto__',
    'a b',
    'a.b',
    'a/b',
    'herma',
    '../a',
    'größe',
    'a\n',
    'x'.repeat(41),
    null,
    1,
    undefined,
  ])('may not be named %j', (name) => {
    expect(issuesOf(ConnectorInput, { ...stdio, name })).toEqual(['name'])
  })

  test.each([
    ['transport', { ...stdio, transport: 'websocket' }],
    ['transport', { name: 'a', cmd: 'node', baseUrl: 'http://a' }],
    ['cmd', { ...stdio, cmd: undefined }],
    ['cmd', { ...stdio, cmd: '' }],
    ['baseUrl', { ...stream, baseUrl: undefined }],
    ['baseUrl', { ...stream, transport: 'sse', baseUrl: undefined }],
    ['baseUrl', { ...stream, baseUrl: 'mcp.example.com' }],
    ['baseUrl', { ...stream, baseUrl: 'ftp://mcp.example.com' }],
    ['baseUrl', { ...stream, baseUrl: 'file:///etc/passwd' }],
    ['baseUrl', { ...stream, baseUrl: 'javascript:alert(1)' }],
    ['baseUrl', { ...stream, baseUrl: '' }],
    ['args', { ...stdio, args: 'server.js' }],
    ['args.0', { ...stdio, args: [1] }],
    ['env.0.name', { ...stdio, env: [{ name: '', value: 'a' }] }],
    ['env', { ...stdio, env: { A: 'b' } }],
    ['headers.0.value', { ...stream, headers: [{ name: 'a', value: 'x'.repeat(65_537) }] }],
    ['headers', { ...stream, headers: Array.from({ length: 101 }, () => ({ name: 'a', value: 'b' })) }],
    ['enabled', { ...stdio, enabled: 'yes' }],
    ['options.maxRestarts', { ...stdio, options: { maxRestarts: -1 } }],
    ['options.requestTimeoutMs', { ...stdio, options: { requestTimeoutMs: 1.5 } }],
    ['options.maxMessageBytes', { ...stdio, options: { maxMessageBytes: 1 } }],
    ['options.prefix', { ...stdio, options: { prefix: 'a.b' } }],
    ['options.era', { ...stdio, options: { era: 'stone' } }],
    ['options', { ...stdio, options: { unknown: 1 } }],
    ['', { ...stdio, unknown: 1 }],
    ['', null],
    ['', []],
    ['', 'text'],
  ])('is refused with the place of the mistake: %j', (path, value) => {
    expect(issuesOf(ConnectorInput, value)).toEqual([path])
  })

  test('is told every mistake at once', () => {
    const value = { name: '?', transport: 'stdio', args: 1, options: { era: 1 } }
    expect(issuesOf(ConnectorInput, value).toSorted()).toEqual(['args', 'name', 'options.era'])
  })
})

describe('a change of a connector', () => {
  test('fills nothing in that was not given', () => {
    expect(ConnectorPatch.parse({})).toEqual({})
    expect(ConnectorPatch.parse({ enabled: false })).toEqual({ enabled: false })
  })

  test('clears a field with null where a connector can do without', () => {
    const value = { baseUrl: null, endpointPath: null, cmd: null, workingDir: null }
    expect(ConnectorPatch.parse(value)).toEqual(value)
  })

  test.each([
    ['name', { name: null }],
    ['name', { name: 'a b' }],
    ['enabled', { enabled: null }],
    ['baseUrl', { baseUrl: 'nowhere' }],
    ['options', { options: { unknown: true } }],
    ['', { id: 'x' }],
  ])('is refused with the place of the mistake %j: %j', (path, value) => {
    expect(issuesOf(ConnectorPatch, value)).toEqual([path])
  })
})

describe('the sign-in of a connector', () => {
  const robot = { grant: 'client_credentials', clientId: 'robot', clientSecret: 'secret' }

  test.each([
    [{}, []],
    [robot, []],
    [{ ...robot, clientSecret: undefined, privateKey: 'key', algorithm: 'ES256' }, []],
    [{ clientMetadataUrl: 'https://me.example/client.json' }, []],
    [{ clientMetadataUrl: 'http://me.example/client.json' }, ['oauth.clientMetadataUrl']],
    [{ grant: 'password' }, ['oauth.grant']],
    [{ clientSecret: 'secret' }, ['oauth.clientId']],
    [{ ...robot, clientId: undefined }, ['oauth.clientId']],
    [{ ...robot, clientSecret: undefined }, ['oauth.clientId']],
    [{ ...robot, privateKey: 'key' }, ['oauth.algorithm']],
    [{ ...robot, algorithm: 'none' }, ['oauth.algorithm']],
    [{ token: 'x' }, ['oauth']],
  ])('%j is refused for %j', (oauth, issues) => {
    expect(issuesOf(ConnectorInput, { ...stream, oauth })).toEqual(issues)
  })

  test('has no place in a command', () => {
    expect(issuesOf(ConnectorInput, { ...stdio, oauth: {} })).toEqual(['oauth'])
  })

  test('is changed field by field, without defaults', () => {
    expect(ConnectorPatch.parse({ oauth: { scope: 'a', clientSecret: null } })).toEqual({
      oauth: { scope: 'a', clientSecret: null },
    })
    expect(ConnectorPatch.parse({ oauth: null })).toEqual({ oauth: null })
  })
})
