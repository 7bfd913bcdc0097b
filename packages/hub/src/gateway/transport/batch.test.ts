import { describe, expect, test } from 'vitest'
import { requireBatch } from './batch.ts'
import { Connection } from '../connection/connection.ts'

const connect = (revision: string) =>
  new Connection(
    { id: 'c', token: null, issuedAtSeconds: 0, isWhole: true, isRestored: false },
    { principal: 'operator', server: 'facade', revision, clientInfo: {}, capabilities: {} },
    { questionMs: 1000 },
  )
const refusal = (message: string) =>
  expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringContaining(message) })

describe('a batch', () => {
  test('of up to 100 messages is allowed in 2025-03-26', () => {
    for (const length of [1, 100])
      expect(() => requireBatch(Array.from({ length }), connect('2025-03-26'))).not.toThrow()
  })

  test.each(['2024-11-05', '2025-06-18', '2025-11-25'])('is not allowed in %s', (revision) => {
    expect(() => requireBatch([{}], connect(revision))).toThrow(refusal(revision))
  })

  test('with no message or too many is not allowed at all', () => {
    expect(() => requireBatch([], connect('2025-03-26'))).toThrow(refusal('empty'))
    expect(() => requireBatch(Array.from({ length: 101 }), connect('2025-03-26'))).toThrow(refusal('101'))
  })
})
