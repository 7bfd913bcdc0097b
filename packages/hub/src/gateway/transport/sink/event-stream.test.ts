import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { BufferBudget } from '@herma/framework/wire'
import { operator, SseParser } from '../../../wire/index.ts'
import { EventStream, readEventId } from './event-stream.ts'
import type { ClientResponse } from '@herma/framework/wire'

interface Client extends ClientResponse {
  readonly response: ServerResponse
  readonly socket: Socket
  /** Reads until the response has ended and returns its events. */
  readAll(): Promise<{ id: string | undefined; data: string }[]>
}

/** One client of a real server, which does not read until it is told to. */
async function openClient(): Promise<Client> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  onTestFinished(() => {
    socket.destroy()
    server.closeAllConnections()
    server.close()
  })
  const requested = once(server, 'request') as Promise<[unknown, ServerResponse]>
  // HTTP/1.0 leaves the events without chunk lengths in between.
  socket.write('GET / HTTP/1.0\r\n\r\n')
  const [, response] = await requested
  return {
    response,
    principal: operator,
    buffers: new BufferBudget(),
    socket,
    async readAll() {
      const chunks: Buffer[] = []
      for await (const chunk of socket) chunks.push(chunk as Buffer)
      // To most clients a carriage return alone is a line break too.
      const whole = Buffer.from(
        Buffer.concat(chunks)
          .toString('latin1')
          .replace(/\r(?!\n)/g, '\n'),
        'latin1',
      )
      const events: { id: string | undefined; data: string }[] = []
      const parser = new SseParser(({ id, data }) => events.push({ id, data: data.toString('utf8') }), 100_000_000)
      parser.push(whole.subarray(whole.indexOf('\r\n\r\n') + 4))
      return events
    },
  }
}

const message = (value: unknown) => ({ head: JSON.stringify(value), body: null, tail: '' })
const values = (events: { data: string }[]) =>
  events.filter(({ data }) => data !== '').map(({ data }) => JSON.parse(data))

describe('a stream of a modern client', () => {
  test('carries messages without ids', async () => {
    const client = await openClient()
    const stream = new EventStream(null)
    stream.attach(client)
    stream.send(message({ a: 'größe' }))
    stream.send({ head: '{"b":', body: Buffer.from('[1,2]'), tail: '}' })
    stream.end()
    const events = await client.readAll()
    expect(values(events)).toEqual([{ a: 'größe' }, { b: [1, 2] }])
    expect(events.map(({ id }) => id)).toEqual([undefined, undefined])
  })
})

describe.each([
  ['a modern client', null],
  ['a legacy client', 3],
])('a message to %s', (_, number) => {
  test.each(['\n', '\r\n', '\r'])('with the line break %j between its tokens arrives whole', async (lineBreak) => {
    const client = await openClient()
    const stream = new EventStream(number, { keepBytes: 1000 })
    stream.attach(client)
    stream.send({ head: '{"a":', body: Buffer.from(`[1,${lineBreak}${lineBreak}2]`), tail: '}' })
    stream.end()
    expect(values(await client.readAll())).toEqual([{ a: [1, 2] }])
  })
})

describe('a stream of a legacy client', () => {
  test('numbers its events and can be resumed after each of them', async () => {
    const first = await openClient()
    const stream = new EventStream(3, { keepBytes: 10_000 })
    stream.attach(first, { primes: true })
    for (let index = 1; index <= 3; index++) stream.send(message({ index }))
    first.socket.destroy()
    await once(first.response, 'close')
    stream.send(message({ index: 4 }))
    stream.end()
    for (let after = 0; after <= 4; after++) {
      expect(stream.hasReached(after)).toBe(true)
      const client = await openClient()
      stream.resume(client, after)
      const events = await client.readAll()
      expect(events.map(({ id }) => id)).toEqual([1, 2, 3, 4].slice(after).map((sequence) => `3-${sequence}`))
    }
  })

  test('keeps the last events within its limit, and goes on with those when more are asked for', async () => {
    const stream = new EventStream(3, { keepBytes: 1000 })
    for (let index = 1; index <= 10; index++) stream.send(message({ index, text: 'x'.repeat(300) }))
    expect([0, 10, 11].map((sequence) => stream.hasReached(sequence))).toEqual([true, true, false])
    expect(stream.keptBytes).toBeLessThanOrEqual(1000)
    const client = await openClient()
    stream.resume(client, 0)
    stream.end()
    expect((await client.readAll()).map(({ id }) => id)).toEqual(['3-9', '3-10'])
  })

  test.each(['1', '-7', '"a b"', '12345678901234567890', '"ü"'])(
    'tells which request %s its events answer',
    async (id) => {
      const client = await openClient()
      const stream = new EventStream(3, { keepBytes: 1000, requestId: id, after: 40 })
      stream.attach(client)
      stream.send(message({ a: 1 }))
      stream.end()
      const [event] = await client.readAll()
      expect(readEventId(event!.id!)).toEqual({ stream: 3, sequence: 41, requestId: id })
    },
  )

  test.each(['', 'x', '1', '1-', '1-2-!', '3-gone', `1-2-${'a'.repeat(65)}`])('reads no place from %j', (text) => {
    expect(readEventId(text)).toBeNull()
  })

  test.each(['{}', 'null', '1\n2', '"a', '"\n"', '[1]'])('takes no id of a request from %j', (text) => {
    const mark = Buffer.from(text).toString('base64url')
    expect(readEventId(`1-2-${mark}`)).toEqual({ stream: 1, sequence: 2, requestId: null })
  })

  test('is read on one connection only: a new one ends the one before', async () => {
    const [first, second] = [await openClient(), await openClient()]
    const stream = new EventStream(0, { keepBytes: 1000 })
    stream.attach(first)
    stream.attach(second)
    stream.send(message({ a: 1 }))
    stream.end()
    expect(values(await first.readAll())).toEqual([])
    expect(values(await second.readAll())).toEqual([{ a: 1 }])
  })
})

test.each([
  ['modern', null],
  ['legacy', 0],
])('a %s client that does not read is cut off before it fills the memory', async (_, number) => {
  const client = await openClient()
  const stream = new EventStream(number, { keepBytes: 1000 })
  stream.attach(client)
  const text = 'x'.repeat(100_000)
  let sentBytes = 0
  for (; stream.isAttached && sentBytes < 200_000_000; sentBytes += text.length) stream.send(message({ text }))
  expect(stream.isAttached).toBe(false)
  expect(client.response.destroyed).toBe(true)
  expect(sentBytes).toBeLessThan(100_000_000)
})

test('a client that does not read gets an answer of any size when it reads at last', async () => {
  const client = await openClient()
  const stream = new EventStream(null)
  stream.attach(client)
  const text = 'x'.repeat(60_000_000)
  stream.send(message({ text }))
  stream.end()
  const [answer] = values(await client.readAll()) as { text: string }[]
  expect(answer!.text.length).toBe(text.length)
})
