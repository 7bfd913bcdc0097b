import { expect, test } from 'vitest'

import { PendingQuestions } from './pending-questions.ts'

const question = (id: number) => ({ jsonrpc: '2.0', id, method: 'roots/list' })

test('questions of the first hub pass as they are, and only they may be answered', () => {
  const book = new PendingQuestions()
  expect(book.outward(question(1))).toBeNull()
  expect(book.outward({ jsonrpc: '2.0', id: 9, result: {} })).toBeNull()
  expect([book.answered(1), book.answered(1), book.answered(9)]).toEqual([1, undefined, undefined])
})

test('a late answer to a hub that is gone never reaches a question of the next one', () => {
  const book = new PendingQuestions()
  book.outward(question(1))
  expect(book.withdrawAll()).toEqual([1])
  const renamed = book.outward(question(1))!
  expect(renamed['id']).not.toBe(1)
  expect(book.answered(1)).toBeUndefined()
  expect(book.answered(renamed['id'] as string)).toBe(1)
})

test('a question that the next hub withdraws is withdrawn under the id that the client knows', () => {
  const book = new PendingQuestions()
  book.withdrawAll()
  const { id } = book.outward(question(4))!
  const withdrawal = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 4, reason: 'late' } }
  expect(book.outward(withdrawal)).toMatchObject({ params: { requestId: id, reason: 'late' } })
  expect(book.answered(id as string)).toBeUndefined()
})

test('answers in a batch are translated, and those that nobody waits for are left out', () => {
  const book = new PendingQuestions()
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  book.outward(question(1))
  expect(book.inward([{ jsonrpc: '2.0', id: 1, result: {} }, ping])).toBeNull()
  book.withdrawAll()
  const { id } = book.outward(question(2))!
  const late = { jsonrpc: '2.0', id: 1, result: {} }
  expect(book.inward([late, ping, { jsonrpc: '2.0', id, result: {} }])).toEqual([
    ping,
    { jsonrpc: '2.0', id: 2, result: {} },
  ])
})
