import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import type { JSONRPCRequest } from '@modelcontextprotocol/server'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { server, serverOf, type App } from '../../server/app.ts'
import { clientModes, connectClient, type ClientMode } from '../../server/testing/connect-client.ts'
import { ModernCaller } from '../../task/testing/modern-caller.ts'
import { remote, type RemoteOptions } from './remote.ts'

const named = z.object({ name: z.string() })
const all = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const pairs = clientModes.flatMap((far) =>
  clientModes.map((near) => ({ far: far.era, near: near.era, farMode: far.mode, nearMode: near.mode })),
)

/** A server in front of another one, with the SDK's client between them. */
async function inFrontOf(child: Parameters<typeof connectClient>[0], mode: ClientMode, options: RemoteOptions = {}) {
  const between = await connectClient(child, mode, { capabilities: all })
  const provider = remote(between.client, options)
  const app = server({ name: 'front', version: '1.0.0' }).mount(provider) as App
  return {
    app,
    provider,
    between: between.client,
    [Symbol.asyncDispose]: async () => {
      await provider.stop?.()
      await between.client.close()
    },
  }
}

function answering(asked: unknown[] = []) {
  return (client: Client) => {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message)
      return params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: 'Ada' } }
    })
    client.setRequestHandler('sampling/createMessage', () => {
      return { role: 'assistant', model: 'test', content: { type: 'text', text: 'a poem' } }
    })
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///tmp', name: 'tmp' }] }))
  }
}

describe.each(pairs)('a $far server behind one for $near clients', ({ far, near, farMode, nearMode }) => {
  test('offers its tools, resources, templates, prompts and completions', async () => {
    const child = server({ name: 'child', version: '1.0.0' })
      .tool('add', { input: z.object({ a: z.number() }), output: z.object({ sum: z.number() }) }, ({ a }) => ({
        sum: a + 1,
      }))
      .resource('memo://one', { mimeType: 'text/plain' }, () => 'first')
      .resource('memo://{id}/page', { complete: { id: ['alpha', 'beta'] } }, ({ id }) => `page of ${id}`)
      .prompt('greet', { args: named, complete: { name: ['Ada'] } }, ({ name }) => `Hello, ${name}`)
    await using front = await inFrontOf(child, farMode)
    await using session = await connectClient(front.app, nearMode)
    const { client } = session

    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['add'])
    const added = await client.callTool({ name: 'add', arguments: { a: 2 } })
    expect(added).toMatchObject({ structuredContent: { sum: 3 }, content: [{ text: '{"sum":3}' }] })
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'memo://one', mimeType: 'text/plain' }])
    expect((await client.readResource({ uri: 'memo://one' })).contents).toMatchObject([{ text: 'first' }])
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'memo://{id}/page' },
    ])
    expect((await client.readResource({ uri: 'memo://x/page' })).contents).toMatchObject([{ text: 'page of x' }])
    const { messages } = await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } })
    expect(messages).toMatchObject([{ content: { text: 'Hello, Ada' } }])
    const ref = { type: 'ref/resource' as const, uri: 'memo://{id}/page' }
    const completed = await client.complete({ ref, argument: { name: 'id', value: 'al' } })
    expect(completed.completion.values).toEqual(['alpha'])
    await expect(client.readResource({ uri: 'memo://nowhere' })).rejects.toThrow(/memo:\/\/nowhere/)
  })

  test('has its questions answered by the caller', async () => {
    let runs = 0
    const child = server({ name: 'child', version: '1.0.0' }).tool('sign', {}, async (_, context) => {
      runs++
      const person = await context.elicit('who', { message: 'Who?', schema: named })
      if (person.action !== 'accept') return 'declined'
      const visited = await context.elicitUrl('visit', { message: 'Visit.', url: 'https://example.com/x' })
      const params = {
        maxTokens: 5,
        messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hi' } }],
      }
      const { content } = await context.sample('poem', params)
      const roots = await context.roots()
      return `${person.value.name} ${visited.action} ${(content as { text: string }).text} ${roots[0]?.uri}`
    })
    await using front = await inFrontOf(child, farMode)
    const asked: unknown[] = []
    await using session = await connectClient(front.app, nearMode, { capabilities: all, prepare: answering(asked) })

    const answer = await session.client.callTool({ name: 'sign' })

    expect(answer.content).toEqual([{ type: 'text', text: 'Ada accept a poem file:///tmp' }])
    expect(asked).toEqual(['Who?', 'Visit.'])
    // Modern servers run again for each answer anyway; a legacy one does so only for callers who cannot be asked midway.
    expect(runs).toBe(far === 'legacy' && near === 'legacy' ? 1 : 5)
  })

  test('has progress and log messages passed on', async () => {
    const child = server({ name: 'child', version: '1.0.0' }).tool('count', {}, async (_, context) => {
      context.progress(1, 2, 'half')
      context.log.warning('careful')
      context.progress(2, 2)
      await sleep(20)
      return 'counted'
    })
    await using front = await inFrontOf(child, farMode)
    const logged: unknown[] = []
    await using session = await connectClient(front.app, nearMode, {
      prepare: (client) =>
        client.setNotificationHandler('notifications/message', ({ params }) => void logged.push(params.data)),
    })
    const progress: unknown[] = []
    const meta = nearMode === 'legacy' ? {} : { _meta: { 'io.modelcontextprotocol/logLevel': 'info' as const } }
    await session.client.callTool({ name: 'count', ...meta }, { onprogress: (params) => progress.push(params) })
    expect(progress).toMatchObject([{ progress: 1, total: 2, message: 'half' }, { progress: 2 }])
    await vi.waitFor(() => expect(logged).toEqual(['careful']))
  })

  test('is told when the caller cancels', async () => {
    const stopped = vi.fn<(...args: unknown[]) => void>()
    let started = () => {}
    const running = new Promise<void>((resolve) => (started = resolve))
    const child = server({ name: 'child', version: '1.0.0' }).tool('endless', {}, (_, { signal }) => {
      signal.addEventListener('abort', stopped)
      started()
      return new Promise<never>(() => {})
    })
    await using front = await inFrontOf(child, farMode)
    await using session = await connectClient(front.app, nearMode)
    const cancel = new AbortController()
    const call = session.client.callTool({ name: 'endless' }, { signal: cancel.signal })
    await running
    cancel.abort('enough')
    await expect(call).rejects.toThrow('enough')
    await vi.waitFor(() => expect(stopped).toHaveBeenCalledOnce())
  })

  test('says when its lists change', async () => {
    const child = server({ name: 'child', version: '1.0.0' }).tool('first', {}, () => 'one')
    await using front = await inFrontOf(child, farMode)
    const changed = vi.fn<(...args: unknown[]) => void>()
    front.provider.onChange?.(changed)
    await using session = await connectClient(front.app, nearMode)
    expect((await session.client.listTools()).tools).toHaveLength(1)
    await sleep(20)
    child.tool('second', {}, () => 'two')
    await vi.waitFor(() => expect(changed).toHaveBeenCalledWith('tool'))
    const { tools } = await session.client.listTools(undefined, { cacheMode: 'refresh' })
    expect(tools.map(({ name }) => name)).toEqual(['first', 'second'])
  })
})

/** A server whose words no SDK knows. */
function strange() {
  const tool = { name: 'odd', inputSchema: { type: 'object' }, future: { x: 1 } }
  return serverOf({
    serverInfo: () => ({ name: 'strange', version: '1.0.0' }),
    capabilities: () => ({ tools: {} }),
    handleRequest: ({ method, params }: JSONRPCRequest) => {
      if (method === 'tools/list') return ['reply', { tools: [tool], ttlMs: 0, cacheScope: 'private' }] as const
      const isTask = (params?.['arguments'] as { task?: boolean } | undefined)?.task === true
      return isTask
        ? (['reply', { resultType: 'task', taskId: 't1', status: 'working' }] as const)
        : (['reply', { content: [{ type: 'hologram', depth: 3 }], future: true }] as const)
    },
  })
}

test('descriptors and results pass as they are, known or not', async () => {
  await using front = await inFrontOf(strange(), { pin: '2026-07-28' })
  await using caller = new ModernCaller(front.app)
  const { tools } = await caller.request('tools/list')
  expect(tools).toEqual([{ name: 'odd', inputSchema: { type: 'object' }, future: { x: 1 } }])
  const odd = await caller.call('odd')
  expect(odd).toMatchObject({ content: [{ type: 'hologram', depth: 3 }], future: true })
  expect(await caller.call('odd', { task: true })).toMatchObject({
    resultType: 'task',
    taskId: 't1',
    status: 'working',
  })
})

test('an error of the remote server keeps its code and data', async () => {
  const child = serverOf(
    {
      serverInfo: () => ({ name: 'refusing', version: '1.0.0' }),
      capabilities: () => ({ tools: {} }),
      handleRequest: ({ method }: JSONRPCRequest) => {
        if (method !== 'tools/list') throw Object.assign(new Error('no'), { code: 1 })
        return [
          'reply',
          { tools: [{ name: 'no', inputSchema: { type: 'object' } }], ttlMs: 0, cacheScope: 'private' },
        ] as const
      },
    },
    { errors: 'expose' },
  )
  await using front = await inFrontOf(child, { pin: '2026-07-28' })
  await using caller = new ModernCaller(front.app)
  expect(await caller.call('no')).toMatchObject({ error: { code: -32_603, message: 'no' } })
})

describe('a legacy server', () => {
  test('is asked by one caller at a time, so that nobody answers the question of another', async () => {
    let inside = 0
    let most = 0
    const child = server({ name: 'child', version: '1.0.0' }).tool(
      'who',
      { input: named },
      async ({ name }, context) => {
        most = Math.max(most, ++inside)
        const answer = await context.elicit('who', { message: name, schema: named })
        inside--
        return `${name}=${answer.action === 'accept' ? answer.value.name : answer.action}`
      },
    )
    await using front = await inFrontOf(child, 'legacy')
    const prepare = (client: Client) =>
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        await sleep(5)
        return { action: 'accept', content: { name: params.message } }
      })
    const capabilities = { elicitation: {} }
    await using first = await connectClient(front.app, 'legacy', { capabilities, prepare })
    await using second = await connectClient(front.app, 'legacy', { capabilities, prepare })
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name, index) =>
        (index % 2 === 0 ? first : second).client.callTool({ name: 'who', arguments: { name } }),
      ),
    )
    expect(answers.map(({ content }) => (content[0] as { text: string }).text)).toEqual(['a=a', 'b=b', 'c=c', 'd=d'])
    expect(most).toBe(1)
  })

  test.each([
    { title: 'callers who cannot be asked', options: {}, capabilities: {} },
    { title: 'tools that never ask', options: { asks: false }, capabilities: all },
  ])('runs calls beside each other for $title', async ({ options, capabilities }) => {
    let inside = 0
    let open = () => {}
    const both = new Promise<void>((resolve) => (open = resolve))
    const child = server({ name: 'child', version: '1.0.0' }).tool('meet', {}, async () => {
      if (++inside === 2) open()
      await both
      return 'met'
    })
    await using front = await inFrontOf(child, 'legacy', options)
    await using session = await connectClient(front.app, 'legacy', { capabilities })
    const answers = await Promise.all([
      session.client.callTool({ name: 'meet' }),
      session.client.callTool({ name: 'meet' }),
    ])
    expect(answers).toHaveLength(2)
  })
})

test('when the connection ends, its components vanish, calls say why, and the others go on', async () => {
  const child = server({ name: 'child', version: '1.0.0' }).tool('far', {}, () => 'far')
  await using front = await inFrontOf(child, 'legacy', { name: 'the far one' })
  front.app.tool('near', {}, () => 'near')
  await using session = await connectClient(front.app, 'legacy')
  expect((await session.client.listTools()).tools.map(({ name }) => name)).toEqual(['near', 'far'])
  await front.between.close()
  expect((await session.client.listTools()).tools.map(({ name }) => name)).toEqual(['near'])
  const failed = await session.client.callTool({ name: 'far' })
  expect(failed.isError).toBe(true)
  expect(failed.content).toMatchObject([{ text: expect.stringContaining("'the far one' is not available") }])
  expect((await session.client.callTool({ name: 'near' })).content).toMatchObject([{ text: 'near' }])
})
