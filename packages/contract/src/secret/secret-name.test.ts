import { expect, test } from 'vitest'
import { isSecretName } from './secret-name.ts'

test.each([
  ['GITHUB_TOKEN', 'OPENAI_API_KEY', 'CLIENT_SECRET', 'DB_PASSWORD', 'github-token', 'apiKey', 'clientSecret'],
  [
    'Authorization',
    'proxy-authorization',
    'Cookie',
    'set-cookie',
    'cookies',
    'X-API-Key',
    'x_api_key',
    'APIKEY',
    'x-apikey',
  ],
  ['AWS_CREDENTIALS', 'credential', 'DB_PASSWD', 'SSH_PASSPHRASE', 'PRIVATE_KEY', 'private-key-pem', 'privateKey'],
  ['GITHUBTOKEN', 'AWS_SECRET_ACCESS_KEY', 'APIKEY_PROD', 'DB_PWD', 'GITLAB_PAT', 'X-Auth-Token'],
])('%s and its like are secrets', (...names) => {
  expect(names.filter((name) => !isSecretName(name))).toEqual([])
})

test('ordinary names are not secrets', () => {
  const names = [
    'PATH',
    'PWD',
    'HOME',
    'MAX_TOKENS',
    'TOKEN_URL',
    'MONKEY',
    'Content-Type',
    'KEYBOARD',
    'SECRETARY',
    '',
    '-',
  ]
  expect(names.filter(isSecretName)).toEqual([])
})
