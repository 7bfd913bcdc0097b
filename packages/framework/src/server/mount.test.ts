import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, expectTypeOf, test, vi } from 'vitest'
import { z } from 'zod'
import { server, serverOf, type App } from './app.ts'
import { clientModes, connectClient } from './testing/connect-client.ts'

const named = z.object({ name: z.string() })

function makeChild() {
  return server({ name: 'child', version: '1.0.0' })
    .tool('greet', { input: named, tags: ['polite'] }, ({ name }) => `Hello, ${name}`)
    .tool('shout', { input: named }, ({ name }) => name.toUpperCase())
    .resource('memo://one', {}, () => 'first')
    .resource('memo://{id}/page', { complete: { id: ['alpha'] } }, ({ id }) => `page of ${id}`)
    .prompt('ask', { args: named }, ({ name }) => `Ask ${name}`)
}

describe.each(clientModes)('towards a $era client', ({ era, mode }) => {
  test('everything of a mounted server is offered under its namespace', async () => {
    const app = server({ name: 'front', version: '1.0.0' })
      .tool('own', {}, () => 'own')
      .mount(makeChild(), { namespace: 'kid' })
    await using session = await connectClient(app, mode)
    const { client } = session
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['own', 'kid_greet', 'kid_shout'])
    const greeted = await client.callTool({ name: 'kid_greet', arguments: { name: 'Ada' } })
    expect(greeted.content).toMatchObject([{ text: 'Hello, Ada' }])
    expect((await client.readResource({ uri: 'memo://one' })).contents).toMatchObject([{ text: 'first' }])
    expect((await client.readResource({ uri: 'memo://x/page' })).contents).toMatchObject([{ text: 'page of x' }])
    const { messages } = await client.getPrompt({ name: 'kid_ask', arguments: { name: 'Ada' } })
    expect(messages).toMatchObject([{ content: { text: 'Ask Ada' } }])
    const ref = { type: 'ref/resource' as const, uri: 'memo://{id}/page' }
    const { completion } = await client.complete({ ref, argument: { name: 'id', value: 'a' } })
    expect(completion.values).toEqual(['alpha'])
    const missing = client.callTool({ name: 'greet', arguments: { name: 'Ada' } })
    await expect(missing).rejects.toThrow(/greet/)
  })

  test('what a filter leaves out cannot be reached, and a map changes what is seen', async () => {
    const app = server({ name: 'front', version: '1.0.0' }).mount(makeChild(), {
      filter: (component) => component.definition.tags?.includes('polite') === true,
      map: (component) => ({ ...component, descriptor: { ...component.descriptor, description: 'Changed.' } }),
    })
    await using session = await connectClient(app, mode)
    const { tools } = await session.client.listTools()
    expect(tools).toMatchObject([{ name: 'greet', description: 'Changed.' }])
    await expect(session.client.callTool({ name: 'shout', arguments: { name: 'x' } })).rejects.toThrow(/shout/)
    await expect(session.client.readResource({ uri: 'memo://one' })).rejects.toThrow(/memo:\/\/one/)
  })

  test('its middleware, state and timeouts go on holding', async () => {
    const seen: string[] = []
    const child = server({ name: 'child', version: '1.0.0', state: { init: () => 1, by: () => 'all' } })
      .use('tools/call', async (request, next) => {
        seen.push(request.params.name)
        return next()
      })
      .tool('count', {}, async (_, { state }) => String(await state.update((n) => n + 1)))
      .tool('slow', { timeoutMs: 20 }, () => sleep(60_000, 'late', { ref: false }))
    const app = server({ name: 'front', version: '1.0.0' }).mount(child, { namespace: 'kid' })
    await using session = await connectClient(app, mode)
    await session.client.callTool({ name: 'kid_count' })
    expect((await session.client.callTool({ name: 'kid_count' })).content).toMatchObject([{ text: '3' }])
    const slow = await session.client.callTool({ name: 'kid_slow' })
    expect(slow.isError).toBe(true)
    expect(seen).toEqual(['count', 'count', 'slow'])
  })

  test('its questions reach the client, and two of the same name are told apart', async () => {
    const child = server({ name: 'child', version: '1.0.0' }).tool('who', {}, async (_, context) => {
      const answer = await context.elicit('who', { message: 'child', schema: named })
      return answer.action === 'accept' ? answer.value.name : answer.action
    })
    const app = server({ name: 'front', version: '1.0.0' })
      .mount(child, { namespace: 'kid' })
      .tool('both', {}, async (_, context) => {
        const own = await context.elicit('who', { message: 'front', schema: named })
        const inner = await context.call('kid_who')
        return `${own.action === 'accept' && own.value.name} ${(inner.content[0] as { text: string }).text}`
      })
    await using session = await connectClient(app, mode, {
      capabilities: { elicitation: {} },
      prepare: (client) =>
        client.setRequestHandler('elicitation/create', ({ params }) => {
          return { action: 'accept', content: { name: `for ${params.message}` } }
        }),
    })
    const both = await session.client.callTool({ name: 'both' })
    expect(both.content).toMatchObject([{ text: 'for front for child' }])
  })

  test('clients hear when something is added to it or taken away', async () => {
    const child = makeChild()
    const app = server({ name: 'front', version: '1.0.0' }).mount(child)
    const changed = vi.fn<(...args: unknown[]) => void>()
    await using session = await connectClient(app, mode, {
      prepare: (client) => client.setNotificationHandler('notifications/tools/list_changed', changed),
    })
    if (era === 'modern') await session.client.listen({ toolsListChanged: true })
    child.remove('tool', 'shout')
    await vi.waitFor(() => expect(changed).toHaveBeenCalledOnce())
    const { tools } = await session.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['greet'])
  })

  test('a server of servers works like one', async () => {
    const middle = server({ name: 'middle', version: '1.0.0' }).mount(makeChild(), { namespace: 'kid' })
    const app = server({ name: 'front', version: '1.0.0' }).mount(middle, { namespace: 'mid' })
    await using session = await connectClient(app, mode)
    const greeted = await session.client.callTool({ name: 'mid_kid_greet', arguments: { name: 'Ada' } })
    expect(greeted.content).toMatchObject([{ text: 'Hello, Ada' }])
  })
})

test('its own tool wins over one of the same name', async () => {
  const app = server({ name: 'front', version: '1.0.0' })
    .mount(makeChild())
    .tool('greet', {}, () => 'own')
  await using session = await connectClient(app, 'legacy')
  expect((await session.client.listTools()).tools.map(({ name }) => name)).toEqual(['greet', 'shout'])
  expect((await session.client.callTool({ name: 'greet' })).content).toMatchObject([{ text: 'own' }])
})

test('the types of mounted tools carry the namespace', () => {
  const app = server({ name: 'front', version: '1.0.0' }).mount(makeChild(), { namespace: 'kid' })
  type ToolsOf<A> = A extends App<infer T, undefined> ? T : never
  expectTypeOf<keyof ToolsOf<typeof app>>().toEqualTypeOf<'kid_greet' | 'kid_shout'>()
})

test('a low-level server cannot be mounted, and the error says what to do', () => {
  const low = serverOf({ serverInfo: () => ({ name: 'low', version: '1.0.0' }), handleRequest: () => ['reply', {}] })
  expect(() => server({ name: 'front', version: '1.0.0' }).mount(low as never)).toThrow('remote()')
})
