import { describe, expect, test } from 'vitest'
import type { EndReason } from '../connection/connection.ts'
import { errorCode, McpError } from '../protocol/errors.ts'
import { serverOf } from '../server/app.ts'
import type { Behaviour } from './behaviour.ts'
import { clientModes, connectClient } from '../server/testing/connect-client.ts'

interface Counter {
  readonly count: number
}

/** The counter of the RFC, answered by hand. */
function counter(ended: EndReason[] = []): Behaviour<Counter> {
  return {
    serverInfo: () => ({ name: 'counter', version: '1.0.0' }),
    capabilities: () => ({ tools: {} }),
    init: ({ client }) => {
      if (client.info?.name === 'unwanted') throw new McpError(errorCode.invalidRequest, 'You may not come in.')
      return { count: 0 }
    },
    handleRequest({ method, params }, state, exchange) {
      if (method === 'tools/list') {
        return ['reply', { tools: [{ name: 'counter', inputSchema: { type: 'object' } }] }]
      }
      if (method !== 'tools/call') return ['error', new McpError(errorCode.methodNotFound, `Not here: ${method}`)]
      if (params?.['name'] === 'later') {
        setTimeout(() => exchange.reply({ content: [{ type: 'text', text: 'late' }] }), 5)
        return ['noreply']
      }
      const next = { count: state.count + 1 }
      return ['reply', { content: [{ type: 'text', text: `Counter value: ${next.count}` }] }, next]
    },
    handleNotification: (_, state) => ['noreply', { count: state.count + 100 }],
    handleInfo: (event, state) => ['noreply', { count: state.count + Number(event) }],
    terminate: (reason) => void ended.push(reason),
  }
}

describe.each(clientModes)('a behaviour towards a $era client', ({ mode }) => {
  test('answers at once, later, or with an error', async () => {
    await using session = await connectClient(serverOf(counter()), mode)

    expect((await session.client.listTools()).tools).toMatchObject([{ name: 'counter' }])
    expect(await session.client.callTool({ name: 'counter' })).toMatchObject({
      content: [{ text: 'Counter value: 1' }],
    })
    expect(await session.client.callTool({ name: 'later' })).toMatchObject({ content: [{ text: 'late' }] })
  })
})

test('state is kept for each connection, and events from anywhere change it', async () => {
  const ended: EndReason[] = []
  const served = serverOf(counter(ended))
  const text = async (session: Awaited<ReturnType<typeof connectClient>>) =>
    ((await session.client.callTool({ name: 'counter' })).content[0] as { text: string }).text
  {
    await using first = await connectClient(served, 'legacy')
    await using second = await connectClient(served, 'legacy')
    expect([await text(first), await text(first), await text(second)]).toEqual([
      'Counter value: 1',
      'Counter value: 2',
      'Counter value: 1',
    ])
    const [connection] = served.connections
    await connection?.send(10)
    expect(await text(first)).toBe('Counter value: 13')
    await first.client.sendRootsListChanged().catch(() => first.client.notification({ method: 'custom/notice' }))
    await expect.poll(() => text(first)).toMatch(/Counter value: 1\d\d/)
    expect(served.connections.size).toBe(2)
  }
  await expect.poll(() => ended).toEqual(['client', 'client'])
  expect(served.connections.size).toBe(0)
})

test('a behaviour may refuse a client', async () => {
  const behaviour = counter()
  const served = serverOf({ ...behaviour, init: () => Promise.reject(new McpError(-32_000, 'You may not come in.')) })

  await expect(connectClient(served, 'legacy')).rejects.toThrow(/You may not come in/)
  expect(served.connections.size).toBe(0)
})
