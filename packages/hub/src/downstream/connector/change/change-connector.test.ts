import { ConnectorInput } from '@herma/contract'
import { expect, test } from 'vitest'
import { changeConnector, isSameClient, isSameDownstream, keepsServer, secretValues } from './change-connector.ts'

const oauth = { clientId: 'herma', clientSecret: 'first secret', scope: 'read' }
const before = ConnectorInput.parse({ name: 'docs', transport: 'stream', baseUrl: 'https://docs.example/mcp', oauth })

test('settings of a sign-in that are not mentioned stay, the secret too', () => {
  const { oauth: after } = changeConnector(before, { oauth: { scope: 'read write' } })
  expect(after).toEqual({ grant: 'authorization_code', ...oauth, scope: 'read write' })
})

test('null clears a setting, or all of them', () => {
  expect(changeConnector(before, { oauth: { scope: null } }).oauth).not.toHaveProperty('scope')
  expect(changeConnector(before, { oauth: null }).oauth).toBeUndefined()
})

test('another client does not inherit the secret', () => {
  expect(changeConnector(before, { oauth: { clientId: 'other' } }).oauth).not.toHaveProperty('clientSecret')
})

test('a changed sign-in is another downstream of the same server', () => {
  const after = changeConnector(before, { oauth: { scope: 'write' } })
  expect(isSameDownstream(before, after)).toBe(false)
  expect(keepsServer(before, after)).toBe(true)
})

test('what was granted holds for the same server and the same client only', () => {
  expect(isSameClient(before, changeConnector(before, { notes: 'other words' }))).toBe(true)
  expect(isSameClient(before, changeConnector(before, { oauth: { clientId: 'other' } }))).toBe(false)
  expect(isSameClient(before, changeConnector(before, { baseUrl: 'https://elsewhere.example/mcp' }))).toBe(false)
})

test('secrets of a sign-in are known as such', () => {
  const after = changeConnector(before, { oauth: { privateKey: 'a key', algorithm: 'ES256' } })
  expect(secretValues(after)).toEqual(['first secret', 'a key'])
})
