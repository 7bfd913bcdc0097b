import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { findSecrets, type SecretPlaces } from './find-secrets.ts'

// Put together here, so that nobody takes this file for one with secrets in it.
const random = (length: number) => 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0fL'.repeat(3).slice(0, length)
const token = ['ghp', random(36)].join('_')
const hex = (length: number) => '0f3a9c7e5b1d8264'.repeat(5).slice(0, length)

/** What was found, as `label: value → proposed name`, which is what a person sees but for the value. */
function foundIn(places: Partial<SecretPlaces>): string[] {
  const all: SecretPlaces = { name: 'docs', ...places }
  return findSecrets(all).map(({ field, index, start, end, label, proposal }) => {
    const value = index === null ? (all[field] as string) : all[field]![index]!
    const text = typeof value === 'string' ? value : (value as { value: string }).value
    return `${label}: ${text.slice(start, end)} → ${proposal}`
  })
}

const args = (...words: string[]): Partial<SecretPlaces> => ({ args: words })
const env = (name: string, value: string, secret?: boolean): Partial<SecretPlaces> => ({
  env: [{ name, value, ...(secret !== undefined && { secret }) }],
})
const header = (name: string, value: string): Partial<SecretPlaces> => ({ headers: [{ name, value }] })

test.each<[Partial<SecretPlaces>, string]>([
  [args('run', token), `args[1]: ${token} → DOCS_TOKEN`],
  [args(`--token=${token}`), `args[0]: ${token} → DOCS_TOKEN`],
  [args('--api-key', 'abc'), 'args[1]: abc → DOCS_API_KEY'],
  [args('--apiKey=abc'), 'args[0]: abc → DOCS_API_KEY'],
  [args('-e', 'DOCS_KEY=abc'), 'args[1]: abc → DOCS_KEY'],
  [args('--header', `Authorization: Bearer ${token}`), `args[1]: ${token} → DOCS_TOKEN`],
  [args('--header', 'Authorization:abc'), 'args[1]: abc → DOCS_TOKEN'],
  [args('--config', `{"apiKey":"${token}"}`), `args[1]: ${token} → DOCS_CONFIG`],
  [args('postgres://ada:hunter2@db.example/notes'), 'args[0]: hunter2 → DOCS_PASSWORD'],
  [args(`https://a.example/mcp?key=abc&x=1`), 'args[0]: abc → DOCS_KEY'],
  [args('--url', `https://a.example/hook/${random(32)}`), `args[1]: ${random(32)} → DOCS_TOKEN`],
  [args('--secret', randomBytes(24).toString('hex').padEnd(48, 'e')), 'args[1]:'],
  [{ baseUrl: `https://a.example/?api_key=abc` }, 'baseUrl: abc → DOCS_API_KEY'],
  [{ baseUrl: `https://a.example/v1?x=1&t=${token}#top` }, `baseUrl: ${token} → DOCS_T`],
  [{ baseUrl: 'https://ada:abc@a.example/' }, 'baseUrl: abc → DOCS_PASSWORD'],
  [{ baseUrl: `https://${token}@a.example/mcp` }, `baseUrl: ${token} → DOCS_TOKEN`],
  [{ baseUrl: `https://a.example/u/${random(40)}/mcp` }, `baseUrl: ${random(40)} → DOCS_TOKEN`],
  [{ endpointPath: `/${token}/mcp` }, `endpointPath: ${token} → DOCS_TOKEN`],
  [{ endpointPath: `s/${token}/sse?key=${random(8)}` }, `endpointPath: ${token} → DOCS_TOKEN`],
  [header('Authorization', 'Bearer abc'), 'headers.Authorization: abc → DOCS_TOKEN'],
  [header('X-API-Key', 'abc'), 'headers.X-API-Key: abc → DOCS_API_KEY'],
  [header('X-Id', token), `headers.X-Id: ${token} → DOCS_ID`],
  [env('GITHUB_TOKEN', 'abc'), 'env.GITHUB_TOKEN: abc → DOCS_GITHUB_TOKEN'],
  [env('OPTIONS', `--key=${token} --fast`), `env.OPTIONS: ${token} → DOCS_OPTIONS`],
  [env('DATABASE_URL', 'postgres://ada:hunter2@db/notes'), 'env.DATABASE_URL: hunter2 → DOCS_PASSWORD'],
  [env('A_TOKEN', 'abc', false), 'env.A_TOKEN: abc → DOCS_A_TOKEN'],
  [env('ODD', 'abc', true), 'env.ODD: abc → DOCS_ODD'],
])('%j is found', (places, expected) => {
  const [first = ''] = foundIn(places)
  expect(first.slice(0, expected.length)).toBe(expected)
})

test.each([
  `sk-${random(24)}`,
  `sk-${hex(32)}`,
  `sk-ant-api03-${random(30)}`,
  `sk_live_${random(24)}`,
  `github_pat_${random(40)}`,
  `xoxb-${random(30)}`,
  `AKIA${'ABCD2345'.repeat(2)}`,
  `AIza${random(35)}`,
  `eyJ${random(20)}.eyJ${random(30)}.${random(20)}`,
  `-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----`,
  `glpat-${random(20)}`,
  `gsk_${random(40)}`,
  'wJalrXUtnFEMI/K7MDENG/bPxRfiCY3X4MPL3K3Y',
  'q8w2e5r7t1y4u9i3o6p0a8s2d5f7g1h4',
])('the whole of %j is found as an argument, and as a variable of any name', (value) => {
  expect(foundIn(args('run', value))).toEqual([`args[1]: ${value} → DOCS_TOKEN`])
  expect(foundIn(env('VALUE', value))).toEqual([`env.VALUE: ${value} → DOCS_VALUE`])
})

test.each([
  '',
  'npx',
  '-y',
  '@modelcontextprotocol/server-filesystem@2025.11.18',
  '/srv/notes',
  '--port=80',
  '--verbose',
  '123e4567-e89b-12d3-a456-426614174000',
  '123E4567-E89B-12D3-A456-426614174000',
  hex(32),
  '/srv/ada/Library/Application Support/Code/User/aB3dE5gH7jK9mN1pQ2sT4vW6yZ8b',
  '~/x/aB3dE5gH7jK9mN1pQ2sT4vW6yZ8b',
  String.raw`C:\Users\Ada\AppData\Local\Programs\Server2024\Tool1`,
  `github:ada/server#${hex(40)}`,
  `server@${hex(40)}`,
  `git+https://github.com/ada/server.git#${hex(40)}`,
  `https://github.com/ada/server/tree/${hex(40)}`,
  `ghcr.io/ada/server@sha256:${hex(64)}`,
  `1.2.3+${hex(40)}`,
  'sk-learn-tools-server-mcp',
  'sk-learn-server-2024-edition',
  'modelContextProtocolServer2Filesystem',
  'internationalization-and-localization-handbook',
  'Backup2024-11-05T10-20-30Z-Host01-Weekly',
  'https://mcp.example.com/mcp?version=2026-07-28',
  'https://aB3dE5gH7jK9mN1pQ2sT4vW6yZ8b.lambda.example/mcp',
  '{secret:GITHUB}',
  'Bearer {secret:GITHUB}',
  'Authorization: Bearer {secret:GITHUB}',
  'Authorization: Bearer ${TOKEN}',
  '--api-key=<your key>',
  '--api-key=YOUR_API_KEY',
  '--token=${TOKEN}',
  '--password=$PASSWORD',
  'API_KEY=changeme',
  '--token-file=/run/token',
  '--private-key=/etc/key.pem',
  '--key=./server.key',
  '--partition-key=customer',
  '--max-tokens=4096',
  '--api-key=true',
  'https://ada:{secret:P}@a.example/?api_key={secret:K}',
  'a@example.com',
  'Bearer YOUR_PERSONAL_ACCESS_TOKEN',
  'It reads the notes of the team. Ask Ada before you change anything; she knows the configuration.',
])('%j is no secret, in an argument or a variable', (value) => {
  expect(foundIn(args('run', value))).toEqual([])
  expect(foundIn(env('VALUE', value))).toEqual([])
})

test.each<[Partial<SecretPlaces>]>([
  [{ baseUrl: 'https://mcp.example.com/v1/mcp?version=2026-07-28' }],
  [{ baseUrl: 'https://aB3dE5gH7jK9mN1pQ2sT4vW6yZ8b.example.com' }],
  [{ baseUrl: 'http://127.0.0.1:8080', endpointPath: '/mcp/123e4567-e89b-12d3-a456-426614174000' }],
  [{ baseUrl: 'https://ada:{secret:P}@a.example/?api_key={secret:K}', endpointPath: '/{secret:PATH}' }],
  [args('--token', '--verbose')],
  [args('--rev', hex(40))],
  [env('GIT_COMMIT', hex(40))],
  [env('SSH_KEY', '/srv/ada/.ssh/id_ed25519')],
  [env('A_TOKEN', '')],
  [{ headers: [{ name: 'Authorization', personal: true }] }],
])('%j holds none', (places) => {
  expect(foundIn(places)).toEqual([])
})
