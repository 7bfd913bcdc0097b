import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import type { EventLog } from './store.ts'

let count = 0

const message = (text: unknown): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'info', data: text },
})

/** What every event log promises. `open` gets how many events a stream may keep; logs of one suite may share streams. */
export function describeEventLog(name: string, open: (maxEventsPerStream: number) => EventLog | Promise<EventLog>) {
  const newStream = () => `stream ${(count += 1)} of ${process.pid}`

  describe(`the ${name} event log`, () => {
    test('gives the later events of the same stream in their order', async () => {
      const log = await open(100)
      const [stream, other] = [newStream(), newStream()]
      const ids: string[] = []
      for (let index = 0; index < 12; index += 1) {
        ids.push(await log.append(stream, message(index)))
        await log.append(other, message('of the other stream'))
      }
      const [first = '', ...later] = ids
      const expected = later.map((id, index) => ({ id, message: message(index + 1) }))
      expect(await log.after(first)).toEqual(expected)
      expect(await log.after(ids.at(-3) ?? '')).toEqual(expected.slice(-2))
      expect(ids.toSorted()).toEqual(ids)
    })

    test('knows of which stream an event is', async () => {
      const log = await open(100)
      const [stream, other] = [newStream(), newStream()]
      const id = await log.append(stream, message(1))
      const otherId = await log.append(other, message(1))
      expect(await log.streamOf(id)).toBe(stream)
      expect(await log.streamOf(otherId)).toBe(other)
    })

    test('has nothing to say after the last event', async () => {
      const log = await open(100)
      expect(await log.after(await log.append(newStream(), message(1)))).toEqual([])
    })

    test.each([
      [''],
      ['1'],
      ['nul\0'],
      ["' or true --"],
      ['00000000-0000-4000-8000-000000000000_000000000001'],
      ['x'.repeat(100_000)],
    ])('does not know the event %.50j', async (id) => {
      const log = await open(100)
      expect(await log.streamOf(id)).toBeUndefined()
      expect(await log.after(id)).toBeUndefined()
    })

    test('does not know events that are still to come', async () => {
      const log = await open(100)
      const id = await log.append(newStream(), message(1))
      const next = id.replace(/1$/, '2')
      expect(await log.streamOf(next)).toBeUndefined()
      expect(await log.after(next)).toBeUndefined()
    })

    test('keeps messages as they are', async () => {
      const log = await open(100)
      const stream = newStream()
      const id = await log.append(stream, message('before'))
      const odd = message(['a\0b', '\ud800', '😀', null, 1.5, { text: 'å'.repeat(1_000_000) }])
      await log.append(stream, odd)
      expect((await log.after(id))?.[0]?.message).toEqual(odd)
    })

    test('shares no objects with its callers', async () => {
      const log = await open(100)
      const stream = newStream()
      const id = await log.append(stream, message('before'))
      const data = { list: [1] }
      await log.append(stream, message(data))
      data.list.push(2)
      expect((await log.after(id))?.[0]?.message).toEqual(message({ list: [1] }))
    })

    test('keeps the last events of a stream up to its cap, and says when more than those were missed', async () => {
      const log = await open(5)
      const stream = newStream()
      const ids: string[] = []
      for (let index = 0; index < 12; index += 1) ids.push(await log.append(stream, message(index)))
      expect(await log.after(ids[6] ?? '')).toBeUndefined()
      expect(await log.streamOf(ids[6] ?? '')).toBeUndefined()
      expect((await log.after(ids[7] ?? ''))?.map((event) => event.id)).toEqual(ids.slice(8))
    })

    test('concurrent appends to one stream get ids of their own, and the order that the ids say', async () => {
      const log = await open(100)
      const stream = newStream()
      const first = await log.append(stream, message('first'))
      const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => log.append(stream, message(index))))
      const later = await log.after(first)
      expect(later?.map((event) => event.id)).toEqual(ids.toSorted())
      const byId = new Map(ids.map((id, index) => [id, message(index)]))
      for (const event of later ?? []) expect(event.message).toEqual(byId.get(event.id))
    })
  })
}
