import type { LookupFunction } from 'node:net'
import type { HubError } from '@herma/contract'
import { expect, test } from 'vitest'
import { createAddressGuard, type AddressPolicy } from '../../platform/network/index.ts'
import { guardIssuer } from './guard-issuer.ts'

const open: AddressPolicy = { private: 'allow', allow: [] }
const closed: AddressPolicy = { private: 'deny', allow: [] }

/** Names lead where the test says. */
function lookupOf(names: Record<string, string[]>): LookupFunction {
  return (host, _options, callback) => {
    const found = names[host]
    if (found === undefined) callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), [])
    else
      callback(
        null,
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
  }
}

const lookup = lookupOf({
  'public.example': ['8.8.8.8'],
  'intra.example': ['10.0.0.1'],
  'mixed.example': ['8.8.8.8', '10.0.0.1'],
})

test.each([
  ['a public server names a private address', 'https://public.example/mcp', '10.0.0.2', open, false],
  ['a public server names this machine', 'https://8.8.8.8/mcp', '127.0.0.1', open, false],
  ['a public server names a public address', 'https://public.example/mcp', '9.9.9.9', open, true],
  ['a private server names a private address', 'https://intra.example/mcp', '10.0.0.2', open, true],
  ['a private server names this machine', 'https://intra.example/mcp', '127.0.0.1', open, false],
  ['one of this machine names this machine', 'http://127.0.0.1:1/mcp', '::1', open, true],
  ['one of this machine names a private address', 'http://localhost.example/mcp', '10.0.0.2', open, false],
  ['one that says both names a private address', 'https://mixed.example/mcp', '10.0.0.2', open, false],
  ['one of this machine names where credentials are', 'http://127.0.0.1:1/mcp', '169.254.169.254', open, false],
  ['a private server names a private address, which is denied', 'https://intra.example/mcp', '10.0.0.2', closed, false],
  [
    'what is listed',
    'https://public.example/mcp',
    '10.0.0.2',
    { private: 'allow', allow: ['10.0.0.2'] } as const,
    true,
  ],
])('%s', async (_, serverUrl, issuer, policy, isAllowed) => {
  const guard = await guardIssuer(
    createAddressGuard(() => policy, lookup),
    serverUrl,
  )
  const outcome = () => {
    try {
      guard.check('issuer.example', issuer)
      return 'reached'
    } catch (error) {
      return (error as HubError).code
    }
  }
  expect(outcome()).toBe(isAllowed ? 'reached' : 'ADDRESS_REFUSED')
})
