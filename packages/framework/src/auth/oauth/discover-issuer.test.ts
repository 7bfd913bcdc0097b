import { expect, test } from 'vitest'
import { discoverIssuer } from './discover-issuer.ts'
import { TestIssuer } from '../testing/test-issuer.ts'

test('an issuer with a path is looked for at its three addresses in order', async () => {
  await using issuer = await TestIssuer.start('/tenant')
  issuer.replies.clear()
  const paths = [
    '/.well-known/oauth-authorization-server/tenant',
    '/.well-known/openid-configuration/tenant',
    '/tenant/.well-known/openid-configuration',
  ]
  await expect(discoverIssuer(issuer.url)).rejects.toThrow(/answered 404.*answered 404.*answered 404.*'jwks'/s)
  expect(issuer.requests).toEqual(paths)
  issuer.replies.set(paths[2] ?? '', () => ({ body: { issuer: issuer.url, jwks_uri: 'https://keys.example.com/k' } }))
  expect((await discoverIssuer(issuer.url)).jwksUri?.href).toBe('https://keys.example.com/k')
})

test('an issuer without a path is looked for at two addresses, whatever a catch-all page answers', async () => {
  await using issuer = await TestIssuer.start()
  issuer.replies.set('/.well-known/oauth-authorization-server', () => ({ body: '<html>Welcome</html>' }))
  issuer.replies.set('/.well-known/openid-configuration', () => ({
    body: { issuer: issuer.url, introspection_endpoint: `${issuer.url}/introspect` },
  }))
  expect(await discoverIssuer(issuer.url)).toMatchObject({ jwksUri: undefined, introspectionAuthMethods: undefined })
  expect(issuer.requests).toEqual(['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])
})

test('a document of another issuer is not used, and the error says whose it is', async () => {
  await using issuer = await TestIssuer.start()
  await expect(discoverIssuer(`${issuer.url}/`)).rejects.toThrow(`names '${issuer.url}'`)
})

test('keys over plain http from another machine are not used', async () => {
  await using issuer = await TestIssuer.start()
  issuer.replies.set('/.well-known/oauth-authorization-server', () => ({
    body: { issuer: issuer.url, jwks_uri: 'http://keys.example.com/k' },
  }))
  await expect(discoverIssuer(issuer.url)).rejects.toThrow('a jwks_uri that is no https URL')
})

test('a redirect is followed within the origin and never to another one', async () => {
  await using issuer = await TestIssuer.start()
  await using other = await TestIssuer.start()
  const path = '/.well-known/oauth-authorization-server'
  issuer.replies.set('/moved', issuer.replies.get(path) ?? (() => ({})))
  issuer.replies.set(path, () => ({ status: 302, headers: { location: '/moved' } }))
  expect((await discoverIssuer(issuer.url)).jwksUri?.href).toBe(`${issuer.url}/jwks`)
  issuer.replies.set(path, () => ({ status: 302, headers: { location: `${other.url}${path}` } }))
  await expect(discoverIssuer(issuer.url)).rejects.toThrow('redirects to another origin')
  expect(other.requests).toEqual([])
  issuer.replies.set(path, () => ({ status: 302, headers: { location: path } }))
  await expect(discoverIssuer(issuer.url)).rejects.toThrow('redirects too often')
})

test('a huge document is not read to its end', async () => {
  await using issuer = await TestIssuer.start()
  const filler = 'x'.repeat(300_000)
  issuer.replies.set('/.well-known/oauth-authorization-server', () => ({ body: { issuer: issuer.url, filler } }))
  await expect(discoverIssuer(issuer.url)).rejects.toThrow('answered with more than 262144 bytes')
})
