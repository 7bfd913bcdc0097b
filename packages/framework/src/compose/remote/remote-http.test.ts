import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { server, type App } from '../../server/app.ts'
import { connectClient } from '../../server/testing/connect-client.ts'
import type { HttpOptions } from '../../transport/http/http-app.ts'
import { remote, type RemoteOptions } from './remote.ts'

const versionsOf = { legacy: ['2025-11-25'], modern: ['2026-07-28'] } as const
const named = z.object({ name: z.string() })

function makeFar(era: keyof typeof versionsOf) {
  return server({ name: 'far', version: '1.0.0', versions: versionsOf[era] })
    .tool('echo', { input: named }, ({ name }, context) => `${name} ${context.http?.header('x-key') ?? 'without key'}`)
    .tool('ask', {}, async (_, context) => {
      const answer = await context.elicit('who', { message: 'Who?', schema: named })
      return answer.action === 'accept' ? answer.value.name : answer.action
    })
}

async function mounted(url: URL, options: RemoteOptions = {}) {
  const provider = remote(url, { firstRetryMs: 20, ...options })
  const app = server({ name: 'front', version: '1.0.0' }).mount(provider, { namespace: 'far' }) as unknown as App
  return { app, provider, [Symbol.asyncDispose]: async () => provider.stop?.() }
}

async function listening(app: ReturnType<typeof makeFar>, port = 0, options: HttpOptions = {}) {
  const running = await app.http(options).listen(port)
  return { url: new URL(running.url), stop: () => running.stop(), [Symbol.asyncDispose]: () => running.stop() }
}

describe.each(['legacy', 'modern'] as const)('a %s server over HTTP', (era) => {
  test('is called with the headers that it needs, and asks', async () => {
    await using far = await listening(makeFar(era))
    await using front = await mounted(far.url, { headers: async () => ({ 'x-key': 'secret' }) })
    await using session = await connectClient(front.app, 'legacy', {
      capabilities: { elicitation: {} },
      prepare: (client) =>
        client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } })),
    })
    const { tools } = await session.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['far_echo', 'far_ask'])
    const echoed = await session.client.callTool({ name: 'far_echo', arguments: { name: 'hi' } })
    expect(echoed.content).toMatchObject([{ text: 'hi secret' }])
    expect((await session.client.callTool({ name: 'far_ask' })).content).toMatchObject([{ text: 'Ada' }])
  })

  test('vanishes while it is down and comes back by itself', async () => {
    const first = await listening(makeFar(era))
    await using front = await mounted(first.url)
    await using session = await connectClient(front.app, 'legacy')
    const list = async () => (await session.client.listTools()).tools.length
    expect(await list()).toBe(2)
    await first.stop()
    await vi.waitFor(async () => {
      const failed = await session.client.callTool({ name: 'far_echo', arguments: { name: 'hi' } })
      expect(failed.isError).toBe(true)
      expect(failed.content).toMatchObject([
        { text: expect.stringContaining(`${first.url.host}/mcp' is not available`) },
      ])
    })
    await vi.waitFor(async () => expect(await list()).toBe(0))
    await using second = await listening(makeFar(era), Number(first.url.port))
    expect(second.url.href).toBe(first.url.href)
    await vi.waitFor(async () => expect(await list()).toBe(2), { timeout: 10_000 })
    const echoed = await session.client.callTool({ name: 'far_echo', arguments: { name: 'hi' } })
    expect(echoed.content).toMatchObject([{ text: 'hi without key' }])
  })
})

test('a session that the server forgot is opened anew within the call', async () => {
  const app = makeFar('legacy')
  await using far = await listening(app)
  await using front = await mounted(far.url)
  await using session = await connectClient(front.app, 'legacy')
  await session.client.callTool({ name: 'far_echo', arguments: { name: 'hi' } })
  for (const connection of app.connections) await connection.close('idle')
  const echoed = await session.client.callTool({ name: 'far_echo', arguments: { name: 'again' } })
  expect(echoed.content).toMatchObject([{ text: 'again without key' }])
})
