import { describe, expect, expectTypeOf, test as it } from 'vitest'
import { z } from 'zod'
import { server, serverOf } from '../server/app.ts'
import { content } from '../component/content.ts'
import { versions } from '../protocol/version.ts'
import { test } from './index.ts'

function makeNotes() {
  return server({ name: 'notes', version: '1.0.0', state: { init: () => ({ count: 0 }), by: 'principal' } })
    .tool(
      'add',
      { input: z.object({ a: z.number(), b: z.number().default(1) }), output: z.object({ sum: z.number() }) },
      ({ a, b }) => ({ sum: a + b }),
    )
    .tool('numbers', { output: z.array(z.number()) }, () => [1, 2, 3])
    .tool('count', {}, async (_, { state }) => `${(await state.update(({ count }) => ({ count: count + 1 }))).count}`)
    .tool('whoami', {}, (_, { principal }) => principal?.id ?? 'nobody')
    .tool('picture', {}, () => [content.text('one'), content.image('AAAA', 'image/png'), content.text('two')])
    .tool('work', {}, (_, context) => {
      context.progress(1, 2, 'half')
      context.log.info('working', { step: 1 })
      context.progress(2, 2)
    })
    .tool('sign', {}, async (_, context) => {
      const ticket = await context.once('ticket', () => 7)
      const person = await context.elicit('who', { message: 'Who are you?', schema: z.object({ name: z.string() }) })
      return person.action === 'accept' ? `${ticket} ${person.value.name}` : `${ticket} ${person.action}`
    })
    .resource('note://{id}', { complete: { id: ['one', 'two'] } }, ({ id }) => `Note ${id}`)
    .resource('note://all', {}, () => 'All notes')
    .prompt('review', { args: z.object({ topic: z.string() }) }, ({ topic }) => `Review ${topic}.`)
}

describe.each(versions)('with a client of %s', (version) => {
  it('tools answer with typed values, texts and errors', async () => {
    await using t = await test(makeNotes(), { version })

    const added = await t.call('add', { a: 2, b: 3 })
    const numbers = await t.call('numbers')
    const picture = await t.call('picture')
    const wrong = await t.callAny('add', { a: 'two' })

    expect(added.value.sum).toBe(5)
    expect(numbers.value).toEqual([1, 2, 3])
    expect(picture.text).toBe('one\ntwo')
    expect(picture.content).toHaveLength(3)
    expect(wrong.isError).toBe(true)
    expect(wrong.text).toContain("The arguments of 'add' are not valid. a:")
    expect(t.client.getNegotiatedProtocolVersion()).toBe(version)
  })

  it('resources, prompts, completions and lists are within reach', async () => {
    await using t = await test(makeNotes(), { version })

    expect((await t.read('note://seven')).text).toBe('Note seven')
    expect((await t.prompt('review', { topic: 'trees' })).text).toBe('Review trees.')
    expect(await t.complete({ template: 'note://{id}' }, 'id', 't')).toEqual(['two'])
    expect(await t.list('tool')).toContain('add')
    expect(await t.list('resource')).toEqual(['note://all'])
    expect(await t.list('template')).toEqual(['note://{id}'])
    expect(await t.list('prompt')).toEqual(['review'])
  })

  it('what the server says while it works is kept', async () => {
    await using t = await test(makeNotes(), { version })

    await t.call('work')

    expect(t.progress).toEqual([
      { done: 1, total: 2, message: 'half' },
      { done: 2, total: 2 },
    ])
    expect(t.log).toEqual([{ level: 'info', data: { message: 'working', data: { step: 1 } } }])
  })

  it('questions are answered by key, by message or by a function, and kept', async () => {
    await using byKey = await test(makeNotes(), { version, onElicit: { who: { name: 'Ada' } } })
    await using byMessage = await test(makeNotes(), { version, onElicit: { 'Who are you?': () => 'decline' } })
    await using byFunction = await test(makeNotes(), { version, onElicit: ({ key }) => ({ name: `the ${key}` }) })

    expect((await byKey.call('sign')).text).toBe('7 Ada')
    expect((await byMessage.call('sign')).text).toBe('7 decline')
    expect((await byFunction.call('sign')).text).toBe('7 the who')
    expect(byKey.questions).toEqual([{ kind: 'form', key: 'who', message: 'Who are you?', answer: { name: 'Ada' } }])
  })

  it('a question that nobody answers fails the call, with what to write', async () => {
    await using t = await test(makeNotes(), { version, onElicit: { other: 'accept' } })

    await expect(t.call('sign')).rejects.toThrow(
      `The server asked "Who are you?" (key 'who') and nobody answers. Give test() onElicit: { "who": … }`,
    )
  })

  it('a client that can do nothing is a client too', async () => {
    await using t = await test(makeNotes(), { version, capabilities: {} })

    const answer = t.call('sign').then(
      ({ text }) => text,
      ({ message }: Error) => message,
    )

    expect(await answer).toContain("needs a client with the capability 'elicitation.form'")
  })

  it('the principal is the one of the options, and so is the state', async () => {
    const app = makeNotes()
    await using ada = await test(app, { version, principal: { id: 'ada', scopes: [] } })
    await using bob = await test(app, { version, principal: { id: 'bob', scopes: [] } })
    await ada.call('count')
    await ada.call('count')

    expect((await ada.call('whoami')).text).toBe('ada')
    expect(await ada.state()).toEqual({ count: 2 })
    expect(await bob.state()).toEqual({ count: 0 })
  })

  it('changes and updates are heard', async () => {
    const app = makeNotes()
    await using t = await test(app, { version })
    await t.watch('note://all')

    app.tool('late', {}, () => 'here')
    app.notify.resourceUpdated('note://all')

    await t.heard('notifications/tools/list_changed')
    expect((await t.heard('notifications/resources/updated')).params['uri']).toBe('note://all')
    expect(await t.list('tool')).toContain('late')
  })

  it('a call is cancelled by its signal', async () => {
    let seen: (() => void) | undefined
    const cancelled = new Promise<void>((resolve) => (seen = resolve))
    let begun: (() => void) | undefined
    const started = new Promise<void>((resolve) => (begun = resolve))
    const app = server({ name: 'slow', version: '1.0.0' }).tool('wait', {}, (_, { signal }) => {
      begun?.()
      return new Promise<string>((resolve) =>
        signal.addEventListener('abort', () => (seen?.(), resolve('gone')), { once: true }),
      )
    })
    await using t = await test(app, { version })
    const controller = new AbortController()

    const call = t.call('wait', {}, { signal: controller.signal })
    await started
    controller.abort()

    await expect(call).rejects.toThrow(/abort/i)
    await cancelled
  })

  it('any message can be sent as it is', async () => {
    await using t = await test(makeNotes(), { version })

    expect(await t.raw({ jsonrpc: '2.0', id: 1 })).toMatchObject({ id: 1, error: { code: -32_600 } })
    expect(await t.raw('nonsense')).toMatchObject({ error: { code: -32_600 } })
    expect(await t.raw({ jsonrpc: '2.0', method: 'notifications/nothing' })).toBeUndefined()
    expect(await t.request('prompts/get', { name: 'review', arguments: { topic: 'trees' } })).toMatchObject({
      messages: [{ content: { text: 'Review trees.' } }],
    })
    await expect(t.request('no/such')).rejects.toMatchObject({ code: -32_601 })
  })
})

it('a batch is answered as one', async () => {
  await using t = await test(makeNotes(), { version: '2025-03-26' })
  const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'whoami' } })

  const answers = (await t.raw([call(1), call(2)])) as { id: number }[]

  expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2])
})

it.each(versions.filter((version) => version !== '2025-03-26'))('a batch on %s is refused', async (version) => {
  await using t = await test(makeNotes(), { version })

  expect(await t.raw([{ jsonrpc: '2.0', id: 1, method: 'ping' }])).toMatchObject({ error: { code: -32_600 } })
})

it('numbers of raw messages do not meet those of the client', async () => {
  const app = server({ name: 'slow', version: '1.0.0' }).tool('echo', {}, async (_, { requestId }) => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    return String(requestId)
  })
  await using t = await test(app, { version: '2025-11-25' })
  const params = { name: 'echo' }

  const raw = [1, 2, 3].map((id) => t.raw({ jsonrpc: '2.0', id, method: 'tools/call', params }))
  const own = [1, 2, 3].map(() => t.call('echo'))

  expect(await Promise.all(raw)).toMatchObject(
    [1, 2, 3].map((id) => ({ id, result: { content: [{ text: `${id}` }] } })),
  )
  expect((await Promise.all(own)).every(({ isError }) => !isError)).toBe(true)
})

it('sampling and roots are answered too', async () => {
  const app = server({ name: 'asker', version: '1.0.0' }).tool('both', {}, async (_, context) => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'A poem' } }]
    const { content: poem } = await context.sample('poem', { maxTokens: 5, messages })
    const [root] = await context.roots()
    return `${(poem as { text: string }).text} ${root?.uri}`
  })
  await using t = await test(app, { onSample: 'Roses', roots: ['file:///home'] })
  await using mute = await test(app)

  expect((await t.call('both')).text).toBe('Roses file:///home')
  expect(t.questions.map(({ kind, key }) => [kind, key])).toEqual([
    ['sample', 'poem'],
    ['roots', 'roots'],
  ])
  await expect(mute.call('both')).rejects.toThrow("Give test() onSample: 'what the model says'")
})

it('a revision that the server does not serve is named', async () => {
  const app = server({ name: 'new', version: '1.0.0', versions: ['2026-07-28'] })

  await expect(test(app, { version: '2024-11-05' })).rejects.toThrow(
    "'new' does not serve 2024-11-05. It serves 2026-07-28.",
  )
})

it('what is left open ends with the test', async () => {
  let ended = 0
  const app = server({ name: 'slow', version: '1.0.0' }).tool('wait', {}, (_, { signal }) => {
    return new Promise<number>((resolve) => signal.addEventListener('abort', () => resolve(++ended), { once: true }))
  })
  const t = await test(app, { version: '2025-06-18' })
  const call = t.call('wait').catch((error: Error) => error.message)
  await t.list('tool')

  await t.close()

  expect(await call).toContain('closed')
  expect(ended).toBe(1)
  expect(app.connections.size).toBe(0)
})

it('a low-level server is tested with the same client', async () => {
  const app = serverOf<number>({
    serverInfo: () => ({ name: 'counter', version: '1.0.0' }),
    capabilities: () => ({ tools: {} }),
    init: () => 0,
    handleRequest: (_, count) => ['reply', { content: [{ type: 'text', text: `${count + 1}` }] }, count + 1],
  })
  await using t = await test(app, { version: '2025-11-25' })

  await t.callAny('any')

  expect((await t.callAny('any')).text).toBe('2')
})

it('calls are checked by the compiler', async () => {
  await using t = await test(makeNotes())

  const added = await t.call('add', { a: 1 })
  expectTypeOf(added.value).toEqualTypeOf<{ sum: number }>()
  expectTypeOf((await t.call('numbers')).value).toEqualTypeOf<number[]>()
  expectTypeOf((await t.call('whoami')).value).toEqualTypeOf<undefined>()
  expectTypeOf(t.state()).resolves.toEqualTypeOf<{ count: number }>()
  // @ts-expect-error the argument must be a number.
  await t.call('add', { a: 'two' })
  // @ts-expect-error an argument is missing.
  await t.call('add', {})
  // @ts-expect-error arguments are needed.
  await t.call('add')
  // @ts-expect-error there is no such argument.
  await t.call('add', { a: 1, c: 2 })
  // @ts-expect-error a tool without input takes nothing.
  await t.call('whoami', { name: 'Ada' })
  // @ts-expect-error there is no such tool.
  await expect(t.call('subtract', { a: 1 })).rejects.toThrow("Unknown tool 'subtract'")
})
