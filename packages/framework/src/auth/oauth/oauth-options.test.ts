import { expect, test } from 'vitest'
import { ConfigError } from '../../protocol/errors.ts'
import { readOAuthOptions, type OAuthOptions } from './oauth-options.ts'

const good: OAuthOptions = { resource: 'https://mcp.example.com/mcp', issuer: 'https://auth.example.com' }
const client = { clientId: 'notes', clientSecret: 'canary-secret' }

test('what is left out has a default', () => {
  expect(readOAuthOptions(good)).toEqual({
    issuers: ['https://auth.example.com'],
    audiences: ['https://mcp.example.com/mcp'],
    jwks: 'discover',
    clockSkewS: 30,
  })
})

test.each<[string, Partial<OAuthOptions>]>([
  ['resource', { resource: 'mcp.example.com' }],
  ['resource', { resource: 'https://mcp.example.com/mcp#top' }],
  ['resource', { resource: undefined }],
  ['issuer', { issuer: [] }],
  ['issuer', { issuer: 'http://auth.example.com' }],
  ['issuer', { issuer: 'https://auth.example.com?tenant=a' }],
  ['issuer', { issuer: ['https://auth.example.com', 'https://ada:canary-secret@auth.example.com'] }],
  ['jwks', { jwks: 'http://auth.example.com/keys' }],
  ['several', { jwks: 'https://auth.example.com/keys', issuer: ['https://a.example.com', 'https://b.example.com'] }],
  ['several', { introspection: client, issuer: ['https://a.example.com', 'https://b.example.com'] }],
  ['introspection.url', { introspection: { ...client, url: 'http://auth.example.com/introspect' } }],
  ['clientSecret', { introspection: { ...client, clientSecret: '' } }],
  ['verify', { introspection: client, verify: () => undefined }],
  ['scope', { scopes: ['notes read'] }],
  ['scope', { scopesSupported: ['"'] }],
  ['clockSkewS', { clockSkewS: -1 }],
  ['clockSkewS', { clockSkewS: Number.NaN }],
  ['documentationUrl', { documentationUrl: 'javascript:alert(1)' }],
])('a bad %s is refused with what to write instead, case %#', (word, options) => {
  const read = () => readOAuthOptions({ ...good, ...options })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(word)
  expect(read).not.toThrow('canary-secret')
})
