import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { describeEventLog } from './event-log.contract.ts'
import { memoryEventLog } from './memory-event-log.ts'

describeEventLog('memory', (maxEventsPerStream) => memoryEventLog({ maxEventsPerStream }))

const message = (text: string): JSONRPCMessage => ({ jsonrpc: '2.0', method: 'notifications/x', params: { text } })

test('past its number of streams it forgets the one that was silent for the longest time', async () => {
  const log = memoryEventLog({ maxStreams: 2 })
  const a = await log.append('a', message('1'))
  const b = await log.append('b', message('1'))
  await log.append('a', message('2'))
  await log.append('c', message('1'))
  expect(await log.streamOf(b)).toBeUndefined()
  expect(await log.after(a)).toHaveLength(1)
  expect(log.size).toBe(3)
})

test('a stream that was forgotten and comes back does not take up its old ids', async () => {
  const log = memoryEventLog({ maxStreams: 1 })
  const old = await log.append('a', message('1'))
  await log.append('b', message('1'))
  const again = await log.append('a', message('1'))
  expect(again).not.toBe(old)
  expect(await log.after(old)).toBeUndefined()
})

test('past its bytes it forgets other streams first, then the oldest events of this one', async () => {
  const log = memoryEventLog({ maxBytes: 1000 })
  const other = await log.append('other', message('x'.repeat(500)))
  const first = await log.append('a', message('x'.repeat(500)))
  expect(await log.streamOf(other)).toBeUndefined()
  const second = await log.append('a', message('x'.repeat(500)))
  expect(await log.after(first)).toBeUndefined()
  expect(await log.after(second)).toEqual([])
  const huge = await log.append('a', message('x'.repeat(2000)))
  expect(await log.after(huge)).toBeUndefined()
  expect(log.size).toBe(0)
  const next = await log.append('a', message('small'))
  expect(next > huge).toBe(true)
  expect(await log.after(next)).toEqual([])
})

test('forgets a stream that was silent for its time', async () => {
  let now = 0
  const log = memoryEventLog({ ttlMs: 10, clock: () => now })
  const a = await log.append('a', message('1'))
  now = 5
  const b = await log.append('b', message('1'))
  now = 10
  expect(await log.after(a)).toBeUndefined()
  expect(await log.after(b)).toEqual([])
  expect(log.size).toBe(1)
})
