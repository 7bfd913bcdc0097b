import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { HubError, type Principal } from '@herma/contract'
import { describe, expect, test } from 'vitest'
import { operator } from '../wire/index.ts'
import { admit, isLocal, type Admission, type Entrance, type TokenAuthority } from './admission.ts'
import { OperatorLogin } from './operator-login.ts'

const operatorToken = `ho_${'o'.repeat(43)}`
const key: Principal = { id: 'key:ci', kind: 'key', name: 'ci', role: 'member', scopes: ['mcp'], servers: ['facade'] }
const user: Principal = { id: 'user:ann', kind: 'user', name: 'ann', role: 'admin', scopes: null, servers: null }
const client: Principal = { ...user, id: 'user:bob', scopes: ['mcp:read'], servers: ['facade'], clientId: 'c' }

const authority: TokenAuthority = {
  remembered: (token) => (token === 'remembered' ? client : undefined),
  verify: async (token) => (token === 'good' ? client : { refused: new HubError('UNAUTHENTICATED', 'bad') }),
  userOf: async (cookie) => (cookie.includes('session=ann') ? user : null),
  proves: async (cookie, proof) => cookie.includes('session=ann') && proof === 'anns',
  challengeFor: (server) => `Bearer resource_metadata="/.well-known/${server}"`,
}
const sealer = { seal: (text: string) => `sealed.${text}`, open: (text: string) => text.slice('sealed.'.length) }
const operatorLogin = new OperatorLogin({ token: operatorToken, sealer })
const keys = { principalOf: (given: string) => (given === `hk_${'k'.repeat(43)}` ? key : null) }

const facade: Entrance = {
  server: 'facade',
  opens: 'unless-public',
  keyHeader: 'authorization',
  takesCookies: false,
  scopes: ['mcp', 'mcp:read'],
}
const api: Entrance = {
  ...facade,
  server: null,
  opens: 'never' as const,
  takesCookies: 'proven' as const,
  scopes: ['admin'],
}

function request(headers: Record<string, string> = {}, from: { address?: string; url?: string } = {}): IncomingMessage {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: from.address ?? '127.0.0.1' })
  return Object.assign(new IncomingMessage(socket), {
    headers: { host: 'localhost:4376', ...headers },
    url: from.url ?? '/mcp',
  })
}

const ask = async (entrance: Entrance, ...from: Parameters<typeof request>) => {
  const admission: Admission = await admit(request(...from), entrance, {
    operatorLogin,
    keys,
    authority,
    isPublic: false,
    isLocal,
  })
  return 'refused' in admission ? admission.refused.code : admission.id
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('a request from this machine', () => {
  test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.8.9.1'])('comes from %s', (address) => {
    expect(isLocal(request({}, { address }))).toBe(true)
  })

  test.each([
    ['another machine', {}, '10.0.0.5'],
    ['a name that is not ours', { host: 'evil.example' }, '127.0.0.1'],
    ['a proxy here', { 'x-forwarded-for': '1.2.3.4' }, '127.0.0.1'],
    ['a proxy here that says it otherwise', { forwarded: 'for=1.2.3.4' }, '127.0.0.1'],
    ['a tunnel here', { 'cf-connecting-ip': '1.2.3.4' }, '::1'],
    ['a proxy that names itself', { via: '1.1 caddy' }, '::1'],
    ['a proxy with the address', { 'x-real-ip': '1.2.3.4' }, '::1'],
    ['a proxy with the name', { 'x-forwarded-host': 'mcp.example.com' }, '::1'],
  ])('does not come from %s', async (_, headers, address) => {
    expect(isLocal(request(headers, { address }))).toBe(false)
    expect(await ask(facade, headers, { address })).toBe('UNAUTHENTICATED')
  })
})

describe('who is asking', () => {
  test.each([
    ['nobody, at an open server', facade, {}, 'operator'],
    ['nobody, at a server that wants a key', { ...facade, opens: 'never' as const }, {}, 'UNAUTHENTICATED'],
    ['nobody, at the management API', api, {}, 'UNAUTHENTICATED'],
    ['the operator', api, bearer(operatorToken), 'operator'],
    ['an operator with another token', facade, bearer(`ho_${'x'.repeat(43)}`), 'UNAUTHENTICATED'],
    ['a key', facade, bearer(`hk_${'k'.repeat(43)}`), 'key:ci'],
    ['an unknown key, though the server is open', facade, bearer(`hk_${'x'.repeat(43)}`), 'UNAUTHENTICATED'],
    ['a key of another server', { ...facade, server: 'work' }, bearer(`hk_${'k'.repeat(43)}`), 'FORBIDDEN'],
    ['a key without the scope', api, bearer(`hk_${'k'.repeat(43)}`), 'FORBIDDEN'],
    ['a token that is remembered', facade, bearer('remembered'), 'user:bob'],
    ['a token that has to be checked', facade, bearer('good'), 'user:bob'],
    ['a token without the scope', api, bearer('good'), 'FORBIDDEN'],
    ['a bad token', facade, bearer('bad'), 'UNAUTHENTICATED'],
    ['another scheme', facade, { authorization: 'Basic dXNlcjpwYXNz' }, 'UNAUTHENTICATED'],
    ['a page of a user', api, { cookie: 'session=ann', 'herma-proof': 'anns' }, 'user:ann'],
    ['a browser of a user without the proof', api, { cookie: 'session=ann' }, 'UNAUTHENTICATED'],
    ['a browser of a user with another proof', api, { cookie: 'session=ann', 'herma-proof': 'x' }, 'UNAUTHENTICATED'],
    [
      'a browser of a user at a link',
      { ...api, takesCookies: 'alone' as const },
      { cookie: 'session=ann' },
      'user:ann',
    ],
    ['a browser of the operator', api, { cookie: 'a=b; herma_operator=sealed.forged' }, 'UNAUTHENTICATED'],
    [
      'a browser at an MCP server',
      { ...facade, opens: 'never' as const },
      { cookie: 'session=ann' },
      'UNAUTHENTICATED',
    ],
  ])('%s', async (_, entrance, headers, expected) => {
    expect(await ask(entrance, headers)).toBe(expected)
  })

  test('a server may want keys in a header of its own, and still knows bearer tokens', async () => {
    const entrance = { ...facade, keyHeader: 'x-api-key', opens: 'never' as const }
    expect(await ask(entrance, { 'x-api-key': `hk_${'k'.repeat(43)}` })).toBe('key:ci')
    expect(await ask(entrance, bearer('good'))).toBe('user:bob')
    expect(await ask(facade, { 'x-api-key': `hk_${'x'.repeat(43)}` })).toBe('operator')
  })

  test.each(['access_token', 'token', 'api_key', 'apikey', 'api-key', 'key', 'Authorization'])(
    'nobody who puts a secret into the URL as %s',
    async (name) => {
      const url = `/mcp?a=1&${name}=hk_${'k'.repeat(43)}`
      expect(await ask(facade, {}, { url })).toBe('INVALID_REQUEST')
      expect(await ask(api, bearer(operatorToken), { url })).toBe('INVALID_REQUEST')
    },
  )

  test('nobody, once the hub has a public URL, unless the server stays open', async () => {
    const parts = { operatorLogin, keys, authority, isPublic: true, isLocal }
    expect(await admit(request(), facade, parts)).toHaveProperty('refused')
    expect(await admit(request(), { ...facade, opens: 'locally' }, parts)).toBe(operator)
    expect(await admit(request(bearer(operatorToken)), facade, parts)).toBe(operator)
  })

  test('nobody who is less than the entrance wants', async () => {
    const entrance: Entrance = { ...facade, scopes: ['admin', 'mcp'], role: 'admin' }
    expect(await ask(entrance, bearer(`hk_${'k'.repeat(43)}`))).toBe('FORBIDDEN')
    expect(await ask(entrance, bearer(operatorToken))).toBe('operator')
  })

  test('a refusal tells where to sign in', async () => {
    const admission = await admit(
      request(),
      { ...facade, opens: 'never' as const },
      { operatorLogin, keys, authority, isPublic: false, isLocal },
    )
    expect(admission).toMatchObject({ challenge: 'Bearer resource_metadata="/.well-known/facade"' })
  })

  test('who is known is known at once', () => {
    expect(admit(request(), facade, { operatorLogin, keys, authority, isPublic: false, isLocal })).toBe(operator)
    expect(
      admit(request(bearer('remembered')), facade, { operatorLogin, keys, authority, isPublic: false, isLocal }),
    ).toBe(client)
  })
})
