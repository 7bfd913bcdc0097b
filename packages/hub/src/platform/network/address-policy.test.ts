import { expect, test } from 'vitest'
import { refuseAddress } from './address-policy.ts'
import { toAddressPolicy } from './to-address-policy.ts'

const closed = { private: 'deny', allow: [] } as const
const open = { private: 'allow', allow: [] } as const
const listing = (...allow: string[]) => ({ private: 'deny', allow }) as const

test.each([
  ['a public address', 'x.example', '8.8.8.8', closed, true],
  ['a private one', 'x.example', '10.0.0.1', closed, false],
  ['a private one where those are allowed', 'x.example', '10.0.0.1', open, true],
  ['loopback where private is allowed', 'localhost', '::1', open, true],
  ['metadata where private is allowed', 'x.example', '169.254.169.254', open, false],
  ['metadata that is listed', 'x.example', '169.254.169.254', listing('169.254.169.254'), true],
  ['metadata in IPv6 dress where IPv4 is listed', 'x', '::ffff:169.254.169.254', listing('169.254.169.254/32'), true],
  ['one in a listed range', 'x.example', '10.20.1.1', listing('10.20.0.0/16'), true],
  ['one beside a listed range', 'x.example', '10.21.1.1', listing('10.20.0.0/16'), false],
  ['one in a listed range of IPv6', 'x.example', 'fd12::1', listing('fd00::/8'), true],
  ['one of a listed name', 'Intra.example', '10.0.0.1', listing('intra.example'), true],
  ['one of another name', 'evil-intra.example', '10.0.0.1', listing('intra.example'), false],
  ['one below a listed name', 'a.intra.example', '10.0.0.1', listing('*.intra.example'), true],
  [
    'the listed name itself below which names are listed',
    'intra.example',
    '10.0.0.1',
    listing('*.intra.example'),
    false,
  ],
  ['one with a broken range', 'x.example', '10.0.0.1', listing('10.0.0.0/99', '10.0.0.0/x', ''), false],
])('%s: %s at %s', (_, host, address, policy, isAllowed) => {
  expect(refuseAddress(host, address, policy) === null).toBe(isAllowed)
})

test.each([
  ['auto', null, true, 'allow'],
  ['auto', null, false, 'deny'],
  ['auto', 'https://mcp.example.com', true, 'deny'],
  ['allow', 'https://mcp.example.com', false, 'allow'],
  ['deny', null, true, 'deny'],
] as const)(
  'private addresses %s, found at %s, listening only here %s: %s',
  (setting, publicUrl, isLocal, expected) => {
    const settings = { privateAddresses: setting, publicUrl, reachable: ['10.0.0.0/8'] }
    expect(toAddressPolicy(settings, isLocal)).toEqual({ private: expected, allow: ['10.0.0.0/8'] })
  },
)
