import { SessionInput } from '@herma/contract'
import { expect, test } from 'vitest'
import { checkSession } from './check-session.ts'

const secrets = {
  isSecretName: (name: string) => name.endsWith('_KEY'),
  namesIn: (text: string) => (text.startsWith('{secret:') ? ['X'] : []),
}
const check = (input: Partial<SessionInput>) => checkSession(SessionInput.parse({ name: 'coder', ...input }), secrets)

test.each<[string, Partial<SessionInput>, string]>([
  ['a model of nowhere', { provider: 'openai-compatible', model: 'm' }, 'baseUrl: '],
  ['no model there', { provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' }, 'model: '],
  ['no model of OpenAI', { provider: 'openai' }, 'model: '],
  ['no model of Anthropic', { provider: 'anthropic' }, 'model: '],
  ['no model of Google', { provider: 'google' }, 'model: '],
  ['no command', { provider: 'command' }, 'command: '],
  ['a command without a name', { provider: 'command', command: { dialect: 'text' } }, 'command.cmd: '],
  [
    'a secret in clear',
    { provider: 'command', command: { dialect: 'codex', env: { CODEX_API_KEY: 'sk-1' } } },
    'command.env.CODEX_API_KEY: ',
  ],
  ['mcp without routes', { provider: 'mcp' }, 'routes: '],
  ['mcp with routes to a model', { provider: 'mcp', routes: [{ abilities: ['chat'], use: 'model' }] }, 'routes: '],
  ['a cost without prices', { provider: 'openai', model: 'm', limits: { maxCostUsd: 1 } }, 'pricing: '],
  ['a relative folder', { provider: 'sampling', workingDir: 'src' }, 'workingDir: '],
  ['a folder that is not there', { provider: 'sampling', workingDir: '/no/such/folder' }, 'workingDir: '],
  ['a file for a folder', { provider: 'sampling', workingDir: import.meta.filename }, 'workingDir: '],
  ['a root of nowhere', { provider: 'sampling', paths: { roots: ['src'] } }, 'paths.roots: '],
])('%s is refused, naming the field', async (_name, input, field) => {
  await expect(check(input)).rejects.toMatchObject({
    code: 'SESSION_INVALID',
    message: expect.stringMatching(new RegExp(`^${field}.*\\.$`)),
    cause: { issues: [{ path: field.slice(0, -2).split('.') }] },
  })
})

test.each<[string, Partial<SessionInput>]>([
  ['a model', { provider: 'openai', model: 'm', workingDir: import.meta.dirname, paths: { roots: ['..'] } }],
  ['a local model', { provider: 'openai-compatible', model: 'm', baseUrl: 'http://127.0.0.1:11434/v1' }],
  ['a command with a reference', { provider: 'command', command: { dialect: 'claude', env: { A_KEY: '{secret:A}' } } }],
  [
    'a command with a limit of cost',
    { provider: 'command', command: { dialect: 'claude' }, limits: { maxCostUsd: 1 } },
  ],
  ['the model of the client', { provider: 'sampling' }],
  ['a route', { provider: 'mcp', routes: [{ abilities: ['chat'], use: { connector: 'a', tool: 'b' } }] }],
])('%s is fine', async (_name, input) => {
  await expect(check(input)).resolves.toBeUndefined()
})
