import { expect, test } from 'vitest'
import { moveSecrets } from './move-secrets.ts'

// Put together here, so that nobody takes this file for one with secrets in it.
const token = ['ghp', 'aB3dE5gH7jK9mN1pQ2sT4vW6'].join('_')
const nothing = () => false

test('references take the place of values, and everything else stays', () => {
  const { connector, secrets } = moveSecrets(
    {
      name: 'docs',
      baseUrl: 'https://ada:a%2Fb@a.example/mcp?api_key=abc&x=1',
      args: ['-y', '@scope/server', `--token=${token}`],
      headers: [{ name: 'Authorization', value: `Bearer ${token}`, secret: true }],
      env: [{ name: 'LOG_LEVEL', value: 'info' }, { name: 'KEPT_TOKEN' }],
      notes: 'kept',
    },
    nothing,
  )
  expect(connector).toEqual({
    name: 'docs',
    baseUrl: 'https://ada:{secret:DOCS_PASSWORD}@a.example/mcp?api_key={secret:DOCS_API_KEY}&x=1',
    args: ['-y', '@scope/server', '--token={secret:DOCS_TOKEN}'],
    headers: [{ name: 'Authorization', value: 'Bearer {secret:DOCS_TOKEN}', secret: true }],
    env: [{ name: 'LOG_LEVEL', value: 'info' }, { name: 'KEPT_TOKEN' }],
    notes: 'kept',
  })
  expect(secrets).toEqual([
    // An address is written with %; the hub writes it so again.
    { name: 'DOCS_PASSWORD', value: 'a/b', from: ['baseUrl'] },
    { name: 'DOCS_API_KEY', value: 'abc', from: ['baseUrl'] },
    { name: 'DOCS_TOKEN', value: token, from: ['args[2]', 'headers.Authorization'] },
  ])
})

test('a name that is taken is left to whoever has it', () => {
  const taken = new Set(['DOCS_TOKEN', 'DOCS_TOKEN_2'])
  const { secrets } = moveSecrets({ name: 'docs', args: ['--token', 'abc', '--token', 'def'] }, (name) =>
    taken.has(name),
  )
  expect(secrets.map(({ name }) => name)).toEqual(['DOCS_TOKEN_3', 'DOCS_TOKEN_4'])
})

test('moving twice changes nothing the second time', () => {
  const first = moveSecrets({ name: '7docs', args: ['--token', 'abc'] }, nothing)
  expect(first.secrets[0]?.name).toBe('SECRET_7DOCS_TOKEN')
  expect(moveSecrets(first.connector, nothing)).toEqual({ connector: first.connector, secrets: [] })
})
