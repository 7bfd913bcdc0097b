import { once } from 'node:events'
import { createServer, get, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { BufferBudget } from '@herma/framework/wire'
import { operator, type RequestId } from '../../../wire/index.ts'
import { Connection } from '../../connection/connection.ts'
import { HttpSink } from './http-sink.ts'

interface Opened {
  readonly sink: HttpSink
  readonly request: ClientRequest
  readonly response: ServerResponse
  read(): Promise<{ status: number; type: string | undefined; text: string; isComplete: boolean }>
}

const clientOf = (response: ServerResponse) => ({ response, principal: operator, buffers: new BufferBudget() })

async function open({
  id = 1,
  connection = null,
}: { id?: RequestId; connection?: Connection | null } = {}): Promise<Opened> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const request = get({ port: (server.address() as AddressInfo).port, agent: false })
  // The other side may break off.
  request.on('error', () => {})
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  answered.catch(() => {})
  onTestFinished(() => {
    request.destroy()
    server.closeAllConnections()
    server.close()
  })
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  return {
    sink: new HttpSink({ jsonrpc: '2.0', id, method: 'ping' }, connection, clientOf(response)),
    request,
    response,
    async read() {
      const [incoming] = await answered
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      // A response that is cut says so with an error.
      incoming.on('error', () => {})
      await new Promise((resolve) => incoming.once('close', resolve))
      const text = Buffer.concat(chunks).toString('utf8')
      return {
        status: incoming.statusCode!,
        type: incoming.headers['content-type'],
        text,
        isComplete: incoming.complete,
      }
    },
  }
}

const legacy = (revision = '2025-06-18') =>
  new Connection(
    { id: 'c', token: null, issuedAtSeconds: 0, isWhole: true, isRestored: false },
    { principal: 'operator', server: 'facade', revision, clientInfo: {}, capabilities: {} },
    { questionMs: 1000 },
  )
const pieces = (id: unknown, body: string) => ({
  head: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`,
  body: Buffer.from(body),
  tail: '}',
})
const events = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Record<string, unknown>)

describe('an answer', () => {
  test.each<[string, RequestId, string]>([
    ['small', 1, '{"a":"b"}'],
    ['with letters of any alphabet', 2, '{"a":"ü € 漢 🙂"}'],
    ['to an id of any alphabet', 'ü 漢', '{"a":"ü"}'],
    ['to an id with quotes', '"\\', '{}'],
    ['large', 3, `{"a":"${'ü'.repeat(20_000)}"}`],
  ])('that is %s comes whole, as plain JSON', async (_, id, body) => {
    const { sink, read } = await open({ id })
    sink.finish(pieces(id, body), 200)
    const { status, type, text, isComplete } = await read()
    expect({ status, type, isComplete }).toEqual({ status: 200, type: 'application/json', isComplete: true })
    expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', id, result: JSON.parse(body) })
  })

  test('has the status that belongs to it', async () => {
    const { sink, read } = await open()
    sink.finish({ head: '{"error":{}}', body: null, tail: '' }, 404)
    expect(await read()).toMatchObject({ status: 404, text: '{"error":{}}' })
  })

  test('is the last event of a stream once there was more to say', async () => {
    const { sink, read } = await open()
    sink.send({ method: 'notifications/progress' })
    sink.finish(pieces(1, '{\n"a": 1\n}'), 404)
    const { status, type, text } = await read()
    expect({ status, type }).toEqual({ status: 200, type: 'text/event-stream' })
    expect(events(text)).toEqual([{ method: 'notifications/progress' }, { jsonrpc: '2.0', id: 1, result: { a: 1 } }])
  })

  test('that takes long becomes a stream by itself', async () => {
    const { sink, response, read } = await open()
    sink.beat(performance.now() + 4000)
    expect(response.headersSent).toBe(false)
    sink.beat(performance.now() + 6000)
    expect(response.headersSent).toBe(true)
    sink.finish(pieces(1, '{}'), 200)
    expect(events((await read()).text)).toHaveLength(1)
  })

  test('can be passed on while it arrives, with its length told first', async () => {
    const { sink, read } = await open()
    const [head, rest] = [pieces(1, '{"a":"'), '0123456789"}}']
    const length = Buffer.byteLength(head.head) + head.body.length + rest.length
    expect(sink.begin({ ...head, tail: '' }, length)).toBe(true)
    sink.continue(Buffer.from(rest), () => {})
    sink.end()
    const { text, isComplete } = await read()
    expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', id: 1, result: { a: '0123456789' } })
    expect(isComplete).toBe(true)
  })

  test('that breaks off is cut off, so that nobody takes it for whole', async () => {
    const { sink, read } = await open()
    sink.begin({ ...pieces(1, '{"a":"'), tail: '' }, 1000)
    sink.end(new Error('lost'))
    expect((await read()).isComplete).toBe(false)
  })

  test('cannot be passed on while it arrives on a stream', async () => {
    const { sink } = await open()
    sink.send({ method: 'notifications/progress' })
    expect(sink.begin(pieces(1, '{}'), 100)).toBe(false)
  })

  test('that will not come leaves an empty stream', async () => {
    const { sink, read } = await open()
    sink.close()
    expect(await read()).toMatchObject({ status: 200, type: 'text/event-stream', text: '' })
  })
})

describe('a client that closes', () => {
  /** Closes from the side of the client and waits until the server has noticed. */
  async function leave({ request, response }: Opened): Promise<void> {
    request.destroy()
    if (!response.closed) await once(response, 'close')
  }

  function watch(sink: HttpSink): { gone: number } {
    const seen = { gone: 0 }
    sink.onGone = () => seen.gone++
    return seen
  }

  test('is gone when it is a modern one', async () => {
    const opened = await open()
    const seen = watch(opened.sink)
    await leave(opened)
    expect(seen.gone).toBe(1)
  })

  test('is not gone when it has its answer', async () => {
    const opened = await open()
    const seen = watch(opened.sink)
    opened.sink.finish(pieces(1, '{}'), 200)
    await opened.read()
    await leave(opened)
    expect(seen.gone).toBe(0)
  })

  test('may come back when it is a legacy one, unless half of its answer has left', async () => {
    const waiting = await open({ connection: legacy() })
    const begun = await open({ connection: legacy() })
    const seen = [watch(waiting.sink), watch(begun.sink)]
    begun.sink.begin({ ...pieces(1, '{"a":"'), tail: '' }, 1000)
    await Promise.all([leave(waiting), leave(begun)])
    expect(seen.map(({ gone }) => gone)).toEqual([0, 1])
  })

  test('finds the answer on the stream of its request when it comes back', async () => {
    const connection = legacy()
    const first = await open({ connection })
    first.sink.send({ method: 'notifications/progress' })
    await leave(first)
    first.sink.finish(pieces(1, '{}'), 200)
    const second = await open()
    connection.stream(1)!.resume(clientOf(second.response), 1)
    expect(events((await second.read()).text)).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
  })
})
