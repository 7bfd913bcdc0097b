import { setTimeout as sleep } from 'node:timers/promises'
import { InMemoryTransport } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Denied } from '../protocol/errors.ts'
import { server } from './app.ts'
import { hostOf } from './served.ts'
import { clientModes, connectClient } from './testing/connect-client.ts'

const text = (answer: { content: unknown }) => (answer.content as { text: string }[])[0]?.text

describe('middleware', () => {
  test('runs around its method only, in the order in which it was added, and may change both ways', async () => {
    const order: string[] = []
    const app = server({ name: 'layers', version: '1.0.0' })
      .tool('echo', { input: z.object({ text: z.string() }) }, ({ text: said }) => said)
      .use(async (request, next) => {
        order.push(`all ${request.method}`)
        return next()
      })
      .use('tools/call', async (request, next, context) => {
        order.push('call')
        context.locals['seen'] = true
        const changed = { ...request, params: { ...request.params, arguments: { text: 'changed' } } }
        const result = await next(changed)
        return { ...result, _meta: { touched: true } }
      })
      .use('tools/list', async (_, next) => {
        order.push('never for a call')
        return next()
      })
    await using session = await connectClient(app, 'legacy')

    const answer = await session.client.callTool({ name: 'echo', arguments: { text: 'said' } })

    expect(text(answer)).toBe('changed')
    expect(answer._meta).toMatchObject({ touched: true })
    expect(order).toEqual(['all tools/call', 'call'])
  })

  test('may answer by itself, or refuse', async () => {
    const app = server({ name: 'layers', version: '1.0.0' })
      .tool('echo', {}, () => 'never')
      .use('tools/call', ({ params }) => {
        if (params.arguments?.['secret'] === true) throw new Denied(['admin'])
        return { content: [{ type: 'text', text: 'cached' }] }
      })
    await using session = await connectClient(app, { pin: '2026-07-28' })

    expect(text(await session.client.callTool({ name: 'echo' }))).toBe('cached')
    await expect(session.client.callTool({ name: 'echo', arguments: { secret: true } })).rejects.toThrow(/scope admin/)
  })
})

describe('requests of one connection', () => {
  const watched = (concurrency: 'parallel' | 'serial' | number) => {
    let inside = 0
    let most = 0
    const app = server({ name: 'turns', version: '1.0.0', concurrency }).tool('work', {}, async () => {
      most = Math.max(most, ++inside)
      await sleep(5)
      inside--
    })
    return { app, most: () => most }
  }

  test.each([
    ['parallel', 6],
    ['serial', 1],
    [2, 2],
  ] as const)('run %s', async (concurrency, expected) => {
    const { app, most } = watched(concurrency)
    await using session = await connectClient(app, 'legacy')

    await Promise.all(Array.from({ length: 6 }, () => session.client.callTool({ name: 'work' })))

    expect(most()).toBe(expected)
  })

  test('of an exclusive tool run one after another, the others beside them', async () => {
    const running = new Set<string>()
    const together: string[][] = []
    const work = async (name: string) => {
      running.add(name)
      together.push([...running])
      await sleep(5)
      running.delete(name)
    }
    const app = server({ name: 'turns', version: '1.0.0' })
      .tool('alone', { exclusive: true, input: z.object({ n: z.number() }) }, ({ n }) => work(`alone ${n}`))
      .tool('any', {}, () => work('any'))
    await using session = await connectClient(app, 'legacy')

    await Promise.all([
      ...[1, 2, 3].map((n) => session.client.callTool({ name: 'alone', arguments: { n } })),
      session.client.callTool({ name: 'any' }),
    ])

    expect(together.some((names) => names.filter((name) => name.startsWith('alone')).length > 1)).toBe(false)
    expect(together.some((names) => names.length > 1)).toBe(true)
  })
})

describe.each(clientModes)('towards a $era client', ({ mode }) => {
  test('what is not visible is neither listed nor found', async () => {
    let isOpen = false
    const visible = () => isOpen
    const app = server({ name: 'rooms', version: '1.0.0' })
      .tool('door', {}, () => 'open')
      .tool('vault', { visible }, () => 'gold')
      .resource('vault://{item}', { visible }, ({ item }) => item)
      .prompt('rob', { visible: async () => isOpen }, () => 'How?')
    await using session = await connectClient(app, mode)
    const { client } = session

    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['door'])
    expect((await client.listPrompts()).prompts).toEqual([])
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([])
    await expect(client.callTool({ name: 'vault' })).rejects.toThrow(/Unknown tool 'vault'/)
    await expect(client.readResource({ uri: 'vault://gold' })).rejects.toThrow(/no resource/)
    await expect(client.getPrompt({ name: 'rob' })).rejects.toThrow(/Unknown prompt/)

    isOpen = true
    app.notify.toolsChanged()
    expect(text(await client.callTool({ name: 'vault' }))).toBe('gold')
    expect((await client.readResource({ uri: 'vault://gold' })).contents).toMatchObject([{ text: 'gold' }])
  })

  test('what needs scopes is listed and refused', async () => {
    const app = server({ name: 'rooms', version: '1.0.0' }).tool('vault', { scopes: ['gold'] }, () => 'gold')
    await using session = await connectClient(app, mode)

    expect((await session.client.listTools()).tools).toHaveLength(1)
    await expect(session.client.callTool({ name: 'vault' })).rejects.toThrow(/needs the scope gold/)
  })

  test('a resource can be watched', async () => {
    const updated: string[] = []
    const app = server({ name: 'news', version: '1.0.0' }).resource('news://today', {}, () => 'new')
    await using session = await connectClient(app, mode, {
      prepare: (client) =>
        client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updated.push(params.uri)),
    })
    if (mode === 'legacy') await session.client.subscribeResource({ uri: 'news://today' })
    else await session.client.listen({ resourceSubscriptions: ['news://today'] })

    app.notify.resourceUpdated('news://other')
    app.notify.resourceUpdated('news://today')

    await expect.poll(() => updated).toEqual(['news://today'])
  })
})

test('lists and resources tell modern clients how long to keep them', async () => {
  const app = server({ name: 'kept', version: '1.0.0', cache: { ttlMs: 5000, cacheScope: 'public' } })
    .tool('any', {}, () => '')
    .resource('a://b', { cache: { ttlMs: 7, cacheScope: 'private' } }, () => 'text')
  await using session = await connectClient(app, { pin: '2026-07-28' })

  expect(await session.client.listTools()).toMatchObject({ ttlMs: 5000, cacheScope: 'public' })
  expect(await session.client.readResource({ uri: 'a://b' })).toMatchObject({ ttlMs: 7, cacheScope: 'private' })
})

test('what a server needs only while it serves ends when the last transport does', async () => {
  let stops = 0
  const app = server({ name: 'idle', version: '1.0.0' })
  hostOf(app).onIdle(() => void stops++)
  const first = await connectClient(app, 'legacy')
  const [, far] = InMemoryTransport.createLinkedPair()
  await app.connect(far)

  await first.client.close()
  await sleep(5)
  expect(stops).toBe(0)
  await far.close()
  await expect.poll(() => stops).toBe(1)
})
