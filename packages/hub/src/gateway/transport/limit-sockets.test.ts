import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AddressLimiter } from '../../access/index.ts'
import { FastListener } from '../../platform/fast-http/index.ts'
import { limitSockets, type SocketLimit } from './limit-sockets.ts'

const handler = { takes: () => false, handle: () => {} }

describe.each(['fast', 'node'])('sockets read by %s HTTP', (http) => {
  let server: Server
  let limit: SocketLimit
  let peer: string
  let limiter: AddressLimiter
  const sockets: Socket[] = []

  beforeEach(async () => {
    peer = '10.0.0.7'
    limiter = new AddressLimiter({ limits: () => ({ sockets: 2, connections: null, opensPerMinute: null }) })
    server = createServer((_, response) => response.end('served'))
    if (http === 'fast') void new FastListener(server, { handler, keepAliveMs: 10_000, silenceMs: 10_000 })
    // All sockets of a test come from this machine, which has no limit, so that they are said to come from elsewhere.
    limit = limitSockets(server, { hold: (kind) => limiter.hold(kind, peer) })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    limit.closeAll()
    await new Promise((resolve) => server.close(resolve).closeAllConnections())
  })

  async function open({ allowHalfOpen = false } = {}): Promise<Socket> {
    const { port } = server.address() as AddressInfo
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen })
    sockets.push(socket)
    const accepted = once(server, 'connection')
    await Promise.all([once(socket, 'connect'), accepted])
    return socket
  }

  async function ask(socket: Socket): Promise<string> {
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await once(socket, 'close')
    return text
  }

  test('count while they are open, also those on which nothing comes', async () => {
    const [idle] = [await open(), await open()]
    const refused = await ask(await open())
    expect(refused).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/)
    expect(refused).toContain('Retry-After: 10\r\n')
    expect(JSON.parse(refused.slice(refused.indexOf('\r\n\r\n')))).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { message: expect.stringContaining('Your address has 2 sockets open') as string },
    })
    peer = '10.0.0.8'
    expect(await ask(await open())).toContain('served')
    peer = '10.0.0.7'
    idle.destroy()
    await expect.poll(() => limiter.hasRoom('sockets', peer)).toBe(true)
    expect(await ask(await open())).toContain('served')
  })

  test('that are refused are not kept, though they do not close their end', async () => {
    await open()
    await open()
    for (let count = 0; count < 150; count++) (await open({ allowHalfOpen: true })).on('error', () => {})
    const count = () => new Promise((resolve) => server.getConnections((_, found) => resolve(found)))
    await expect.poll(count, { timeout: 20_000 }).toBe(2)
  })
})
