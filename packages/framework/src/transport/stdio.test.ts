import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { server } from '../server/app.ts'

type Message = Record<string, unknown> & { id?: unknown; error?: { code: number; message: string } }

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const call = (id: number, name = 'echo', args: object = { text: 'hi' }) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})
const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})

async function serve(options: { maxMessageBytes?: number } = {}) {
  const app = server({ name: 'echo', version: '1.0.0' })
    .tool('echo', { input: z.object({ text: z.string() }) }, ({ text }) => text)
    .tool('hang', {}, async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    })
  const input = new PassThrough()
  const output = new PassThrough({ encoding: 'utf8' })
  let text = ''
  output.on('data', (chunk: string) => (text += chunk))
  const running = await app.stdio({ input, output, ...options })
  const read = () =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Message | Message[])
  return {
    app,
    running,
    input,
    write: (value: unknown) => void input.write(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`),
    /** The first `count` messages, once they are there. */
    async next(count: number) {
      await expect.poll(() => read().length).toBeGreaterThanOrEqual(count)
      return read().slice(0, count) as Message[]
    },
    [Symbol.asyncDispose]: () => running.stop(),
  }
}

test('what is no JSON is answered with -32700, and the next line is served', async () => {
  await using pipe = await serve()
  pipe.write('{"jsonrpc": "2.0", oops')
  pipe.write('')
  pipe.write('"text"')
  pipe.write({ jsonrpc: '2.0', id: 4, method: 7 })
  pipe.write(initialize('2025-11-25'))

  const [broken, text, wrong, opened] = await pipe.next(4)

  expect(broken).toMatchObject({ id: null, error: { code: -32_700 } })
  expect(text).toMatchObject({ id: null, error: { code: -32_600 } })
  expect(wrong).toMatchObject({ id: 4, error: { code: -32_600 } })
  expect(opened).toMatchObject({ id: 0, result: { protocolVersion: '2025-11-25' } })
})

test('a line that is too long is refused, and the next is served', async () => {
  await using pipe = await serve({ maxMessageBytes: 500 })
  pipe.write({ ...call(1), padding: 'x'.repeat(2000) })
  pipe.write(initialize('2025-06-18'))

  const [refused, opened] = await pipe.next(2)

  expect(refused?.error?.message).toContain('at most 500 bytes')
  expect(opened).toMatchObject({ id: 0 })
})

test('a batch is answered as one on 2025-03-26, without its cancelled requests', async () => {
  await using pipe = await serve()
  pipe.write(initialize('2025-03-26'))
  await pipe.next(1)

  pipe.write([
    call(1),
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { nonsense: true },
    call(2, 'hang', {}),
    call(3),
  ])
  pipe.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
  const answers = (await pipe.next(2))[1] as unknown as Message[]
  expect(answers.map(({ id }) => id)).toEqual([null, 1, 3])
  expect(answers[0]?.error?.code).toBe(-32_600)

  pipe.write([{ jsonrpc: '2.0', method: 'notifications/initialized' }])
  pipe.write([])
  pipe.write(Array.from({ length: 101 }, (_, id) => call(id)))
  const [, , empty, tooMany] = await pipe.next(4)
  expect(empty?.error?.message).toContain('must not be empty')
  expect(tooMany?.error?.message).toContain('at most 100')
})

test.each(['2024-11-05', '2025-06-18', '2025-11-25'])('a batch on %s is refused with the reason', async (version) => {
  await using pipe = await serve()
  pipe.write(initialize(version))
  pipe.write([call(1)])

  const refused = (await pipe.next(2)).find((message) => message.error !== undefined)

  expect(refused).toMatchObject({ id: null, error: { code: -32_600, message: expect.stringContaining('2025-03-26') } })
})

test('a connection opens once, and nothing but ping comes before that', async () => {
  await using pipe = await serve()
  pipe.write(call(1))
  pipe.write({ jsonrpc: '2.0', id: 2, method: 'ping' })
  const early = await pipe.next(2)
  expect(early.find(({ id }) => id === 1)?.error?.message).toContain("Send 'initialize' first")
  expect(early.find(({ id }) => id === 2)).toMatchObject({ result: {} })

  pipe.write(initialize('1999-01-01'))
  expect((await pipe.next(3))[2]).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
  pipe.write({ ...initialize('2025-11-25'), id: 9 })
  expect((await pipe.next(4))[3]).toMatchObject({ id: 9, error: { message: expect.stringContaining('open already') } })
})

test('two requests of one id are not mixed up', async () => {
  await using pipe = await serve()
  pipe.write(initialize('2025-11-25'))
  pipe.write(call(5, 'hang', {}))
  pipe.write(call(5))

  expect((await pipe.next(2)).find(({ id }) => id === 5)?.error?.message).toContain('still under way')
})

test('a client may probe as a modern one and go on as a legacy one, and the other way round', async () => {
  await using pipe = await serve()
  pipe.write({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: modern } })
  expect((await pipe.next(1))[0]).toMatchObject({ id: 1, result: { supportedVersions: ['2026-07-28'] } })
  pipe.write(initialize('2025-11-25'))
  pipe.write({ ...call(2), params: { ...call(2).params, _meta: modern } })
  const [, opened, answered] = await pipe.next(3)
  expect(opened).toMatchObject({ id: 0, result: { protocolVersion: '2025-11-25' } })
  expect(answered).toMatchObject({ id: 2, result: { resultType: 'complete', content: [{ text: 'hi' }] } })
  const wrong = { ...modern, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' }
  pipe.write({ ...call(3), params: { ...call(3).params, _meta: wrong } })
  expect((await pipe.next(4))[3]).toMatchObject({ id: 3, error: { code: -32_022, data: { requested: '2031-01-01' } } })
})

test('a modern request can be cancelled, and what listens is told when it is over', async () => {
  const pipe = await serve()
  pipe.write({ ...call(1, 'hang', {}), params: { ...call(1, 'hang', {}).params, _meta: modern } })
  const filter = { notifications: { toolsListChanged: true }, _meta: modern }
  pipe.write({ jsonrpc: '2.0', id: 2, method: 'subscriptions/listen', params: filter })
  expect((await pipe.next(1))[0]).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
  expect(pipe.running.health()).toMatchObject({ status: 'up', inFlight: 1 })

  pipe.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  await expect.poll(() => pipe.running.health().inFlight).toBe(0)
  pipe.app.remove('tool', 'hang')
  expect((await pipe.next(2))[1]).toMatchObject({ method: 'notifications/tools/list_changed' })
  await pipe.running.stop()
  expect((await pipe.next(3))[2]).toMatchObject({ id: 2, result: { resultType: 'complete' } })
  await pipe.running.done
})

test('the end of input ends the connection', async () => {
  const pipe = await serve()
  pipe.write(initialize('2025-11-25'))
  await pipe.next(1)
  expect(pipe.app.connections.size).toBe(1)

  pipe.input.end()
  await pipe.running.done
  expect(pipe.app.connections.size).toBe(0)
  expect(pipe.running.health().status).toBe('down')
})

test('a call that began before the server offered something new can still be cancelled', async () => {
  await using pipe = await serve()
  pipe.write({ ...call(1, 'hang', {}), params: { ...call(1, 'hang', {}).params, _meta: modern } })
  await expect.poll(() => pipe.running.health().inFlight).toBe(1)

  pipe.app.prompt('new', {}, () => 'A first prompt changes the capabilities.')
  pipe.write({ jsonrpc: '2.0', id: 2, method: 'server/discover', params: { _meta: modern } })
  expect((await pipe.next(1))[0]).toMatchObject({ result: { capabilities: { prompts: {} } } })
  pipe.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })

  await expect.poll(() => pipe.running.health().inFlight).toBe(0)
})

test.each(['error', 'close'] as const)('a pipe that ends with %s ends the server, not the process', async (how) => {
  await using pipe = await serve()
  pipe.write(initialize('2025-11-25'))
  await pipe.next(1)
  pipe.input.destroy(how === 'error' ? new Error('The pipe broke.') : undefined)
  await pipe.running.done
  expect(pipe.running.health()).toMatchObject({ status: 'down', connections: 0 })
})

test('a client that does not read its answers is not read either', async () => {
  const text = 'x'.repeat(100_000)
  const app = server({ name: 'big', version: '1.0.0' }).tool('big', {}, () => text)
  const input = new PassThrough()
  const output = new PassThrough({ highWaterMark: 1000 })
  const running = await app.stdio({ input, output })
  const request = (id: number) => ({ ...call(id, 'big', {}), params: { name: 'big', _meta: modern } })
  input.write(`${JSON.stringify(request(1))}\n`)
  await expect.poll(() => input.isPaused()).toBe(true)

  for (let id = 2; id <= 50; id++) input.write(`${JSON.stringify(request(id))}\n`)
  await expect.poll(() => running.health().inFlight).toBe(0)
  expect(output.readableLength + output.writableLength).toBeLessThan(5 * text.length)
  let answers = 0
  output.on('data', (chunk: Buffer) => (answers += chunk.toString().split('\n').length - 1))
  await expect.poll(() => answers).toBe(50)
  await running.stop()
})
