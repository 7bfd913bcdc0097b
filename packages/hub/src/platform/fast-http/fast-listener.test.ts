import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { FastListener } from './fast-listener.ts'
import type { FastResponse } from './fast-response.ts'

interface Fixture {
  readonly server: Server
  readonly listener: FastListener
  readonly port: number
  /** Which of the two readers took each request, with its body. */
  readonly taken: string[]
}

type Answer = (response: FastResponse, body: string) => void

const answerAtOnce: Answer = (response, body) => {
  response.writeHead(200, ['Content-Type', 'text/plain', 'Content-Length', String(body.length)])
  response.end(body)
}

async function listen(answer: Answer = answerAtOnce): Promise<Fixture> {
  const taken: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('latin1')
      taken.push(`node ${request.method} ${body.length > 100 ? body.length : body}`)
      response.end(body)
    })
  })
  const listener = new FastListener(server, {
    keepAliveMs: 65_000,
    silenceMs: 120_000,
    handler: {
      takes: (path) => path === '/mcp',
      handle: (request, response) => {
        const body = request.body.toString('latin1')
        taken.push(`fast ${request.method} ${body}`)
        answer(response, body)
      },
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    listener.closeAll()
    server.closeAllConnections()
    server.close()
  })
  return { server, listener, port: (server.address() as AddressInfo).port, taken }
}

class Client {
  readonly socket: Socket
  read = ''
  isClosed = false

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    this.socket.on('data', (chunk: Buffer) => (this.read += chunk.toString('latin1')))
    this.socket.on('error', () => undefined)
    this.socket.on('close', () => (this.isClosed = true))
    onTestFinished(() => void this.socket.destroy())
  }

  send(text: string): this {
    this.socket.write(text, 'latin1')
    return this
  }

  /** The bodies of the answers that have come, each of which is short. */
  async answers(count: number): Promise<string[]> {
    const bodies = () => [...this.read.matchAll(/\r\n\r\n(?:1\r\n)?([a-z])(?=$|\r\n|HTTP)/g)].map(([, body]) => body!)
    await vi.waitFor(() => {
      if (bodies().length !== count) throw new Error(`${bodies().length} answers have come, not ${count}`)
    })
    return bodies()
  }
}

const post = (body: string, more = '') =>
  `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`

describe('a connection', () => {
  test('is read here while its requests are ordinary, and by node:http from the first that is not', async () => {
    const { port, taken, listener } = await listen()
    const client = new Client(port).send(post('a'))
    await client.answers(1)
    client.send(post('b'))
    await client.answers(2)
    expect(listener.size).toBe(1)
    client.send('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nc\r\n0\r\n\r\n')
    await client.answers(3)
    expect(listener.size).toBe(0)
    client.send(post('d'))
    await client.answers(4)
    expect(taken).toEqual(['fast POST a', 'fast POST b', 'node POST c', 'node POST d'])
  })

  test('passes large bodies on whole, whatever came of them before', async () => {
    const { port, taken } = await listen()
    const body = 'x'.repeat(3_000_000)
    const client = new Client(port).send(post('a'))
    await client.answers(1)
    client.send(post(body))
    await vi.waitFor(() => expect(taken).toContain(`node POST ${body.length}`))
    await vi.waitFor(() => expect(client.read.endsWith('x'.repeat(1000))).toBe(true))
  })

  test('takes a request in any pieces', async () => {
    const { port, taken } = await listen()
    const client = new Client(port)
    for (const letter of post('a')) {
      client.send(letter)
      await sleep(1)
    }
    await client.answers(1)
    expect(taken).toEqual(['fast POST a'])
  })

  test('answers what was sent ahead in its order, each after the one before', async () => {
    const waiting: (() => void)[] = []
    const { port, taken } = await listen((response, body) => waiting.push(() => answerAtOnce(response, body)))
    const client = new Client(port).send(post('a') + post('b') + post('c').slice(0, 20))
    await vi.waitFor(() => expect(taken).toEqual(['fast POST a']))
    client.send(post('c').slice(20))
    await sleep(20)
    expect(taken).toHaveLength(1)
    for (let answered = 1; answered <= 3; answered++) {
      waiting.shift()!()
      await client.answers(answered)
      await vi.waitFor(() => expect(taken).toHaveLength(Math.min(3, answered + 1)))
    }
    expect(await client.answers(3)).toEqual(['a', 'b', 'c'])
  })

  test('that sends more and more ahead is not read on', async () => {
    const { port } = await listen(() => undefined)
    const client = new Client(port)
    let sent = 0
    while (sent < 64_000_000 && client.socket.writableLength < 1_000_000) {
      client.send(post('y'.repeat(60_000)))
      sent += 60_000
      await sleep(0)
    }
    expect(sent).toBeLessThan(64_000_000)
  })

  test('whose request does not come to its end goes to node:http, which has a deadline', async () => {
    const { port, listener } = await listen()
    for (const part of ['POST /mcp HTTP/1.1\r\nHost: a\r\n', post('abc').slice(0, -2)]) new Client(port).send(part)
    await vi.waitFor(() => expect(listener.size).toBe(2))
    await vi.waitFor(() => expect(listener.size).toBe(0), { timeout: 10_000 })
  })

  test('with a head of 64 kB is refused as node:http does', async () => {
    const { port, taken } = await listen()
    const client = new Client(port).send(post('a', `X-Large: ${'x'.repeat(65_536)}\r\n`))
    await vi.waitFor(() => expect(client.read).toMatch(/^HTTP\/1\.1 431 /))
    expect(taken).toEqual([])
  })

  test('that is half closed in the middle of a request is refused', async () => {
    const { port, taken } = await listen()
    const client = new Client(port).send(post('abc').slice(0, -1))
    client.socket.end()
    await vi.waitFor(() => expect([client.read.slice(0, 12), client.isClosed]).toEqual(['HTTP/1.1 400', true]))
    expect(taken).toEqual([])
  })

  test('whose client goes away ends its response, which then takes nothing', async () => {
    let response: FastResponse | undefined
    const { port, listener } = await listen((opened) => {
      response = opened
      opened.writeHead(200, ['Content-Type', 'text/event-stream']).flushHeaders()
    })
    const client = new Client(port).send(post('a'))
    await vi.waitFor(() => expect(client.read).toContain('Transfer-Encoding: chunked'))
    const closed = once(response!, 'close')
    client.socket.resetAndDestroy()
    await closed
    expect([response!.destroyed, response!.write('more'), listener.size]).toEqual([true, true, 0])
    response!.end()
  })

  test('is closed when it is idle, or has answered, once the listener closes', async () => {
    const waiting: FastResponse[] = []
    const { port, listener } = await listen((response, body) => {
      if (body === 'w') waiting.push(response)
      else answerAtOnce(response, body)
    })
    const [idle, busy] = [new Client(port).send(post('i')), new Client(port).send(post('w'))]
    await idle.answers(1)
    await vi.waitFor(() => expect(waiting).toHaveLength(1))
    listener.close()
    await vi.waitFor(() => expect(idle.isClosed || idle.socket.readableEnded).toBe(true))
    answerAtOnce(waiting[0]!, 'w')
    await busy.answers(1)
    expect(busy.read).toContain('Connection: close')
    await vi.waitFor(() => expect(busy.socket.readableEnded).toBe(true))
  })
})

describe('a response', () => {
  test('without a length leaves in chunks, and its connection goes on', async () => {
    const { port } = await listen((response, body) => {
      response.writeHead(200, ['Content-Type', 'text/event-stream'])
      response.write(body)
      response.end()
    })
    const client = new Client(port).send(post('a'))
    await vi.waitFor(() => expect(client.read).toMatch(/\r\n\r\n1\r\na\r\n0\r\n\r\n$/))
    client.send(post('b'))
    await vi.waitFor(() => expect(client.read).toMatch(/\r\n\r\n1\r\nb\r\n0\r\n\r\n$/))
  })

  test('counts characters as the bytes that they are', async () => {
    const { port } = await listen((response) => {
      response.writeHead(200, ['Content-Length', '4'])
      response.end('ä€'.slice(0, 1) + 'ö')
    })
    const client = new Client(port).send(post('a'))
    await vi.waitFor(() => expect(Buffer.from(client.read, 'latin1').toString('utf8')).toMatch(/äö$/))
  })

  test('takes no header that would begin another line', async () => {
    const { port } = await listen((response) => {
      expect(() => response.writeHead(200, ['X-A', 'b\r\nX-C: d'])).toThrow(/Invalid character in header content/)
      response.destroy()
    })
    const client = new Client(port).send(post('a'))
    await vi.waitFor(() => expect(client.socket.readableEnded || client.isClosed).toBe(true))
    expect(client.read).toBe('')
  })
})
