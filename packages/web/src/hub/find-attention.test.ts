import type { ApiKeyView, ConnectorView, FragmentView, PinView } from '@herma/contract'
import { expect, test } from 'vitest'
import { findAttention } from './find-attention.ts'

const now = Date.parse('2026-11-16T12:00:00Z')
const connector = (name: string, rest: object) =>
  ({ id: name, name, enabled: true, warnings: [], problem: null, signIn: null, ...rest }) as unknown as ConnectorView
const pin = (connectorName: string, state: PinView['state']) =>
  ({ connector: connectorName, state, isOffered: true }) as PinView
const key = (name: string, expiresAt: string | null) => ({ name, expiresAt }) as ApiKeyView

test('a hub that is well needs nobody', () => {
  const ready = connector('a', { health: { state: 'ready', lastError: null, leftOut: [] } })
  expect(findAttention({ connectors: [ready], pins: [pin('a', 'approved')], keys: [key('k', null)] }, now)).toEqual([])
})

test('what fails comes before what waits, and each says where it is mended', () => {
  const broken = connector('broken', { health: { state: 'failed', lastError: { message: 'not on the PATH' } } })
  const locked = connector('locked', {
    signIn: { state: 'needed', problem: null },
    health: { state: 'idle', leftOut: [] },
  })
  const fragment = { file: 'catalog/x.json', errors: [{ line: 3, message: 'A comma is missing.' }] } as FragmentView
  const found = findAttention(
    {
      connectors: [locked, broken],
      pins: [pin('files', 'pending'), pin('files', 'blocked'), { ...pin('files', 'pending'), isOffered: false }],
      fragments: [fragment],
      keys: [
        key('soon', '2026-11-18T12:00:00Z'),
        key('later', '2027-01-01T00:00:00Z'),
        key('gone', '2026-01-01T00:00:00Z'),
      ],
    },
    now,
  )
  expect(found.map(({ subject, text, to, hash = '' }) => `${subject} | ${text} | ${to}${hash && `#${hash}`}`)).toEqual([
    'broken | not on the PATH | /connectors/broken',
    'catalog/x.json | Line 3: A comma is missing. The file takes no part until it is mended. | /catalog',
    'locked | It wants a sign-in before it serves. | /connectors/locked',
    'files | 2 tools are not as approved, 1 not served until you decide. | /catalog',
    'soon | This key expires in 2 days. | /settings#keys',
  ])
})
