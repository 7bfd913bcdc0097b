import { BindingInput } from '@herma/contract'
import { expect, test } from 'vitest'
import { checkBinding } from './check-binding.ts'

const check = (transport: 'stdio' | 'stream', binding: Partial<BindingInput>) =>
  checkBinding(BindingInput.parse({ session: 's', connector: 'c', ...binding }), { name: 'c', transport })

test.each<[string, 'stdio' | 'stream', Partial<BindingInput>, string]>([
  ['headers for a command', 'stdio', { headers: [{ name: 'A', value: 'b' }] }, 'headers: '],
  ['variables for a URL', 'stream', { env: [{ name: 'A', value: 'b' }] }, 'env: '],
  ['a folder for a URL', 'stream', { cwd: '/work' }, 'cwd: '],
  ['a relative folder', 'stdio', { cwd: 'src' }, 'cwd: '],
  [
    'a header twice',
    'stream',
    {
      headers: [
        { name: 'A', value: '1' },
        { name: 'a', value: '2' },
      ],
    },
    "headers: 'a'",
  ],
  ['a personal value', 'stream', { headers: [{ name: 'A', personal: true }] }, 'headers.A: '],
  ['a secret that is not stored', 'stdio', { env: [{ name: 'A', secret: true }] }, 'env.A: '],
  ['an option of everybody', 'stdio', { options: { prefix: 'x' } }, 'options.prefix: '],
  ['whose credentials are shown', 'stdio', { options: { credentials: 'personal' } }, 'options.credentials: '],
])('%s is refused, naming the field', (_name, transport, binding, field) => {
  expect(() => check(transport, binding)).toThrow(field)
})

test.each<[string, 'stdio' | 'stream', Partial<BindingInput>]>([
  [
    'a command',
    'stdio',
    {
      env: [
        { name: 'A', value: '' },
        { name: 'a', value: 'b' },
      ],
      cwd: '{cwd}/x',
      options: { era: 'legacy' },
    },
  ],
  ['a URL', 'stream', { headers: [{ name: 'A', value: 'b' }], options: { requestTimeoutMs: 1 }, allowedTools: [] }],
])('overrides that fit %s are fine', (_name, transport, binding) => {
  expect(() => check(transport, binding)).not.toThrow()
})
