import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { content } from '../component/content.ts'
import { ConfigError, ToolError } from '../protocol/errors.ts'
import { on } from '../telemetry/events.ts'
import { server } from './app.ts'
import { clientModes, connectClient } from './testing/connect-client.ts'

const pair = z.object({ a: z.number(), b: z.number().default(1) })

function build() {
  return server({ name: 'calculator', version: '1.0.0', instructions: 'Adds.', pageSize: 3 })
    .tool('add', { description: 'Adds two numbers.', input: pair }, ({ a, b }) => a + b)
    .tool('divide', { input: pair, output: z.object({ quotient: z.number() }) }, ({ a, b }) => {
      if (b === 0) throw new ToolError('There is no dividing by zero.')
      return { quotient: a / b }
    })
    .tool('picture', {}, () => [content.text('see'), content.image(new Uint8Array([1, 2, 3]), 'image/png')])
    .tool('nothing', {}, () => {})
    .tool('broken', {}, () => {
      throw new Error('password=hunter2')
    })
    .tool('wrong', { output: z.object({ n: z.number() }) }, () => ({ n: 'text' }) as never)
    .tool('twice', { input: pair }, async ({ a, b }, context) => {
      const sum = await context.call('add', { a, b })
      return content.text(`twice ${(sum.content[0] as { text: string }).text}`)
    })
    .resource('notes://all', { name: 'All notes', mimeType: 'text/markdown' }, () => '# Notes')
    .resource('notes://{folder}/{id}', { complete: { folder: ['work', 'World', 'home'] } }, ({ folder, id }) => ({
      text: `${folder}: ${id}`,
      mimeType: 'text/plain',
    }))
    .prompt(
      'greet',
      {
        description: 'Greets.',
        args: z.object({ name: z.string().describe('Whom.') }),
        complete: { name: (value, others) => [`${value}!`, others['tone'] ?? 'none'] },
      },
      ({ name }) => `Hello, ${name}!`,
    )
}

describe.each(clientModes)('a $era client', ({ era, mode }) => {
  test('lists tools page by page, with their schemas', async () => {
    await using session = await connectClient(build(), mode)

    const { tools } = await session.client.listTools()

    expect(tools.map((tool) => tool.name)).toEqual(['add', 'divide', 'picture', 'nothing', 'broken', 'wrong', 'twice'])
    expect(tools[0]).toMatchObject({
      description: 'Adds two numbers.',
      inputSchema: { type: 'object', required: ['a'], properties: { b: { default: 1 } } },
    })
    expect(tools[1]?.outputSchema).toMatchObject({ properties: { quotient: { type: 'number' } } })
    expect(session.client.getInstructions()).toBe('Adds.')
  })

  test('calls tools, with the defaults of the schema filled in', async () => {
    await using session = await connectClient(build(), mode)

    expect((await session.client.callTool({ name: 'add', arguments: { a: 41 } })).content).toEqual([content.text('42')])
    const quotient = await session.client.callTool({ name: 'divide', arguments: { a: 1, b: 4 } })
    expect(quotient.structuredContent).toEqual({ quotient: 0.25 })
    expect(quotient.content).toEqual([content.text('{"quotient":0.25}')])
    expect((await session.client.callTool({ name: 'picture' })).content).toHaveLength(2)
    expect((await session.client.callTool({ name: 'nothing' })).content).toEqual([])
    expect((await session.client.callTool({ name: 'twice', arguments: { a: 2, b: 3 } })).content).toEqual([
      content.text('twice 5'),
    ])
  })

  test('is told what is wrong with its arguments, as a result that a model can read', async () => {
    await using session = await connectClient(build(), mode)

    const answer = await session.client.callTool({ name: 'add', arguments: { a: 'one', b: null } })

    expect(answer.isError).toBe(true)
    expect(JSON.stringify(answer.content)).toMatch(/The arguments of 'add' are not valid\. a: .+; b: .+/)
  })

  test("gets a tool's own errors as they are, and others only as a reference", async () => {
    const reported: unknown[] = []
    const stop = on('mcp.error', (event) => reported.push(event))
    await using session = await connectClient(build(), mode)

    const own = await session.client.callTool({ name: 'divide', arguments: { a: 1, b: 0 } })
    expect(own).toMatchObject({ isError: true, content: [content.text('There is no dividing by zero.')] })
    const hidden = await session.client.callTool({ name: 'broken' })
    const text = JSON.stringify(hidden.content)
    expect(hidden.isError).toBe(true)
    expect(text).not.toContain('hunter2')
    const reference = /reference ([0-9a-f]{8})/.exec(text)?.[1]
    expect(reported).toContainEqual(expect.objectContaining({ reference, error: new Error('password=hunter2') }))
    const wrong = await session.client.callTool({ name: 'wrong' }).catch((error: Error) => error)
    expect(JSON.stringify(wrong)).toMatch(/reference [0-9a-f]{8}/)
    stop()
  })

  test('gets protocol errors for what is not there', async () => {
    await using session = await connectClient(build(), mode)

    await expect(session.client.callTool({ name: 'missing' })).rejects.toThrow(/Unknown tool 'missing'/)
    await expect(session.client.readResource({ uri: 'other://x' })).rejects.toThrow(/no resource 'other:\/\/x'/)
    await expect(session.client.readResource({ uri: 'no uri' })).rejects.toThrow(/no resource/)
    await expect(session.client.getPrompt({ name: 'missing' })).rejects.toThrow(/Unknown prompt 'missing'/)
    await expect(session.client.listTools({ cursor: 'bogus' })).rejects.toThrow(/cursor/)
  })

  test('reads resources and templates, with decoded variables', async () => {
    await using session = await connectClient(build(), mode)

    expect((await session.client.listResources()).resources).toEqual([
      { uri: 'notes://all', name: 'All notes', mimeType: 'text/markdown' },
    ])
    expect((await session.client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'notes://{folder}/{id}' },
    ])
    expect((await session.client.readResource({ uri: 'notes://all' })).contents).toEqual([
      { uri: 'notes://all', mimeType: 'text/markdown', text: '# Notes' },
    ])
    expect((await session.client.readResource({ uri: 'notes://work/a%20b' })).contents).toEqual([
      { uri: 'notes://work/a%20b', mimeType: 'text/plain', text: 'work: a b' },
    ])
  })

  test('gets prompts and completions', async () => {
    await using session = await connectClient(build(), mode)

    expect((await session.client.listPrompts()).prompts).toEqual([
      { name: 'greet', description: 'Greets.', arguments: [{ name: 'name', description: 'Whom.', required: true }] },
    ])
    expect(await session.client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
      messages: [{ role: 'user', content: content.text('Hello, Ada!') }],
    })
    await expect(session.client.getPrompt({ name: 'greet' })).rejects.toThrow(/name/)
    const ofTemplate = { ref: { type: 'ref/resource' as const, uri: 'notes://{folder}/{id}' } }
    const folders = await session.client.complete({ ...ofTemplate, argument: { name: 'folder', value: 'wo' } })
    expect(folders.completion).toEqual({ values: ['work', 'World'], total: 2, hasMore: false })
    const names = await session.client.complete({
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'name', value: 'A' },
      context: { arguments: { tone: 'warm' } },
    })
    expect(names.completion.values).toEqual(['A!', 'warm'])
  })

  test('hears progress and can cancel', async () => {
    let reason: unknown
    const app = server({ name: 'slow', version: '1.0.0' }).tool('wait', {}, async (_, { progress, signal }) => {
      progress(1, 2, 'half')
      await sleep(60_000, undefined, { signal }).catch((error: Error) => (reason = error.name))
    })
    await using session = await connectClient(app, mode)
    const abort = new AbortController()
    const heard: unknown[] = []

    const call = session.client.callTool(
      { name: 'wait' },
      { signal: abort.signal, onprogress: (event) => (heard.push(event), abort.abort()) },
    )

    await expect(call).rejects.toThrow(/abort/i)
    await expect.poll(() => reason).toBe('AbortError')
    expect(heard).toEqual([{ progress: 1, total: 2, message: 'half' }])
  })

  test('is not kept waiting by a tool that takes too long', async () => {
    let isAborted = false
    const app = server({ name: 'slow', version: '1.0.0' }).tool('hang', { timeoutMs: 20 }, async (_, { signal }) => {
      signal.addEventListener('abort', () => (isAborted = true))
      await new Promise(() => {})
    })
    await using session = await connectClient(app, mode)

    const answer = await session.client.callTool({ name: 'hang' })

    expect(answer).toMatchObject({
      isError: true,
      content: [content.text("'hang': It took longer than 20 ms and was stopped.")],
    })
    expect(isAborted).toBe(true)
  })

  test('hears of tools that come and go', async () => {
    const app = build()
    let changes = 0
    await using session = await connectClient(app, mode, {
      prepare: (client) => client.setNotificationHandler('notifications/tools/list_changed', () => void changes++),
    })
    if (era === 'modern') await session.client.listen({ toolsListChanged: true })

    app.tool('late', {}, () => 'here')
    await expect.poll(() => changes).toBe(1)
    expect((await session.client.callTool({ name: 'late' })).content).toEqual([content.text('here')])
    expect(app.remove('tool', 'late')).toBe(true)
    await expect.poll(() => changes).toBe(2)
    await expect(session.client.callTool({ name: 'late' })).rejects.toThrow(/Unknown tool/)
  })
})

test('mistakes of the author are found before anything is served', () => {
  const app = build()
  expect(() => app.tool('add', {}, () => '')).toThrow(ConfigError)
  expect(() => app.tool('no spaces', {}, () => '')).toThrow(/cannot name a tool/)
  expect(() => app.tool('text', { input: z.string() as never }, () => '')).toThrow(/must be an object schema/)
  expect(() => app.resource('plain', {}, () => '')).toThrow(/is no URI/)
  expect(() => app.resource('a://{x}', { complete: { y: [] } }, () => '')).toThrow(/no variable 'y'/)
})
