import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildConnector } from 'undici'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { FastPool } from './fast-pool.ts'

interface Heard {
  events: string[]
  body: string
  resume: () => void
  abort: (error?: Error) => void
}

/** A server that says what it is told to each request, and a pool that asks it. */
async function meet(answer: (socket: Socket, request: string, count: number) => unknown, connections = 4) {
  const sockets: Socket[] = []
  let requests = 0
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => answer(socket, chunk.toString('latin1'), ++requests))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const pool = new FastPool(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), {
    connections,
    connect: buildConnector({}),
  })
  onTestFinished(() => {
    pool.destroy()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const ask = (body = '{}', takes: () => boolean = () => true): Heard => {
    const heard: Heard = { events: [], body: '', resume: () => undefined, abort: () => undefined }
    pool.dispatch(
      { path: '/mcp', headers: ['content-type', 'application/json'], body },
      {
        onConnect: (abort) => {
          heard.abort = abort
          heard.events.push('connect')
        },
        onHead: (status, _, resume) => {
          heard.resume = resume
          heard.events.push(String(status))
        },
        onData: (chunk) => {
          heard.body += chunk.toString('latin1')
          return takes()
        },
        onComplete: () => void heard.events.push('complete'),
        onError: (error) => void heard.events.push(`error ${error.message}`),
      },
    )
    return heard
  }
  const end = async (heard: Heard) => {
    await vi.waitFor(() => expect(heard.events.at(-1)).toMatch(/^(complete|error)/))
    return heard
  }
  return { pool, sockets, ask, end, requests: () => requests }
}

const whole = (body: string, more = '') => `HTTP/1.1 200 OK\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`
const good = ['connect', '200', 'complete']

describe('an answer', () => {
  test('comes over a connection that is used again, one request at a time', async () => {
    const { sockets, ask, end } = await meet((socket, request) => socket.write(whole(request.slice(-1))))
    for (const body of ['a', 'b']) expect(await end(ask(body))).toMatchObject({ events: good, body })
    expect(sockets).toHaveLength(1)
    const both = await Promise.all(['c', 'd'].map((body) => end(ask(body))))
    expect(both.map(({ body }) => body)).toEqual(['c', 'd'])
    expect(sockets).toHaveLength(2)
  })

  test('waits for a connection while as many as may be are in use', async () => {
    const waiting: (() => void)[] = []
    const { sockets, ask, end } = await meet((socket, request) => {
      waiting.push(() => socket.write(whole(request.slice(-1))))
    }, 1)
    const asked = ['a', 'b', 'c'].map((body) => ask(body))
    for (const [index, heard] of asked.entries()) {
      await vi.waitFor(() => expect(waiting).toHaveLength(index + 1))
      waiting[index]!()
      await end(heard)
    }
    expect([asked.map(({ body }) => body), sockets.length]).toEqual([['a', 'b', 'c'], 1])
  })

  test('in chunks, in any pieces, is put together', async () => {
    const text = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nX-T: a\r\n\r\n`
    const { sockets, ask, end } = await meet(async (socket) => {
      for (const letter of text) {
        socket.write(letter)
        await sleep(1)
      }
    })
    expect(await end(ask())).toMatchObject({ events: good, body: 'abc0123456789' })
    expect(await end(ask())).toMatchObject({ events: good })
    expect(sockets).toHaveLength(1)
  })

  test.each([
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na'],
    ['after early hints', `HTTP/1.1 103 Early Hints\r\n\r\n${whole('a')}`],
    ['in bytes beyond ASCII', 'HTTP/1.1 200 OK\r\nX-A: \xe4\r\nContent-Length: 1\r\n\r\na'],
    ['that says its end by closing', 'HTTP/1.1 200 OK\r\n\r\na'],
  ])('%s is read by undici as ever', async (_, text) => {
    const { ask, end } = await meet((socket) => void socket.end(text, 'latin1'))
    const { events, body } = await end(ask())
    expect([events.at(-1), body]).toEqual(['complete', 'a'])
  })

  test('is read no faster than it is taken', async () => {
    const size = 20_000_000
    const { sockets, ask, end } = await meet((socket) => socket.write(whole('x'.repeat(size))))
    let isTaking = false
    const heard = ask('{}', () => isTaking)
    await vi.waitFor(() => expect(heard.body.length).toBeGreaterThan(0))
    await sleep(100)
    expect(heard.body.length).toBeLessThan(1_000_000)
    expect(sockets[0]!.writableLength).toBeGreaterThan(1_000_000)
    isTaking = true
    heard.resume()
    expect((await end(heard)).body.length).toBe(size)
  })

  test('that is given up closes its connection', async () => {
    const { sockets, ask, end } = await meet(() => undefined)
    const heard = ask()
    await vi.waitFor(() => expect(sockets).toHaveLength(1))
    const closed = once(sockets[0]!, 'close')
    await vi.waitFor(() => expect(heard.events).toEqual(['connect']))
    heard.abort(new Error('enough'))
    await end(heard)
    await closed
    expect(heard.events).toEqual(['connect', 'error enough'])
  })
})

describe('a connection is not used again', () => {
  test.each([
    ['that says so', whole('a', 'Connection: close\r\n'), 'a'],
    ['with bytes behind its answer', `${whole('a')}HTTP/1.1 200 OK`, 'a'],
    ['with another answer behind its answer', whole('a') + whole('b'), 'a'],
  ])('%s', async (_, text, body) => {
    const { sockets, ask, end } = await meet((socket, __, count) => socket.write(count === 1 ? text : whole('z')))
    expect(await end(ask())).toMatchObject({ events: good, body })
    expect(await end(ask())).toMatchObject({ events: good, body: 'z' })
    expect(sockets).toHaveLength(2)
  })

  test('over which something comes that nobody asked for', async () => {
    const { sockets, ask, end } = await meet((socket) => socket.write(whole('a')))
    await end(ask())
    sockets[0]!.write(whole('stray'))
    await once(sockets[0]!, 'close')
    expect(await end(ask())).toMatchObject({ events: good, body: 'a' })
    expect(sockets).toHaveLength(2)
  })

  test('that its server has closed while it rested, and the request goes out once', async () => {
    const { sockets, ask, end, requests } = await meet((socket) => socket.write(whole('a')))
    await end(ask())
    await sleep(600)
    sockets[0]!.end()
    expect(await end(ask())).toMatchObject({ events: good })
    expect([requests(), sockets.length]).toEqual([2, 2])
  })
})

describe('a request that may have been read', () => {
  test.each([
    ['is not sent again when its connection is closed', (socket: Socket) => void socket.end()],
    ['is not sent again when its connection is reset', (socket: Socket) => void socket.resetAndDestroy()],
    [
      'fails when its answer breaks off',
      (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\na'),
    ],
    [
      'fails when a chunk is no chunk',
      (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxx\r\n'),
    ],
    [
      'fails when a length stands behind the chunks',
      (socket: Socket) =>
        void socket.write(
          'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nContent-Length: 3\r\n\r\n',
        ),
    ],
    [
      'fails when a chunk is longer than it says',
      (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n'),
    ],
  ])('%s', async (_, fail) => {
    const { ask, end, requests } = await meet((socket, __, count) =>
      count === 1 ? socket.write(whole('a')) : fail(socket),
    )
    await end(ask())
    const { events } = await end(ask())
    expect(events.at(-1)).toMatch(/^error/)
    expect(requests()).toBe(2)
  })
})

test('a server that is not there is told before anything was sent', async () => {
  const { pool, ask, end } = await meet(() => undefined)
  pool.destroy()
  expect((await end(ask())).events).toEqual(['error the pool of connections is closed'])
  const nowhere = new FastPool(new URL('http://127.0.0.1:1'), { connections: 1, connect: buildConnector({}) })
  const events: string[] = []
  await new Promise<void>((resolve) => {
    nowhere.dispatch(
      { path: '/', headers: [], body: '' },
      {
        onConnect: () => void events.push('connect'),
        onHead: () => undefined,
        onData: () => true,
        onComplete: resolve,
        onError: (error) => {
          events.push((error as NodeJS.ErrnoException).code ?? error.message)
          resolve()
        },
      },
    )
  })
  expect(events).toEqual(['ECONNREFUSED'])
})
