import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { startNode } from '../fixtures/framework/start-node.ts'

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'soak', version: '1' } },
})
const call = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'bump' } })

/** Opens connections and leaves them without a word: every third called something, every tenth keeps a stream open. */
async function openAndVanish(url: string, count: number): Promise<void> {
  let left = count
  const worker = async () => {
    while (left-- > 0) await visit(url, left)
  }
  await Promise.all(Array.from({ length: 20 }, worker))
}

async function visit(url: string, turn: number): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  try {
    const opened = await send(url, agent, initialize)
    const id = String(opened.headers['mcp-session-id'])
    expect(opened.statusCode).toBe(200)
    if (turn % 3 === 0) await send(url, agent, call, id)
    if (turn % 10 === 0) await send(url, agent, undefined, id)
  } finally {
    agent.destroy()
  }
}

async function send(url: string, agent: Agent, body?: string, id?: string): Promise<IncomingMessage> {
  const sent = request(url, {
    method: body === undefined ? 'GET' : 'POST',
    agent,
    headers: {
      accept: body === undefined ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(id !== undefined && { 'mcp-session-id': id }),
    },
  })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.on('error', () => {}).resume()
  // A stream stays open on purpose: its client vanishes.
  if (body !== undefined) await once(response, 'end')
  return response
}

test('10,000 connections that open and vanish leave nothing behind', async () => {
  await using node = await startNode({ IDLE_MS: '1500', MAX: '20000' })
  // The first ones warm up: compiled code and caches are no leak.
  await openAndVanish(node.url, 500)
  await expect.poll(async () => (await node.footprint()).connections, { timeout: 30_000 }).toBe(0)
  const before = await node.footprint()

  await openAndVanish(node.url, 10_000)

  await expect.poll(async () => (await node.footprint()).connections, { timeout: 60_000 }).toBe(0)
  await expect
    .poll(async () => (await node.footprint()).openFiles, { timeout: 30_000 })
    .toBeLessThanOrEqual(before.openFiles + 2)
  const after = await node.footprint()
  const grown = (after.heap - before.heap) / 1_000_000
  expect(grown, `the heap grew by ${grown.toFixed(1)} MB`).toBeLessThan(8)
})
