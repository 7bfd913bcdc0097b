import { describe, expect, test } from 'vitest'
import { isLoopbackName, HostGuard } from './host-guard.ts'

const host = '127.0.0.1:4376'
const own = 'http://127.0.0.1:4376'

describe('the Host header', () => {
  test.each(['127.0.0.1', '127.0.0.1:4376', 'localhost', 'LOCALHOST:80', '[::1]', '[::1]:4376', '127.1.2.3:1'])(
    '%s names this machine',
    (name) => {
      expect(new HostGuard().check({ host: name })).toBeNull()
    },
  )

  test.each([
    undefined,
    '',
    'evil.example',
    'evil.example:4376',
    'localhost.evil.example',
    'evil-localhost',
    'localhost.',
    '127.0.0.1.evil.example',
    '127.0.0.1@evil.example',
    '127.0.0.1:4376@evil.example',
    '0.0.0.0',
    '10.0.0.1',
    '[::]',
    '[::ffff:127.0.0.1]',
    '::1',
    'localhost:port',
    'localhost:123456',
    'localhost/x',
    'localhost,evil.example',
    ' localhost',
    '__proto__',
    'constructor',
  ])('%j does not', (name) => {
    const refusal = new HostGuard().check(name === undefined ? {} : { host: name })
    expect(refusal).toContain('does not name this hub')
  })
})

describe('the Origin header', () => {
  test('of our own pages may use the endpoint', () => {
    const guard = new HostGuard()
    guard.configure({ publicOrigin: 'https://mcp.example.com', hosts: [], origins: [] })
    for (const origin of [`http://${host}`, 'https://mcp.example.com']) expect(guard.check({ host, origin })).toBeNull()
    expect(guard.check({ host: 'localhost:4376', origin: 'http://localhost:4376' })).toBeNull()
  })

  test.each(['http://localhost:6274', 'http://127.0.0.1:6274', 'https://localhost', 'http://[::1]:3000'])(
    '%s is somebody else until it is allowed by name, which the refusal tells',
    (origin) => {
      const guard = new HostGuard()
      expect(guard.check({ host, origin })).toContain(`herma access --origin ${origin}`)
      guard.configure({ publicOrigin: null, hosts: [], origins: [origin] })
      expect(guard.check({ host, origin })).toBeNull()
      expect(guard.check({ host, origin: `${origin}1` })).not.toBeNull()
      // The management API is for our own pages, whoever else may use the servers.
      expect(guard.check({ host, origin }, own)).toContain('not allowed')
    },
  )

  test.each([
    '',
    'null',
    'http://evil.example',
    'https://127.0.0.1.evil.example',
    'http://localhost.evil.example:4376',
    'http://evil.example/http://localhost',
    'http://localhost@evil.example',
    'http://localhost:4376/',
    'file://localhost',
    'chrome-extension://localhost',
    'localhost',
    'xhttp://localhost',
    'http://',
    '__proto__',
  ])('%j may not', (origin) => {
    expect(new HostGuard().check({ host, origin })).toContain('not allowed')
  })

  test.each([own, 'http://127.0.0.1:4376'])('%s may use the management API, which is its own', (origin) => {
    expect(new HostGuard().check({ host, origin }, own)).toBeNull()
  })

  test('may be another name of this machine, when the page was opened under that name', () => {
    expect(new HostGuard().check({ host: 'localhost:4376', origin: 'http://localhost:4376' }, own)).toBeNull()
  })

  test.each(['http://localhost:6274', 'http://127.0.0.1:80', 'https://127.0.0.1:4376', 'null', 'http://evil.example'])(
    '%s may not use the management API',
    (origin) => {
      expect(new HostGuard().check({ host, origin }, own)).toContain('not allowed')
    },
  )
})

test('a verdict is the same the second time, and after thousands of others', () => {
  const guard = new HostGuard()
  for (let index = 0; index < 3000; index++) {
    expect(guard.check({ host: `evil-${index}.example`, origin: `http://evil-${index}.example` })).not.toBeNull()
  }
  for (let round = 0; round < 2; round++) {
    expect(guard.check({ host, origin: `http://${host}` })).toBeNull()
    expect(guard.check({ host, origin: 'http://evil.example' })).not.toBeNull()
    expect(guard.check({ host: 'evil-1.example' })).not.toBeNull()
  }
})

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['[::1]', true],
  ['0.0.0.0', false],
  ['::', false],
  ['', false],
  ['example.com', false],
])('%j as an address to listen on is loopback: %s', (name, expected) => {
  expect(isLoopbackName(name)).toBe(expected)
})
