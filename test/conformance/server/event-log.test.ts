import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { createEventLog } from './event-log.ts'

const message = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'ping' })

test('a stream is replayed after its last event, without the events of other streams', async () => {
  const log = createEventLog()
  const first = await log.storeEvent('a', message(1))
  await log.storeEvent('b', message(2))
  await log.storeEvent('a', message(3))
  expect(await replay(log, first)).toEqual([3])
})

test('an event that was forgotten is an error that says what to do', async () => {
  const log = createEventLog(2)
  const first = await log.storeEvent('a', message(1))
  await log.storeEvent('a', message(2))
  await log.storeEvent('a', message(3))
  await expect(replay(log, first)).rejects.toThrow('send the request again')
})

async function replay(log: ReturnType<typeof createEventLog>, after: string): Promise<unknown[]> {
  const ids: unknown[] = []
  await log.replayEventsAfter(after, {
    send: async (_, sent) => {
      ids.push('id' in sent ? sent.id : undefined)
    },
  })
  return ids
}
