import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { OwnTokens } from './own-tokens.ts'
import { Revocations, subjectOfGrant, subjectOfToken, subjectOfUser } from '../user/revocations.ts'

const url = 'https://hub.example'
let key: CryptoKey
let other: CryptoKey
let tokens: OwnTokens
const revocations = new Revocations({ loadRevocations: async () => [], saveRevocation: async () => {} })
const users = new Map([
  ['1', { id: '1', name: 'ada', email: '', role: 'admin' as const, disabled: false }],
  ['2', { id: '2', name: 'bob', email: '', role: 'member' as const, disabled: true }],
])

beforeAll(async () => {
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519' })
  key = pair.privateKey
  other = (await generateKeyPair('EdDSA', { crv: 'Ed25519' })).privateKey
  const jwk = { ...(await exportJWK(pair.publicKey)) }
  tokens = new OwnTokens({
    store: { loadKeys: async () => [{ id: 'k1', alg: 'EdDSA', jwk }] },
    users: { findById: async (id) => users.get(id) ?? null },
    revocations,
    issuer: () => url,
    resources: () => [
      { server: 'facade', url: `${url}/mcp` },
      { server: 'facade', url: `${url}/sse` },
      { server: 'reader', url: `${url}/reader` },
      { server: null, url: `${url}/api` },
    ],
  })
})

const now = () => Math.floor(Date.now() / 1000)

function claimsWith(changes: Record<string, unknown>): Record<string, unknown> {
  const usual = {
    iss: url,
    aud: `${url}/mcp`,
    sub: '1',
    client_id: 'app',
    scope: 'mcp',
    jti: 'j1',
    iat: now(),
    exp: now() + 60,
  }
  return { ...usual, ...changes }
}

function sign(changes: Record<string, unknown> = {}, header: Record<string, unknown> = {}, by = key): Promise<string> {
  const protectedHeader = { alg: 'EdDSA', kid: 'k1', typ: 'at+jwt', ...header }
  return new SignJWT(claimsWith(changes)).setProtectedHeader(protectedHeader).sign(by)
}

test('a good token names its user, and is good for every address of its server', async () => {
  const expected = { id: 'user:ada', role: 'admin', scopes: ['mcp'], servers: ['facade'], clientId: 'app' }
  expect((await tokens.verify(await sign(), 'facade')).principal).toMatchObject(expected)
  expect((await tokens.verify(await sign({ aud: `${url}/sse` }), 'facade')).principal).toMatchObject(expected)
})

test.each<[string, Record<string, unknown>, Record<string, unknown>?]>([
  ['expired', { exp: now() - 60 }],
  ['not valid yet', { nbf: now() + 600 }],
  ['for another server', { aud: `${url}/reader` }],
  ['for the management API', { aud: `${url}/api` }],
  ['for nobody', { aud: undefined }],
  ['of another issuer', { iss: 'https://evil.example' }],
  ['of nobody', { sub: undefined }],
  ['of a user that is not there', { sub: '9' }],
  ['of a disabled user', { sub: '2' }],
  ['without an end', { exp: undefined }],
  ['without an id', { jti: undefined }],
  ['bound to a key', { cnf: { jkt: 'x' } }],
  ['of another kind', {}, { typ: 'JWT' }],
  ['signed with a key that is not ours', {}, { kid: 'k2' }],
])('a token that is %s is refused', async (_case, claims, header) => {
  await expect(tokens.verify(await sign(claims, header), 'facade')).rejects.toMatchObject({ name: 'TokenRefused' })
})

test('forged tokens are refused', async () => {
  const [header, payload, signature] = (await sign()).split('.')
  const admin = Buffer.from(JSON.stringify(claimsWith({ scope: 'admin' }))).toString('base64url')
  for (const token of [
    await sign({}, {}, other),
    new UnsecuredJWT(claimsWith({})).encode(),
    `${header}.${admin}.${signature}`,
    `${header}.${payload}.`,
    'a.b.c',
    '',
  ])
    await expect(tokens.verify(token, 'facade')).rejects.toMatchObject({ name: 'TokenRefused' })
})

describe('a revocation', () => {
  test.each([
    ['of the token', subjectOfToken('j2'), { jti: 'j2' }],
    ['of the grant', subjectOfGrant('1', 'app-2'), { client_id: 'app-2', jti: 'j3' }],
    ['of the user', subjectOfUser('1'), { jti: 'j4' }],
  ])('%s refuses what was issued before, not what comes after', async (_case, subject, claims) => {
    const before = await sign(claims)
    await tokens.verify(before, 'facade')
    await revocations.revoke(subject)
    await expect(tokens.verify(before, 'facade')).rejects.toMatchObject({ name: 'TokenRefused' })
    const after = await sign({ ...claims, iat: now() + 2 })
    expect((await tokens.verify(after, 'facade')).principal.id).toBe('user:ada')
  })
})
