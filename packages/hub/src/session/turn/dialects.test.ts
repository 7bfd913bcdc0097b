import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startFakeLlm, type FakeLlm } from '../../../../../test/fixtures/fake-llm/start-fake-llm.ts'
import { createAddressGuard } from '../../platform/network/index.ts'
import { createModel } from '../provider/create-model.ts'
import type { ModelSettings } from '../provider/model-settings.ts'
import { createProviderFetch } from '../provider/provider-fetch.ts'
import { runTurn } from './run-turn.ts'
import { add, adder, inTurn, limits, say, turnOf } from './testing/test-turn.ts'
import type { TurnMessage } from './types.ts'

let fake: FakeLlm
const provider = createProviderFetch(createAddressGuard(() => ({ private: 'allow', allow: [] })))

beforeAll(async () => {
  fake = await startFakeLlm()
})
afterEach(async () => {
  // Nothing may outlive a turn, whatever became of it.
  await fake.until(() => fake.open === 0)
})
afterAll(async () => {
  await provider.stop()
  await fake.stop()
})

const key = 'sk-test-0123456789abcdef'
const dialects: Record<string, Pick<ModelSettings, 'provider' | 'api'>> = {
  'openai responses': { provider: 'openai' },
  'openai chat': { provider: 'openai', api: 'chat' },
  anthropic: { provider: 'anthropic' },
  gemini: { provider: 'google' },
  'openai-compatible': { provider: 'openai-compatible' },
}

function modelOf(settings: Pick<ModelSettings, 'provider' | 'api'>, more: Partial<ModelSettings> = {}) {
  const baseUrl = fake.baseUrl(settings.provider)
  return createModel(
    { ...settings, model: 'some-model', baseUrl, apiKey: key, secretName: 'KEY', ...more },
    provider.fetch,
  )
}

describe.each(Object.entries(dialects))('%s', (_, settings) => {
  test('an answer comes in pieces, with what it used and cost', async () => {
    fake.script = () => ({ text: 'The answer is 42.', usage: { input: 100, output: 20, cached: 40 } })
    const { turn, of } = turnOf()
    const result = await runTurn(await modelOf(settings), turn)
    expect(result).toMatchObject({
      text: 'The answer is 42.',
      finish: 'stop',
      steps: 1,
      toolCalls: 0,
      hadEffect: false,
    })
    expect(result.usage).toMatchObject({ inputTokens: 100, outputTokens: 20, cachedInputTokens: 40, totalTokens: 120 })
    expect(result.costUsd).toBeCloseTo((60 + 40 * 0.1 + 20 * 10) / 1_000_000, 12)
    expect(of('text-delta').length).toBeGreaterThan(2)
    expect(fake.requests.at(-1)).toMatchObject({ model: 'some-model', system: 'Be brief.', stream: true })
    expect(JSON.stringify(fake.requests.at(-1)!.headers)).toContain(key)
  })

  test('calls of one answer run at once, their results go back, and the next turn gets all of it', async () => {
    let running = 0
    let mostRunning = 0
    const run = async ({ a, b }: Record<string, unknown>) => {
      mostRunning = Math.max(mostRunning, ++running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running--
      return { text: `${String(a)}+${String(b)}` }
    }
    fake.script = inTurn(
      { reasoning: 'I need sums.', text: 'Let me see.', toolCalls: [add(1, 2), add(3, 4), add(5, 6)] },
      ({ messages }) => ({
        text: messages
          .filter(({ role }) => role === 'tool')
          .map(({ text }) => text)
          .join(' '),
      }),
    )
    const model = await modelOf(settings)
    const { turn, of } = turnOf({ tools: [adder({ run })], limits: { ...limits, maxParallelTools: 2 } })
    const result = await runTurn(model, turn)
    expect(result).toMatchObject({ text: '1+2 3+4 5+6', finish: 'stop', steps: 2, toolCalls: 3 })
    expect(mostRunning).toBe(2)
    expect(of('tool-call').map((event) => 'name' in event && event.name)).toEqual(Array(3).fill('math.add'))
    expect(of('tool-result')).toHaveLength(3)
    expect(result.usage.totalTokens).toBe(30)

    // As if it came out of the database.
    const stored = JSON.parse(JSON.stringify(result.messages)) as TurnMessage[]
    expect(stored.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant'])
    fake.script = () => ({ text: 'Yes.' })
    await runTurn(model, turnOf({ messages: [...turn.messages, ...stored, say('Sure?')] }).turn)
    const { messages } = fake.requests.at(-1)!
    expect(messages.flatMap(({ toolCalls }) => toolCalls.map((call) => call.arguments))).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
      { a: 5, b: 6 },
    ])
    expect(messages.filter(({ role }) => role === 'tool').map(({ text }) => text)).toEqual(['1+2', '3+4', '5+6'])
    expect(messages.at(-1)).toMatchObject({ role: 'user', text: 'Sure?' })
    // OpenAI's older API has no way to take thoughts.
    const hasThoughts = settings.api !== 'chat'
    expect(messages.some(({ reasoning }) => reasoning.length > 0)).toBe(hasThoughts)
  })

  test('thoughts and signatures are kept from another provider', async () => {
    fake.script = inTurn({ reasoning: 'Hm.', toolCalls: [add(1, 2)] }, { text: 'Three.' })
    const { turn } = turnOf({ tools: [adder()] })
    const { messages } = await runTurn(await modelOf(settings), turn)
    const others = Object.values(dialects).filter((other) => other.provider !== settings.provider)
    for (const other of others) {
      await runTurn(await modelOf(other), turnOf({ messages: [...turn.messages, ...messages, say('And?')] }).turn)
      expect(fake.requests.at(-1)!.messages.flatMap(({ reasoning }) => reasoning)).toEqual([])
    }
  })

  test.each([
    [401, 'PROVIDER_UNAUTHORIZED', 'herma secret set KEY'],
    [429, 'PROVIDER_OVERLOADED', 'Try again later'],
    [500, 'PROVIDER_FAILED', '(500)'],
    [529, 'PROVIDER_OVERLOADED', 'Try again later'],
  ])('the error %i is told in our words, without a key', async (status, code, text) => {
    fake.script = () => ({ status, retryAfter: 60 })
    const { turn } = turnOf()
    const error = await runTurn(await modelOf(settings), turn).catch((failure: Error) => failure)
    expect(error).toMatchObject({ name: 'TurnError', code, hadEffect: false, message: expect.stringContaining(text) })
    expect((error as Error).message).not.toContain('sk-')
  })

  test('who is to be asked a minute later is not waited for, and the caller is told the time', async () => {
    const before = fake.requests.length
    fake.script = () => ({ status: 429, retryAfter: 60 })
    await expect(runTurn(await modelOf(settings), turnOf().turn)).rejects.toMatchObject({
      code: 'PROVIDER_OVERLOADED',
      data: { retryAfterMs: 60_000 },
    })
    expect(fake.requests.length - before).toBe(1)
  })

  test('who is overloaded for a moment is asked again, and nobody hears twice', async () => {
    fake.script = inTurn({ status: 429, retryAfter: 0 }, { status: 500 }, { text: 'Here I am.' })
    const { turn, of } = turnOf()
    const result = await runTurn(await modelOf(settings), turn)
    expect(result).toMatchObject({ text: 'Here I am.', steps: 1 })
    expect(of('retry')).toHaveLength(2)
    expect(of('retry')[0]).toMatchObject({ delayMs: 0, because: expect.stringContaining('429') })
  })

  test('an answer that breaks off is an error, and is not asked for again', async () => {
    for (const reply of [{ cut: true }, { isUnfinished: true }, { isMalformed: true }]) {
      const before = fake.requests.length
      fake.script = () => ({ text: 'one two three four five six seven eight', ...reply })
      const { turn, of } = turnOf()
      await expect(runTurn(await modelOf(settings), turn)).rejects.toMatchObject({ code: 'PROVIDER_FAILED' })
      expect(fake.requests.length - before).toBe(1)
      expect(of('text-delta').length).toBeGreaterThan(0)
    }
  })

  test('an error in place of the first piece is like one before it', async () => {
    fake.script = inTurn({ status: 529, isErrorInStream: true }, { text: 'Now.' })
    const { turn, of } = turnOf()
    expect(await runTurn(await modelOf(settings), turn)).toMatchObject({ text: 'Now.' })
    expect(of('retry')).toHaveLength(1)
  })

  test('a cancelled turn closes the socket of the provider, before and in the middle of its answer', async () => {
    const model = await modelOf(settings)
    for (const reply of [{ delayMs: 2000 }, { chunkMs: 50 }]) {
      const abortedBefore = fake.aborted
      const seen = fake.requests.length
      fake.script = () => ({ text: Array(100).fill('word ').join(''), ...reply })
      const controller = new AbortController()
      const { turn } = turnOf({
        signal: controller.signal,
        onEvent: (event) => event.type === 'text-delta' && controller.abort(),
      })
      const running = runTurn(model, turn)
      if (reply.delayMs !== undefined) void fake.until(() => fake.requests.length > seen).then(() => controller.abort())
      await expect(running).rejects.toMatchObject({ code: 'CANCELLED' })
      await fake.until(() => fake.aborted === abortedBefore + 1)
    }
  })

  test('an answer that got too long or was withheld says so', async () => {
    const model = await modelOf(settings)
    fake.script = () => ({ text: 'Half a', isTooLong: true })
    expect(await runTurn(model, turnOf().turn)).toMatchObject({ text: 'Half a', finish: 'length' })
    fake.script = () => ({ text: '', isRefused: true })
    // The newer API of OpenAI tells a withheld answer like one that got too long.
    expect(['refused', 'length']).toContain((await runTurn(model, turnOf().turn)).finish)
  })

  test('an answer of a schema comes as a value', async () => {
    const responseSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
    // Some adapters get it out of a model by a tool that they make up.
    fake.script = ({ tools }) =>
      tools.length > 0 ? { toolCalls: [{ name: tools[0]!, arguments: { n: 7 } }] } : { text: '{"n": 7}' }
    const result = await runTurn(await modelOf(settings), turnOf({ responseSchema }).turn)
    expect(result).toMatchObject({ structured: { n: 7 }, finish: 'stop', steps: 1, clientCalls: [] })
  })

  test('an answer without a stream is read too', async () => {
    const model = await modelOf(settings)
    fake.script = () => ({ text: 'Whole.', toolCalls: [add(1, 2)] })
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Go.' }] }]
    const { content } = await model.doGenerate({ prompt })
    expect(fake.requests.at(-1)!.stream).toBe(false)
    expect(content).toContainEqual(expect.objectContaining({ type: 'text', text: 'Whole.' }))
    expect(content).toContainEqual(expect.objectContaining({ type: 'tool-call', toolName: 'math_add' }))
  })
})
