import { ConnectorOptions, type ConnectorView } from '@herma/contract'
import { expect, test } from 'vitest'
import { type ConnectorDraft, draftOfView, emptyDraft } from './connector-draft.ts'
import { CheckedInput, toChanges, toChecked, toInput } from './connector-input.ts'
import { toOptionTexts } from './option-fields.ts'

const stdio: ConnectorDraft = { ...emptyDraft, name: 'files', transport: 'stdio', cmd: 'npx', args: ['-y'] }
const stream: ConnectorDraft = { ...emptyDraft, name: 'web', baseUrl: 'https://mcp.example.com' }

function problemsOf(draft: ConnectorDraft): string[] {
  const { error } = CheckedInput.safeParse(toChecked(draft))
  return error?.issues.map(({ path }) => path.join('.')) ?? []
}

test('what a transport does not need is not sent', () => {
  const both = { ...stdio, baseUrl: 'https://a.example', headers: [{ name: 'A', value: 'b', secret: false }] }

  expect(toInput(both)).not.toHaveProperty('baseUrl')
  expect(toInput(both)).not.toHaveProperty('headers')
  expect(toInput({ ...both, transport: 'http' })).not.toHaveProperty('cmd')
})

test('an empty form is told everything that it needs', () => {
  expect(problemsOf(emptyDraft)).toEqual(['name', 'baseUrl'])
  expect(problemsOf({ ...emptyDraft, transport: 'stdio' })).toEqual(['name', 'cmd'])
})

test('a new secret needs a value, a stored one does not, a replaced one does', () => {
  const row = { name: 'API_KEY', secret: true }

  expect(problemsOf({ ...stdio, env: [{ ...row, value: '' }] })).toEqual(['env.0.value'])
  expect(problemsOf({ ...stdio, env: [{ ...row, stored: true }] })).toEqual([])
  expect(problemsOf({ ...stdio, env: [{ ...row, stored: true, value: '' }] })).toEqual(['env.0.value'])
  expect(problemsOf({ ...stdio, env: [{ name: 'PLAIN', value: '', secret: false }] })).toEqual([])
})

test('a variable can be given once', () => {
  const row = { name: 'A', value: '1', secret: false }
  expect(problemsOf({ ...stdio, env: [row, row] })).toEqual(['env.1.name'])
})

test('what documents leave open has to be filled in', () => {
  expect(problemsOf({ ...stdio, args: ['-y', '<folder>', 'a<b>', '{cwd}'] })).toEqual(['args.1'])
})

test('a stored client secret counts when the draft is checked, and is not sent', () => {
  const oauth = { ...stream.oauth, isOn: true, grant: 'client_credentials' as const, clientId: 'robot' }

  expect(problemsOf({ ...stream, oauth })).toEqual(['oauth.clientId'])
  const stored = { ...stream, oauth: { ...oauth, hasClientSecret: true } }
  expect(problemsOf(stored)).toEqual([])
  expect(JSON.stringify(toInput(stored))).not.toContain('clientSecret')
})

test('an option that is no number is told so, and its default is used when it is not there', () => {
  expect(problemsOf({ ...stdio, options: { ...stdio.options, maxRestarts: 'many' } })).toEqual(['options.maxRestarts'])
  expect(toInput(stdio)).toMatchObject({ options: { maxRestarts: 5 } })
  expect(toInput(stdio)['options'] as object).not.toHaveProperty('prefix')
})

test('a change has what is different and nothing else', () => {
  const saved = { ...stdio, env: [{ name: 'API_KEY', secret: true, stored: true }] }

  expect(toChanges(saved, saved)).toEqual({})
  expect(toChanges({ ...saved, enabled: false, workingDir: '/srv' }, saved)).toEqual({
    enabled: false,
    workingDir: '/srv',
  })
  expect(toChanges(saved, { ...saved, workingDir: '/srv' })).toEqual({ workingDir: null })
  const added = [...saved.env, { name: 'LOG', value: 'info', secret: false }]
  expect(toChanges({ ...saved, env: added }, saved)).toEqual({
    env: [
      { name: 'API_KEY', secret: true },
      { name: 'LOG', value: 'info', secret: false },
    ],
  })
})

test('another transport clears what belonged to the old one', () => {
  expect(toChanges({ ...stdio, transport: 'stream', baseUrl: 'https://a.example' }, stdio)).toEqual({
    transport: 'stream',
    cmd: null,
    args: [],
    env: [],
    baseUrl: 'https://a.example',
    headers: [],
  })
})

test('options and sign-in are changed one by one', () => {
  const options = { ...stream.options, maxRestarts: '9', prefix: 'w' }
  expect(toChanges({ ...stream, options }, stream)).toEqual({ options: { maxRestarts: 9, prefix: 'w' } })
  expect(toChanges(stream, { ...stream, options })).toEqual({ options: { maxRestarts: 5, prefix: 'web' } })

  const oauth = { ...stream.oauth, isOn: true, clientId: 'me', scope: 'a' }
  const changed = { ...oauth, scope: '', clientSecret: 's' }
  expect(toChanges({ ...stream, oauth: changed }, { ...stream, oauth })).toEqual({
    oauth: { scope: null, clientSecret: 's' },
  })
  expect(toChanges(stream, { ...stream, oauth })).toEqual({ oauth: null })
})

test('a draft of a stored connector changes nothing by itself', () => {
  const fields = { name: 'x', description: '', kind: 'client', enabled: true, transport: 'stdio', cmd: 'a', notes: '' }
  const none = {
    baseUrl: null,
    endpointPath: null,
    workingDir: null,
    isolation: null,
    oauth: null,
    headers: [],
    args: [],
  }
  const view = {
    ...fields,
    ...none,
    env: [
      { name: 'T', secret: true, stored: true },
      { name: 'P', secret: true, stored: false, personal: true },
    ],
    options: ConnectorOptions.parse({ prefix: '' }),
  } as unknown as ConnectorView
  const draft = draftOfView(view)

  expect(draft.options).toEqual(toOptionTexts(view.options))
  expect(toChanges(draft, draftOfView(view))).toEqual({})
})

test('the default of isolation is not sent, a container is with its numbers and mounts', () => {
  const { isolation } = stdio
  expect(toInput(stdio)['isolation']).toBeUndefined()
  expect(toInput({ ...stdio, isolation: { ...isolation, type: 'none' } })['isolation']).toEqual({ type: 'none' })
  const boxed = { ...isolation, type: 'container' as const, mounts: ['/srv/a', '/srv/b:/b:rw'] }
  expect(toInput({ ...stdio, isolation: boxed })['isolation']).toEqual({
    type: 'container',
    network: 'none',
    memoryMb: 1024,
    cpus: 1,
    processes: 256,
    mounts: [
      { source: '/srv/a', writable: false },
      { source: '/srv/b', target: '/b', writable: true },
    ],
  })
  expect(problemsOf({ ...stdio, isolation: { ...boxed, mounts: ['nowhere'] } })).toEqual(['isolation.mounts.0.source'])
  expect(problemsOf({ ...stdio, cmd: 'my-server', isolation: boxed })).toEqual(['isolation.image'])
  expect(problemsOf({ ...stdio, cmd: '', isolation: { ...boxed, image: 'mcp/fetch' } })).toEqual([])
})
