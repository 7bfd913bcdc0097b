import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ConfigError, ToolError } from '../protocol/errors.ts'
import { on, takeOverErrors } from '../telemetry/events.ts'
import { server, serverOf } from './app.ts'
import { PipeClient, textOf } from './testing/pipe-client.ts'

const eras = ['legacy', 'modern'] as const
const masked = /^Something went wrong inside the server \(reference [0-9a-f]{8}\)\.$/
const options = { name: 'hostile', version: '1.0.0' }
const form = z.object({})

const circle: Record<string, unknown> = {}
circle['self'] = circle

let reported: unknown[] = []
let ends: (() => void)[] = []
beforeEach(() => {
  reported = []
  // Listened to, because what is thrown is described for listeners only.
  ends = [
    takeOverErrors(),
    on('mcp.error', ({ error }) => reported.push(error)),
    on('mcp.tool.call', () => {}),
    on('mcp.prompt.get', () => {}),
    on('mcp.request.end', () => {}),
  ]
})
afterEach(() => ends.forEach((end) => end()))

const thrown = [
  undefined,
  null,
  'secret',
  5n,
  { secret: 1 },
  Object.create(null),
  Symbol('secret'),
  new Error('secret'),
]

describe.each(eras)('towards a %s client', (era) => {
  test.each(thrown)('whatever a handler throws is masked (%#)', async (value) => {
    const fail = () => {
      throw value
    }
    const app = server(options)
      .tool('t', {}, fail)
      .prompt('p', { args: z.object({ a: z.string() }), complete: { a: fail } }, fail)
      .resource('r://{id}', { list: fail }, fail)
    await using client = await PipeClient.open(app, era)
    const ref = { type: 'ref/prompt', name: 'p' }
    const answers = [
      await client.call('t'),
      await client.request('prompts/get', { name: 'p', arguments: { a: '1' } }),
      await client.request('resources/read', { uri: 'r://1' }),
      await client.request('resources/list'),
      await client.request('completion/complete', { ref, argument: { name: 'a', value: '' } }),
    ]
    for (const answer of answers) expect(textOf(answer)).toMatch(masked)
    expect(reported).toEqual(answers.map(() => value))
  })

  test.each([
    ['a BigInt', () => ({ content: [], _meta: { big: 5n } }) as never],
    ['a circle', () => ({ content: [], structuredContent: circle }) as never],
    ['a function', () => (() => {}) as never],
  ])('a result with %s is answered with an error, not with silence', async (_, result) => {
    const app = server(options).tool('t', {}, result)
    await using client = await PipeClient.open(app, era)
    expect(textOf(await client.call('t'))).toMatch(masked)
  })

  test('middleware that forgets to return is found, and its ToolError is read by the model', async () => {
    const app = server(options)
      .use('tools/call', async ({ params }, next) => {
        if (params.name === 'limited') throw new ToolError('Wait a minute.')
        await next()
        return undefined as never
      })
      .tool('t', {}, () => 'ok')
      .prompt('p', {}, () => {
        throw new ToolError('No such text.')
      })
    await using client = await PipeClient.open(app, era)
    expect(textOf(await client.call('t'))).toMatch(masked)
    expect(reported[0]).toBeInstanceOf(ConfigError)
    expect((await client.call('limited')).result).toMatchObject({
      isError: true,
      content: [{ text: 'Wait a minute.' }],
    })
    expect((await client.request('prompts/get', { name: 'p' })).error?.message).toBe('No such text.')
  })

  test('nothing is sent for a request that was answered', async () => {
    let after: unknown
    const app = server(options)
      .tool('t', {}, (_, context) => {
        setImmediate(() => {
          context.progress(2)
          context.log.error('late')
          after = context.elicit('late', { message: 'Late?', schema: form }).catch((error: unknown) => error)
        })
        return 'ok'
      })
      .tool('bad', {}, (_, { progress }) => {
        progress(Number.NaN)
        return 'ok'
      })
    await using client = await PipeClient.open(app, era)
    const params = { _meta: { progressToken: 1 } }
    await client.call('t', {}, params)
    await expect.poll(() => after).toBeDefined()
    expect(String(await after)).toMatch(/asked after the request was answered/)
    expect(textOf(await client.call('bad', {}, params))).toBe('ok')
    expect(client.heard.filter(({ method }) => method !== undefined)).toEqual([])
  })

  test('a question that nobody waits for does not end the process', async () => {
    const lost: unknown[] = []
    const hear = (error: unknown) => lost.push(error)
    process.on('unhandledRejection', hear)
    try {
      const app = server(options).tool('t', {}, async (_, context) => {
        void context.elicit('q', { message: 'Well?', schema: form })
        void context.call('unknown')
        await sleep(10)
        return 'ok'
      })
      await using client = await PipeClient.open(app, era)
      await client.call('t')
      await client[Symbol.asyncDispose]()
      await sleep(10)
    } finally {
      process.off('unhandledRejection', hear)
    }
    expect(lost).toEqual([])
  })

  test('tools call each other without lending or cutting time, and never wait for themselves', async () => {
    const app = server(options)
      .tool('inner', { timeoutMs: 40, exclusive: true }, () => 'in')
      .tool('outer', { exclusive: true }, async (_, context) => {
        await context.call('inner')
        await sleep(80)
        return 'out'
      })
      .tool('self', { exclusive: true, input: z.object({ again: z.boolean() }) }, async ({ again }, context) => {
        if (again) await context.call('self', { again: false })
        return 'done'
      })
      .tool('endless', { timeoutMs: Infinity }, async () => sleep(10, 'ok'))
    await using client = await PipeClient.open(app, era)
    expect(textOf(await client.call('outer'))).toBe('out')
    expect(textOf(await client.call('self', { again: true }))).toBe('done')
    expect(textOf(await client.call('endless'))).toBe('ok')
  })
})

test.each([
  () => {
    throw new Error('secret')
  },
  () => undefined as never,
])('an errors function that fails leaves the error masked (%#)', async (errors) => {
  const app = server({ ...options, errors }).tool('t', {}, () => {
    throw new Error('secret')
  })
  await using client = await PipeClient.open(app, 'modern')
  expect(textOf(await client.call('t'))).toMatch(masked)
})

test('a behaviour may reply before it says noreply, and what handleInfo throws is reported', async () => {
  const served = serverOf({
    serverInfo: () => options,
    handleRequest: (_, __, exchange) => {
      exchange.reply({ early: true })
      return ['noreply']
    },
    handleInfo: () => {
      throw new Error('no news')
    },
  })
  await using client = await PipeClient.open(served, 'legacy')
  expect((await client.request('x/y')).result).toEqual({ early: true })
  await Promise.all([...served.connections].map((connection) => connection.send('news')))
  expect(reported).toEqual([new Error('no news')])
})

test.each([
  ['name', () => server({ version: '1' } as never)],
  ['pageSize', () => server({ ...options, pageSize: 0 })],
  ['timeoutMs', () => server({ ...options, timeoutMs: Number.NaN })],
  ['versions', () => server({ ...options, versions: ['1999-01-01' as never] })],
  ['timeoutMs', () => server(options).tool('t', { timeoutMs: -1 }, () => '')],
  ['handler', () => server(options).tool('t', (() => '') as never, undefined as never)],
  ['handler', () => server(options).prompt('p', {}, undefined as never)],
  ['handler', () => server(options).resource('r://1', {}, undefined as never)],
  ['use', () => server(options).use('tools/call', undefined as never)],
  ['itself', () => mountInItself()],
  ['__proto__', () => server(options).resource('r://{__proto__}', {}, () => '')],
])('a mistake in %s is named at once (%#)', (word, build) => {
  expect(build).toThrow(ConfigError)
  expect(build).toThrow(word)
})

function mountInItself() {
  const app = server(options)
  const between = server(options).mount(app)
  app.mount(server(options).mount(between))
}

test('a context that middleware made itself is refused in words', async () => {
  const app = server(options)
    .use('tools/call', (request, next, context) => next(request, { ...context }))
    .tool('t', {}, () => 'ok')
  await using client = await PipeClient.open(app, 'modern')
  expect(textOf(await client.call('t'))).toMatch(masked)
  expect(String(reported[0])).toMatch(/context\.locals/)
})

test('other arguments of a completion must be strings', async () => {
  const args = z.object({ a: z.string() })
  const app = server(options).prompt('p', { args, complete: { a: (_, others) => Object.values(others) } }, () => '')
  await using client = await PipeClient.open(app, 'modern')
  const complete = (others: unknown) =>
    client.request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'p' },
      argument: { name: 'a', value: '' },
      context: { arguments: others },
    })
  expect((await complete({ b: 'c' })).result).toMatchObject({ completion: { values: ['c'] } })
  for (const others of [[1], { b: {} }, 'text']) expect((await complete(others)).error).toMatchObject({ code: -32602 })
})
