import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { Batch } from './batch.ts'

const request = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'ping' })
const answer = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} })
const notice: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/initialized' }

test('answers leave as one, when all are there and all messages were handed over', () => {
  const finished: unknown[] = []
  const batch = new Batch([request(1), notice, request(2)], (answers) => finished.push(answers))

  expect(batch.take(answer(1))).toBe(true)
  expect(batch.take(answer(2))).toBe(true)
  expect(finished).toEqual([])
  batch.handedOver()
  expect(finished).toEqual([[answer(1), answer(2)]])
})

test('what does not belong to it passes by, and a cancelled request is not waited for', () => {
  const finished: unknown[] = []
  const batch = new Batch([request(1), request(2)], (answers) => finished.push(answers))
  batch.handedOver()

  expect([batch.take(notice), batch.take(answer(7))]).toEqual([false, false])
  batch.drop(1)
  batch.take(answer(2))
  expect(batch.take(answer(2))).toBe(false)
  expect(finished).toEqual([[answer(2)]])
})

test('a batch of notifications ends with nothing', () => {
  const finished: unknown[] = []
  new Batch([notice], (answers) => finished.push(answers)).handedOver()

  expect(finished).toEqual([[]])
})
