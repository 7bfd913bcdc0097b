import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startFakeLlm, type FakeLlm } from '../../../../../test/fixtures/fake-llm/start-fake-llm.ts'
import { createAddressGuard } from '../../platform/network/index.ts'
import { createModel } from '../provider/create-model.ts'
import { createProviderFetch } from '../provider/provider-fetch.ts'
import { runTurn } from './run-turn.ts'
import { add, adder, inTurn, limits, say, turnOf } from './testing/test-turn.ts'
import type { Turn } from './types.ts'

let fake: FakeLlm
const provider = createProviderFetch(createAddressGuard(() => ({ private: 'allow', allow: [] })))

beforeAll(async () => {
  fake = await startFakeLlm()
})
afterEach(async () => {
  await fake.until(() => fake.open === 0)
})
afterAll(async () => {
  await provider.stop()
  await fake.stop()
})

async function run(more: Partial<Turn>) {
  const { turn, events, of } = turnOf(more)
  const settings = { provider: 'anthropic', model: 'm', baseUrl: fake.baseUrl('anthropic'), apiKey: 'k' } as const
  const running = runTurn(await createModel(settings, provider.fetch), turn)
  return { running, events, of }
}

const lastResults = () => fake.requests.at(-1)!.messages.filter(({ role }) => role === 'tool')

test('what goes wrong with a call is told to the model, which goes on', async () => {
  const broken = adder({ name: 'broken', run: () => Promise.reject(new Error('The disk is full.')) })
  fake.script = inTurn(
    {
      toolCalls: [
        { name: 'math_sub', arguments: {} },
        { name: 'math_add', arguments: { a: 'one' } },
        { name: 'math_add', raw: '[1, 2' },
        { name: 'math_add', raw: '[1, 2]' },
        { name: 'broken', arguments: { a: 1, b: 2 } },
        add(1, 2),
      ],
    },
    { text: 'Well.' },
  )
  const { running, of } = await run({ tools: [adder(), broken] })
  expect(await running).toMatchObject({ text: 'Well.', finish: 'stop', toolCalls: 6, hadEffect: false })
  expect(lastResults().map(({ text }) => text)).toEqual([
    "There is no tool 'math_sub'. There are: 'math.add', 'broken'.",
    expect.stringMatching(/^The arguments of 'math.add' are wrong: a: .*; b: /),
    expect.stringMatching(/^The arguments of 'math.add' are no JSON \(/),
    "The arguments of 'math.add' are no JSON object. Call it again.",
    'The disk is full.',
    '3',
  ])
  expect(of('tool-result').filter((event) => 'isError' in event && event.isError)).toHaveLength(5)
})

test('tools whose names fall together for a provider are told apart', async () => {
  const said = (text: string) => () => Promise.resolve({ text })
  const long = 'x'.repeat(80)
  const tools = ['a.b', 'a_b', 'a/b', '1up', long].map((name) => adder({ name, inputSchema: {}, run: said(name) }))
  fake.script = inTurn(({ tools: names }) => ({ toolCalls: names.map((name) => ({ name })) }), { text: 'Done.' })
  await (
    await run({ tools })
  ).running
  expect(lastResults().map(({ text }) => text)).toEqual(['a.b', 'a_b', 'a/b', '1up', long])
  for (const name of fake.requests.at(-1)!.tools) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/)
})

test('a limit ends the turn before tools have effects, and the thread stays whole', async () => {
  let effects = 0
  const run3 = () => Promise.resolve({ text: String(++effects) })
  const tools = [adder({ isReadOnly: false, run: run3 })]
  const price = { inputPerMillion: 1_000_000, outputPerMillion: 0 }
  const cases = [
    ['steps', { ...limits, maxSteps: 2 }, 1],
    ['tokens', { ...limits, maxTokens: 30 }, 1],
    ['cost', { ...limits, maxCostUsd: 15 }, 1],
  ] as const
  for (const [finish, some, expected] of cases) {
    effects = 0
    fake.script = () => ({ text: 'Again.', toolCalls: [add(1, 2)] })
    const result = await (await run({ tools, limits: some, pricing: price })).running
    expect(result).toMatchObject({ finish, text: 'Again.', steps: 2, hadEffect: true })
    expect(effects).toBe(expected)
    expect(result.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant', 'tool'])
    expect(JSON.stringify(result.messages.at(-1))).toContain(`reached its limit of ${finish}`)
  }
})

test('a limit of cost without a price is refused before anybody is asked', async () => {
  const before = fake.requests.length
  const { running } = await run({ limits: { ...limits, maxCostUsd: 1 }, pricing: null })
  await expect(running).rejects.toMatchObject({ code: 'INVALID_PARAMS', message: expect.stringContaining('price') })
  expect(fake.requests.length).toBe(before)
})

test('a tool of the client ends the turn with its calls, and its results go on with the next', async () => {
  const client = adder({ name: 'client.look', isReadOnly: false })
  delete client.run
  fake.script = inTurn(
    { toolCalls: [add(1, 2), { name: 'client_look', arguments: { a: 1, b: 1 } }] },
    { text: 'I see.' },
  )
  const { running, of } = await run({ tools: [adder(), client], limits: { ...limits, maxSteps: 1 } })
  const result = await running
  expect(result).toMatchObject({ finish: 'client-tools', hadEffect: false, toolCalls: 1 })
  expect(result.clientCalls).toMatchObject([{ name: 'client.look', arguments: { a: 1, b: 1 } }])
  expect(of('tool-call')).toHaveLength(2)
  const [call] = result.clientCalls
  const answer = { type: 'tool-result', id: call!.id, name: call!.name, text: 'A tree.', isError: false } as const
  const messages = [say('Go.'), ...result.messages, { role: 'tool', parts: [answer] } as const]
  expect(await (await run({ tools: [adder(), client], messages })).running).toMatchObject({ text: 'I see.' })
  expect(lastResults().map(({ text }) => text)).toEqual(['3', 'A tree.'])
})

test('a tool that needs an approval runs once it is given, and not without', async () => {
  const tools = [adder({ needsApproval: true, isReadOnly: false })]
  const script = () => inTurn({ toolCalls: [add(1, 2)] }, { text: 'So be it.' })
  const cases = [
    [undefined, 'nobody can give one here', false],
    [() => Promise.resolve('refused' as const), 'The user refused', false],
    [() => Promise.resolve('once' as const), '3', true],
  ] as const
  for (const [approve, text, hadEffect] of cases) {
    fake.script = script()
    const { running, of } = await run({ tools, ...(approve !== undefined && { approve }) })
    expect(await running).toMatchObject({ text: 'So be it.', hadEffect })
    expect(lastResults()[0]!.text).toContain(text)
    expect(of('approval-wanted')).toHaveLength(approve === undefined ? 0 : 1)
  }
})

test('a turn that is cancelled while tools run waits for them, starts no other, and knows what happened', async () => {
  const controller = new AbortController()
  const ends: string[] = []
  let started = 0
  const runSlowly: NonNullable<ReturnType<typeof adder>['run']> = (_, { signal }) => {
    if (++started === 2) controller.abort()
    return new Promise((resolve) => {
      const end = () => {
        ends.push('ended')
        resolve({ text: '' })
      }
      // A tool takes its time to clean up.
      const later = () => void setTimeout(end, 30)
      if (signal.aborted) later()
      else signal.addEventListener('abort', later)
    })
  }
  fake.script = () => ({ toolCalls: [add(1, 2), add(3, 4), add(5, 6)], usage: { input: 7, output: 1 } })
  const { running } = await run({
    tools: [adder({ isReadOnly: false, run: runSlowly })],
    limits: { ...limits, maxParallelTools: 2 },
    signal: controller.signal,
  })
  await expect(running).rejects.toMatchObject({ code: 'CANCELLED', hadEffect: true, usage: { totalTokens: 8 } })
  expect({ ends, started }).toEqual({ ends: ['ended', 'ended'], started: 2 })
})

test('a question for approval is withdrawn with the turn, and the tool does not run', async () => {
  const controller = new AbortController()
  let wasWithdrawn = false
  const approve: Turn['approve'] = (_, signal) => {
    signal.addEventListener('abort', () => (wasWithdrawn = true))
    queueMicrotask(() => controller.abort())
    return new Promise(() => undefined)
  }
  fake.script = () => ({ toolCalls: [add(1, 2)] })
  const tools = [adder({ needsApproval: true, isReadOnly: false })]
  const { running } = await run({ tools, approve, signal: controller.signal })
  await expect(running).rejects.toMatchObject({ code: 'CANCELLED', hadEffect: false })
  expect(wasWithdrawn).toBe(true)
})

test('a turn whose time is up says whom it waited for', async () => {
  fake.script = () => ({ delayMs: 5000, text: 'Late.' })
  const inTime = { ...limits, timeoutMs: 150 }
  await expect((await run({ limits: inTime })).running).rejects.toMatchObject({ code: 'PROVIDER_TIMEOUT' })
  fake.script = () => ({ toolCalls: [add(1, 2)] })
  const wait = (_: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
  const { running } = await run({ limits: { ...inTime, timeoutMs: 2000 }, tools: [adder({ run: wait })] })
  await expect(running).rejects.toMatchObject({ code: 'LIMIT_REACHED', message: expect.stringContaining('tools') })
})

test('an answer of a schema is checked, and the model may correct it once', async () => {
  const responseSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
  const tools = [adder()]
  fake.script = inTurn({ text: 'It is two.' }, { text: '```json\n{"n": 2}\n```' })
  expect(await (await run({ responseSchema, tools })).running).toMatchObject({ structured: { n: 2 }, steps: 2 })
  expect(fake.requests.at(-1)!.system).toContain('JSON Schema')
  fake.script = inTurn({ text: '{"n":"two"}' })
  const result = await (await run({ responseSchema, tools })).running
  expect(result).toMatchObject({ text: '{"n":"two"}', steps: 2, finish: 'stop' })
  expect(result).not.toHaveProperty('structured')
})

test('pictures that a tool returns are shown to a model that can see them', async () => {
  const content = [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }]
  fake.script = inTurn({ toolCalls: [add(1, 2)] }, { text: 'A cat.' })
  const result = await (
    await run({ tools: [adder({ run: () => Promise.resolve({ text: 'Look:', content }) })] })
  ).running
  expect(result.text).toBe('A cat.')
  expect(JSON.stringify(fake.requests.at(-1)!.body)).toContain('"media_type":"image/png"')
})

test('who is not there, may not be reached, or leads elsewhere is told apart', async () => {
  const fails = async (baseUrl: string, fetch = provider.fetch) => {
    const model = await createModel({ provider: 'openai-compatible', model: 'm', baseUrl }, fetch)
    return runTurn(model, turnOf().turn).catch((error: Error) => error)
  }
  const gone = await startFakeLlm()
  await gone.stop()
  const unreachable = expect.stringMatching(/^openai-compatible at 127.0.0.1:\d+ could not be reached.*ECONNREFUSED/)
  expect(await fails(gone.baseUrl('openai'))).toMatchObject({ code: 'PROVIDER_FAILED', message: unreachable })

  const closed = createProviderFetch(createAddressGuard(() => ({ private: 'deny', allow: [] })))
  const refused = expect.stringContaining('herma access --reach')
  expect(await fails(fake.url, closed.fetch)).toMatchObject({ code: 'ADDRESS_REFUSED', message: refused })
  await closed.stop()

  const before = fake.requests.length
  const elsewhere = createServer((request, response) => {
    response.writeHead(307, { location: fake.url + String(request.url) }).end()
  }).listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  const { port } = elsewhere.address() as AddressInfo
  expect(await fails(`http://127.0.0.1:${port}/v1`)).toMatchObject({ code: 'PROVIDER_FAILED' })
  expect(fake.requests.length).toBe(before)
  elsewhere.close()
})
