import { SessionInput, type SessionView } from '@herma/contract'
import { expect, test } from 'vitest'
import { secretsToStore, toDraft, toInput, toPatch, type SessionDraft } from './session-draft.ts'

function stored(input: SessionInput): SessionView {
  return SessionInput.parse(input) as unknown as SessionView
}

test('a stored session comes out of its form as it went in', () => {
  const session = stored({
    name: 'coder',
    provider: 'command',
    model: 'm',
    command: { dialect: 'text', cmd: 'agent', args: ['{prompt}'], env: { A_KEY: '{secret:A_KEY}' } },
    paths: { roots: ['/srv'], denied: ['*.pem'], allowHardLinks: true },
    pricing: { inputPerMillion: 1, outputPerMillion: 2.5 },
    limits: { maxCostUsd: 0.5, maxSteps: 3 },
    routes: [
      { abilities: ['chat'], use: 'model' },
      { abilities: ['search.web'], contains: ['x'], use: { connector: 'c', tool: 't', arguments: { q: '{input}' } } },
    ],
  })
  expect(SessionInput.parse(toInput(toDraft(session)))).toEqual(session)
})

test('fields that the provider has no use for are not sent', () => {
  const draft: SessionDraft = {
    ...toDraft(null, 'openai-compatible'),
    name: 'a',
    model: 'm',
    baseUrl: 'http://127.0.0.1:1/v1',
    keySecret: 'K',
    temperature: '0.5',
    cmd: 'agent',
  }
  expect(toInput({ ...draft, provider: 'mcp' })).toMatchObject({
    model: '',
    baseUrl: null,
    keySecret: null,
    temperature: null,
    command: null,
  })
  expect(toInput(draft)).toMatchObject({ baseUrl: 'http://127.0.0.1:1/v1', keySecret: 'K', temperature: 0.5 })
})

test('a change holds what differs, and takes back a list of denied paths', () => {
  const before = toInput(toDraft(stored({ name: 'a', provider: 'sampling', paths: { denied: ['x'] } })))
  const now = { ...before, description: 'new', paths: { roots: ['/srv'] } }
  expect(toPatch(now, before)).toEqual({
    description: 'new',
    paths: { roots: ['/srv'], denied: null, allowHardLinks: false },
  })
  expect(toPatch(before, before)).toEqual({})
})

test('secrets that were typed in are stored apart, and the session only refers to them', () => {
  const draft: SessionDraft = {
    ...toDraft(null, 'command'),
    name: 'a',
    key: 'of another provider',
    env: [
      { name: 'A_TOKEN', value: 'canary', secret: true },
      { name: 'B_TOKEN', value: '{secret:OTHER}', secret: true },
      { name: 'MODE', value: 'fast', secret: false },
      { name: '', value: '', secret: false },
    ],
  }
  expect(secretsToStore(draft)).toEqual([{ name: 'A_TOKEN', value: 'canary' }])
  expect(toInput(draft).command?.env).toEqual({ A_TOKEN: '{secret:A_TOKEN}', B_TOKEN: '{secret:OTHER}', MODE: 'fast' })
  expect(secretsToStore({ ...draft, provider: 'openai', key: ' k ' })).toEqual([{ name: 'OPENAI_API_KEY', value: 'k' }])
  expect(secretsToStore({ ...draft, provider: 'openai', key: 'k', keySecret: 'MINE' })).toEqual([
    { name: 'MINE', value: 'k' },
  ])
  expect(JSON.stringify(toInput({ ...draft, provider: 'openai', key: 'canary' }))).not.toContain('canary')
})
