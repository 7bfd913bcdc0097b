import type { DownstreamHealth } from '@herma/contract'
import { expect, test } from 'vitest'
import { describeHealth } from './describe-health.ts'

const ready: DownstreamHealth = {
  state: 'ready',
  era: 'modern',
  revision: '2026-07-28',
  transport: null,
  serverInfo: null,
  processId: null,
  processes: [],
  inFlight: 0,
  callCount: 0,
  errorCount: 0,
  restartCount: 0,
  failedStarts: 0,
  latencyMs: null,
  lastError: null,
  lastHandshakeAt: null,
  retryAt: null,
  leftOut: [],
}
const lastError = { at: '2026-11-15T12:00:00.000Z', message: 'spawn uvx ENOENT' }

test('what is left out of a server that is well is shown, and wants attention', () => {
  const leftOut = ['It lists more than maxListEntries=10 tools: the rest is left out.']
  for (const state of ['ready', 'idle'] as const)
    expect(describeHealth({ problem: null, health: { ...ready, state, leftOut } })).toEqual({
      tone: 'warn',
      text: leftOut[0],
      needsAttention: true,
    })
})

test('a row that cannot be served shows its problem, whatever its downstream says', () => {
  expect(describeHealth({ problem: 'The key is lost.', health: ready })).toEqual({
    tone: 'bad',
    text: 'The key is lost.',
    needsAttention: true,
  })
})

test('a downstream that failed shows the last error', () => {
  const failed = describeHealth({ problem: null, health: { ...ready, state: 'failed', lastError } })

  expect(failed).toEqual({ tone: 'bad', text: 'spawn uvx ENOENT', needsAttention: true })
})

test('an old error of a downstream that is ready again is not shown', () => {
  const health = describeHealth({ problem: null, health: { ...ready, lastError } })

  expect(health).toEqual({ tone: 'ok', text: 'Ready', needsAttention: false })
})

test('a connector that someone turned off asks for nothing', () => {
  expect(describeHealth({ problem: null, health: { ...ready, state: 'disabled' } }).needsAttention).toBe(false)
})
