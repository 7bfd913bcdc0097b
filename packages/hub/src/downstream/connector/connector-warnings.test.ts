import { ConnectorInput } from '@herma/contract'
import { expect, test } from 'vitest'
import { connectorWarnings } from './connector-warnings.ts'

// Put together here, so that nobody takes this file for one with a secret in it.
const token = ['ghp', 'aB3dE5gH7jK9mN1pQ2sT4vW6'].join('_')

function warningsOf(input: Partial<ConnectorInput>): string[] {
  const place = input.transport === 'stream' ? { baseUrl: 'https://a.example' } : { transport: 'stdio', cmd: 'node' }
  return connectorWarnings(ConnectorInput.parse({ name: 'c', ...place, ...input }))
}

test.each<[string, Partial<ConnectorInput>, RegExp]>([
  ['an argument that is a token', { args: ['run', token] }, /^args\[1\]: this looks like a secret in clear\. Store it/],
  ['an option with the name of one', { args: ['--api-key=abc'] }, /^args\[0\]/],
  ['what follows such an option', { args: ['--api-key', 'abc'] }, /^args\[1\]/],
  ['a reference in an argument', { args: ['{secret:A}'] }, /^args\[0\]: everybody on the machine can read it/],
  ['a query', { transport: 'stream', baseUrl: 'https://a.example/?api_key=abc' }, /^baseUrl: /],
  ['a password', { transport: 'stream', baseUrl: 'https://ada:abc@a.example/' }, /^baseUrl: /],
  ['a token in a path', { transport: 'stream', endpointPath: `/${token}/mcp` }, /^endpointPath: /],
  ['a plain header', { transport: 'stream', headers: [{ name: 'X-Id', value: token }] }, /^headers\.X-Id: .*Mark it/],
  ['a secret that was declared open', { env: [{ name: 'A_TOKEN', value: 'abc', secret: false }] }, /^env\.A_TOKEN: /],
  ['notes', { notes: `The token is ${token}.` }, /^notes: /],
])('%s gets a warning that names the field and not the value', (_, input, expected) => {
  const warnings = warningsOf(input)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(expected)
  expect(warnings[0]).not.toContain(token)
})

test('what is stored as a secret, or refers to one, gets none', () => {
  const headers = [
    { name: 'Authorization', value: `Bearer ${token}` },
    { name: 'X-Id', value: '{secret:ID}' },
    { name: 'X-Hidden', value: token, secret: true },
  ]
  const baseUrl = 'https://ada:{secret:P}@a.example/?api_key={secret:K}'
  expect(warningsOf({ transport: 'stream', baseUrl, endpointPath: '/{secret:PATH}', headers })).toEqual([])
  expect(
    warningsOf({
      args: ['-y', '@scope/server', '--port=80', '/srv/notes'],
      env: [{ name: 'A_KEY', value: token }],
    }),
  ).toEqual([])
})
