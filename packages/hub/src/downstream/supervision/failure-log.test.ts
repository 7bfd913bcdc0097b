import { expect, test } from 'vitest'
import { FailureLog } from './failure-log.ts'

function create() {
  const told: unknown[] = []
  const log = new FailureLog((what, { reason, count }) => told.push([what, reason, count]))
  return { log, told }
}

test('the same failure again and again is told once, and then with its number', () => {
  const { log, told } = create()
  for (let time = 0; time < 123; time++) log.failed('backoff', `HTTP 404 after ${time} ms`)
  expect(told).toEqual([
    ['backoff', 'HTTP 404 after 0 ms', undefined],
    ['repeated', 'HTTP 404 after 0 ms', 10],
    ['repeated', 'HTTP 404 after 0 ms', 100],
  ])
  log.end()
  expect(told.at(-1)).toEqual(['repeated', 'HTTP 404 after 0 ms', 123])
  log.end()
  expect(told).toHaveLength(4)
})

test('another failure, or the same in another state, is told at once', () => {
  const { log, told } = create()
  for (const state of ['backoff', 'backoff', 'failed', 'failed']) log.failed(state, 'crashed')
  expect(log.isRepeating).toBe(true)
  log.failed('failed', 'no such program')
  expect(log.isRepeating).toBe(false)
  expect(told).toEqual([
    ['backoff', 'crashed', undefined],
    ['repeated', 'crashed', 2],
    ['failed', 'crashed', undefined],
    ['repeated', 'crashed', 2],
    ['failed', 'no such program', undefined],
  ])
})
