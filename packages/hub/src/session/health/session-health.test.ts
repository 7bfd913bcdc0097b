import { expect, test } from 'vitest'
import { SessionHealthRegistry } from './session-health.ts'

function createRegistry() {
  const clock = { now: 1_000_000 }
  const healths = new SessionHealthRegistry(() => clock.now)
  const turn = (outcome: 'ok' | 'error' | 'cancelled', ms = 10) =>
    healths.begin('s')({ outcome, ms, problem: 'no answer' })
  const health = (more: { isEnabled?: boolean; unready?: string | null } = {}) =>
    healths.describe('s', { isEnabled: true, unready: null, ...more })
  return { clock, healths, turn, health }
}

test('a session is unknown until a turn went well', () => {
  const { turn, health } = createRegistry()
  expect(health()).toMatchObject({ state: 'unknown', latencyMs: null, lastUsedAt: null })
  turn('cancelled')
  expect(health()).toMatchObject({ state: 'unknown', failures: 0 })
  turn('ok', 30)
  turn('ok', 10)
  expect(health()).toMatchObject({ state: 'healthy', latencyMs: 20, problem: null })
})

test('the average is that of the last twenty turns', () => {
  const { turn, health } = createRegistry()
  turn('ok', 1_000_000)
  for (let count = 0; count < 20; count++) turn('ok', 5)
  expect(health().latencyMs).toBe(5)
})

test('three failures in a row make it failing, and one success heals it', () => {
  const { turn, health } = createRegistry()
  turn('ok')
  turn('error')
  turn('error')
  expect(health()).toMatchObject({ state: 'healthy', failures: 2, problem: 'no answer' })
  turn('error')
  expect(health()).toMatchObject({ state: 'failing', failures: 3 })
  turn('ok')
  expect(health()).toMatchObject({ state: 'healthy', failures: 0, problem: null })
})

test('a failing session is tried again after a while, and after a change', () => {
  const { clock, healths, turn, health } = createRegistry()
  for (let count = 0; count < 3; count++) turn('error')
  clock.now += 59_000
  expect(health().state).toBe('failing')
  clock.now += 1000
  expect(health().state).toBe('unknown')
  turn('error')
  expect(health().state).toBe('failing')
  healths.forgive('s')
  expect(health()).toMatchObject({ state: 'unknown', failures: 0, problem: null })
})

test('turns under way are counted, each once', () => {
  const { healths, health } = createRegistry()
  const [one, two] = [healths.begin('s'), healths.begin('s')]
  expect(health().running).toBe(2)
  one({ outcome: 'ok', ms: 1 })
  one({ outcome: 'ok', ms: 1 })
  expect(health().running).toBe(1)
  two({ outcome: 'cancelled', ms: 1 })
  expect(health().running).toBe(0)
})

test('what is missing comes before everything else', () => {
  const { turn, health } = createRegistry()
  turn('ok')
  expect(health({ isEnabled: false }).state).toBe('disabled')
  expect(health({ isEnabled: false, unready: 'no key' })).toMatchObject({ state: 'unready', problem: 'no key' })
})
