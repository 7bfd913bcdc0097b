import { hostname, networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import type { Call } from '../../wire/index.ts'
import type { Handshake } from '../link/handshake.ts'
import { OwnHub } from './own-hub.ts'

const hub = new OwnHub({
  id: 'h1',
  origin: () => 'http://127.0.0.1:4376',
  knownAs: () => ['https://mcp.example.com', 'tunnel.example', 'odd.example:8443'],
  isApart: (server) => server === 'alpha' || server === 'session:ada',
})
const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
const own = interfaces.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1'

describe('an address of this hub', () => {
  test.each([
    'http://127.0.0.1:4376/mcp',
    'http://localhost:4376/mcp/',
    'http://LOCALHOST.:4376/mcp',
    'http://herma.localhost:4376',
    'http://[::1]:4376/mcp',
    'http://0.0.0.0:4376/mcp',
    'http://[::]:4376/mcp',
    'http://127.1:4376/mcp',
    'http://2130706433:4376/mcp',
    'http://0x7f.0.0.1:4376/sse',
    'http://[::ffff:127.0.0.1]:4376/mcp',
    'http://127.9.9.9:4376/mcp',
    'http://user:pass@localhost:4376/mcp?x=1',
    'https://localhost:4376/anything',
    `http://${hostname()}:4376/mcp`,
    `http://${own}:4376/mcp`,
    `http://[::ffff:${own}]:4376/mcp`,
    'http://127.0.0.1:4376/api/mcp/servers/custom/stream',
    'https://mcp.example.com/mcp',
    'https://MCP.example.com:443/api/mcp/servers/custom/sse',
    'http://tunnel.example/mcp',
    'https://tunnel.example:1234/mcp/',
    'https://odd.example:8443/mcp',
  ])('is known as %s', (baseUrl) => {
    expect(hub.find({ baseUrl })).not.toBeNull()
    expect(() => hub.refuse({ baseUrl })).toThrow('this hub itself')
  })

  test('is known in two parts, and inside of a wrapper', () => {
    expect(hub.find({ baseUrl: 'http://localhost:4376', endpointPath: '/mcp' })).not.toBeNull()
    expect(hub.find({ baseUrl: 'https://mcp.example.com/', endpointPath: 'mcp' })).not.toBeNull()
    expect(hub.find({ cmd: 'npx', args: ['-y', 'mcp-remote', 'http://localhost:4376/mcp'] })).not.toBeNull()
    expect(hub.find({ cmd: 'supergateway', args: ['--sse=http://[::1]:4376/sse'] })).not.toBeNull()
    expect(hub.find({ cmd: 'sh', args: ['-c', "npx mcp-remote 'https://mcp.example.com/mcp'"] })).not.toBeNull()
    expect(hub.find({ cmd: 'npx', args: ['herma@1.2.3', 'stdio'] })).not.toBeNull()
    expect(hub.find({ cmd: '/usr/bin/node', args: ['/opt/hub/bin/herma.js', 'stdio'] })).not.toBeNull()
    expect(hub.find({ cmd: 'herma', args: ['stdio', '--hub', 'http://localhost:4376'] })).not.toBeNull()
  })

  test.each([
    'http://127.0.0.1:4377/mcp',
    'http://127.0.0.1/mcp',
    'https://mcp.example.com:8443/mcp',
    'https://mcp.example.com/github',
    'https://other.example.com/mcp',
    'https://tunnel.example.org/mcp',
    'http://127.0.0.1:4376/api/mcp/servers/alpha/stream',
    'https://mcp.example.com/api/mcp/sessions/ada/stream',
    'not a url',
  ])('is not %s', (baseUrl) => {
    expect(hub.find({ baseUrl })).toBeNull()
  })

  test('is not a program that is told of it, or of another hub', () => {
    expect(hub.find({ cmd: 'npx', args: ['some-server', '--api', 'http://localhost:4376/api/status'] })).toBeNull()
    expect(hub.find({ cmd: 'herma', args: ['stdio', '--hub', 'http://10.9.9.9:4376'] })).toBeNull()
    expect(hub.find({ cmd: 'herma', args: ['stdio'], env: [{ name: 'HERMA_STATE_HOME', value: '/x' }] })).toBeNull()
    expect(hub.find({ cmd: 'herma', args: ['list'] })).toBeNull()
  })
})

const said = (path: unknown) => ({ result: { _meta: { 'herma/path': path } } }) as unknown as Handshake

test('a server that says that it is this hub is refused, unless it is a team or session of it', () => {
  expect(() => hub.check('x', said(['h1/facade']))).toThrow("'x' is this hub itself")
  expect(() => hub.check('x', said(['h1/custom']))).toThrow('herma remove x')
  for (const path of [['h1/alpha'], ['h2/facade'], ['h10/facade'], 'h1/facade', [7], [], undefined])
    expect(() => hub.check('x', said(path))).not.toThrow()
})

test('what came back over another hub is left out, and the rest says which way it came', () => {
  const entry = (name: string, path?: unknown) => ({
    name,
    ...(path !== undefined && { _meta: { a: 1, 'herma/path': path } }),
  })
  const listed = [
    entry('own'),
    entry('far', ['h3/facade']),
    entry('back', ['h1/facade']),
    entry('round', ['h1/x', 'h3/y']),
  ]
  expect(hub.receive(listed, said(['h2/facade']))).toEqual([
    { name: 'own', _meta: { 'herma/path': ['h2/facade'] } },
    { name: 'far', _meta: { a: 1, 'herma/path': ['h3/facade', 'h2/facade'] } },
  ])
  expect(hub.receive(listed, said(undefined))).toBe(listed)
  expect(
    hub.receive(
      [
        entry(
          'long',
          Array.from({ length: 16 }, (_, index) => `k${index}/x`),
        ),
      ],
      said(['h2/x']),
    ),
  ).toEqual([])
})

test('a call that has gone on from here before is refused', () => {
  const call = (via?: string) => ({ method: 'tools/call', params: { name: 'echo' }, via }) as unknown as Call
  const first = hub.viaHeader(call())
  expect(first).toMatch(/^h1:[0-9a-f]{16}$/)
  expect(hub.viaHeader(call('h2:00'))).toBe(`h2:00,${first}`)
  expect(() => hub.viaHeader(call(`${first},h2:00`))).toThrow('in a circle')
  expect(() => hub.viaHeader(call(Array.from({ length: 40 }, (_, index) => `k${index}:0`).join(',')))).toThrow('circle')
})
