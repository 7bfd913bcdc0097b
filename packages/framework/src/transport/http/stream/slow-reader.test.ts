import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { server } from '../../../server/app.ts'
import { memoryEventLog } from '../../../store/memory-event-log.ts'
import { modernHeaders, modernRequest, initialize, EventReader, listenOn } from '../testing/wire.ts'

const big = 'x'.repeat(256 * 1024)

/** Talks until its client has gone, at most 64 MB. */
function talkative() {
  let rounds = 0
  const app = server({ name: 't', version: '1' }).tool(
    'talk',
    { input: z.object({ rounds: z.number() }) },
    async (args, context) => {
      for (rounds = 0; rounds < args.rounds && !context.signal.aborted; rounds++) {
        context.progress(rounds, undefined, big)
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      return 'said'
    },
  )
  return { app, rounds: () => rounds }
}

/** Sends a request and never reads the answer. */
function postUnread(url: URL, headers: Record<string, string>, body: unknown) {
  const text = JSON.stringify(body)
  const lines = Object.entries({ host: url.host, 'content-type': 'application/json', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const socket = connect(Number(url.port), url.hostname)
  socket.pause()
  socket.on('error', () => {})
  socket.write(
    `POST ${url.pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
  return socket
}

test('a modern client that does not read is cut off, and its request with it', async () => {
  const { app, rounds } = talkative()
  const running = await app.http().listen()
  const request = modernRequest('tools/call', { name: 'talk', arguments: { rounds: 256 }, _meta: { progressToken: 1 } })
  const socket = postUnread(running.url, modernHeaders(request), request)
  try {
    await expect.poll(() => rounds(), { timeout: 20_000 }).toBeGreaterThan(8)
    await expect.poll(() => running.health().inFlight, { timeout: 20_000 }).toBe(0)
    expect(rounds()).toBeLessThan(256)
  } finally {
    socket.destroy()
    await running.stop()
  }
})

test('answers that nobody reads are cut off when they fill the memory, and others are served', async () => {
  const app = server({ name: 't', version: '1' }).tool('large', {}, () => 'x'.repeat(8_000_000))
  const running = await app.http({ maxUnreadBytes: 16_000_000 }).listen()
  const request = modernRequest('tools/call', { name: 'large', arguments: {} })
  const sockets = Array.from({ length: 6 }, () => postUnread(running.url, modernHeaders(request), request))
  let ended = 0
  try {
    // Who is cut off finds out when it reads: less than the whole came.
    await new Promise((resolve) => setTimeout(resolve, 1500))
    for (const socket of sockets) {
      let bytes = 0
      for await (const chunk of socket) {
        bytes += (chunk as Buffer).length
        if (bytes > 8_000_000) break
      }
      if (bytes > 8_000_000) ended++
    }
    expect(ended).toBeGreaterThan(0)
    expect(ended).toBeLessThan(4)
  } finally {
    for (const socket of sockets) socket.destroy()
    await running.stop()
  }
})

test('a legacy client that does not read finds everything in the log when it comes back', async () => {
  const { app } = talkative()
  const events = memoryEventLog()
  const running = await app.http({ connections: { events } }).listen()
  const opened = await initialize(running.url)
  const params = { name: 'talk', arguments: { rounds: 48 }, _meta: { progressToken: 1 } }
  const socket = postUnread(running.url, opened.headers, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  try {
    await expect.poll(() => events.size, { timeout: 20_000 }).toBe(50)
    socket.resume()
    let head = ''
    for await (const chunk of socket) {
      head += String(chunk)
      if (/id: \S+/.test(head)) break
    }
    const last = /id: (\S+)/.exec(head)?.[1] ?? ''
    const reader = new EventReader(await listenOn(running.url, opened, { 'last-event-id': last }))
    let count = 0
    for (let message = await reader.message(); message !== undefined; message = await reader.message()) count++
    expect(count).toBe(49)
  } finally {
    socket.destroy()
    await running.stop()
  }
})
