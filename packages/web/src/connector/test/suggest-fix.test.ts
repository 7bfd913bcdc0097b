import type { TestReport } from '@herma/contract'
import { expect, test } from 'vitest'
import { emptyDraft } from '../form/draft/connector-draft.ts'
import { suggestFix } from './suggest-fix.ts'

const failed: TestReport = {
  ok: false,
  stages: [{ name: 'handshake', outcome: 'failed', ms: 1, detail: '' }],
  cause: '',
  fix: null,
  stderr: [],
  initialize: null,
  tools: [],
}
const stdio = { ...emptyDraft, transport: 'stdio' as const, cmd: 'npx' }
const stream = { ...emptyDraft, baseUrl: 'https://mcp.example.com' }

test('a variable that a program complains about can be added, once', () => {
  const report = { ...failed, stderr: ['npm notice', 'Error: ALLOWED_ROOTS is required'] }
  const fix = suggestFix(report, stdio, false)

  expect(fix?.change?.(stdio)).toEqual({ env: [{ name: 'ALLOWED_ROOTS', value: '', secret: true }] })
  const given = { ...stdio, env: [{ name: 'ALLOWED_ROOTS', value: '/', secret: false }] }
  expect(suggestFix(report, given, false)).toBeNull()
})

test('a program that is not there leads to its field', () => {
  const report = { ...failed, stages: [{ name: 'resolve' as const, outcome: 'failed' as const, ms: 1, detail: '' }] }

  expect(suggestFix(report, stdio, false)?.focus).toBe('cmd')
})

test('an address without a path gets /mcp, one with a path the older transport', () => {
  const report = { ...failed, cause: 'The server answered HTTP 404.' }

  expect(suggestFix(report, stream, false)?.change?.(stream)).toEqual({ endpointPath: '/mcp' })
  const withPath = { ...stream, endpointPath: '/mcp' }
  expect(suggestFix(report, withPath, false)?.change?.(withPath)).toEqual({ transport: 'sse' })
})

test('a server that wants credentials is signed in to when it is stored, and gets a header before', () => {
  const report = { ...failed, cause: 'HTTP 401' }

  expect(suggestFix(report, stream, true)?.signsIn).toBe(true)
  expect(suggestFix(report, stream, false)?.focus).toBe('headers.0.value')
})

test('a test that passed needs nothing', () => {
  expect(suggestFix({ ...failed, ok: true }, stdio, true)).toBeNull()
})
