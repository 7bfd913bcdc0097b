import { expect, test } from 'vitest'
import { oauth } from './oauth.ts'
import { requestWith } from '../testing/requests.ts'

const auth = oauth({
  resource: 'https://mcp.example.com/mcp',
  issuer: ['https://auth.example.com', 'https://login.example.com/tenant'],
  scopes: ['notes:read'],
  resourceName: 'Notes',
  documentationUrl: 'https://example.com/docs',
})

function get(path: string, method = 'GET') {
  return auth.document?.(requestWith(undefined, `https://mcp.example.com${path}`, method))
}

test('the metadata is at the path of the resource and at the root', async () => {
  for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']) {
    const answer = await get(path)
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    expect(JSON.parse(answer?.body ?? '')).toEqual({
      resource: 'https://mcp.example.com/mcp',
      authorization_servers: ['https://auth.example.com', 'https://login.example.com/tenant'],
      bearer_methods_supported: ['header'],
      scopes_supported: ['notes:read'],
      resource_name: 'Notes',
      resource_documentation: 'https://example.com/docs',
    })
  }
})

test('browsers of any origin may read the metadata, with headers of their own', async () => {
  expect((await get('/.well-known/oauth-protected-resource'))?.headers).toMatchObject({
    'access-control-allow-origin': '*',
  })
  expect(await get('/.well-known/oauth-protected-resource/mcp', 'OPTIONS')).toMatchObject({
    status: 204,
    headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' },
  })
})

test('other paths are none of its business, and other methods are refused', async () => {
  expect(await get('/mcp')).toBeUndefined()
  expect(await get('/.well-known/oauth-protected-resource/other')).toBeUndefined()
  expect(await get('/.well-known/oauth-protected-resource', 'POST')).toMatchObject({ status: 405 })
  expect(await get('/.well-known/oauth-protected-resource', 'HEAD')).not.toHaveProperty('body')
})
