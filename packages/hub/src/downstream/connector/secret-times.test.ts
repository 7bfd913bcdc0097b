import { ConnectorInput } from '@herma/contract'
import { expect, test } from 'vitest'
import { stampSecrets } from './secret-times.ts'

const [first, later] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-02-01T00:00:00Z')]

const connectorOf = (token: string, key: string) =>
  ConnectorInput.parse({
    name: 'docs',
    transport: 'stream',
    baseUrl: 'https://a.example',
    headers: [
      { name: 'Authorization', value: token },
      { name: 'Accept', value: '*/*' },
    ],
    env: [{ name: 'API_KEY', value: key }],
  })

test('a value that is another one has the time of its change, and the others keep theirs', () => {
  const before = connectorOf('a', 'b')
  const changedAt = stampSecrets(before, null, first)
  expect(changedAt).toEqual({ 'headers.Authorization': first.toISOString(), 'env.API_KEY': first.toISOString() })
  expect(stampSecrets(connectorOf('a', 'c'), { connector: before, changedAt }, later)).toEqual({
    'headers.Authorization': first.toISOString(),
    'env.API_KEY': later.toISOString(),
  })
})

test('of a value from before times were kept nothing is made up', () => {
  const before = connectorOf('a', 'b')
  expect(stampSecrets(before, { connector: before, changedAt: {} }, later)).toEqual({})
})
