import { expect, test } from 'vitest'
import type { Answer, Question } from '../../../wire/index.ts'
import { runTurn } from '../../turn/run-turn.ts'
import { adder, turnOf } from '../../turn/testing/test-turn.ts'
import { createSamplingModel } from './sampling-model.ts'

/** A client that gives these results in turn, and what it was asked. */
function client(...results: Answer[]) {
  const asked: Record<string, unknown>[] = []
  const ask = ({ method, params }: Question) => {
    expect(method).toBe('sampling/createMessage')
    return Promise.resolve(results[asked.push(params as Record<string, unknown>) - 1]!)
  }
  return { ask, asked }
}

const message = (content: unknown, stopReason = 'endTurn'): Answer => ({
  result: { role: 'assistant', content, model: 'claude', stopReason },
})
const text = (value: string) => ({ type: 'text', text: value })

test('the model of the client uses the tools of the session, and results come back as it wants them', async () => {
  const uses = [
    { type: 'tool_use', id: 'c1', name: 'math_add', input: { a: 1, b: 2 } },
    { type: 'tool_use', id: 'c2', name: 'nothing', input: {} },
  ]
  const { ask, asked } = client(message([text('Well,'), ...uses], 'toolUse'), message(text('Three.')))
  const model = createSamplingModel({ ask, capabilities: { sampling: { tools: {} } }, modelHints: ['claude'] })
  const { turn } = turnOf({ tools: [adder()], temperature: 0, maxOutputTokens: 99 })
  const result = await runTurn(model, turn)
  expect(result).toMatchObject({ text: 'Three.', steps: 2, toolCalls: 2, usage: { isEstimated: true } })
  expect(result.usage.totalTokens).toBeGreaterThan(10)
  expect(asked[0]).toMatchObject({
    systemPrompt: 'Be brief.',
    messages: [{ role: 'user', content: [text('Go.')] }],
    tools: [{ name: 'math_add', description: 'Adds.', inputSchema: { type: 'object', required: ['a', 'b'] } }],
    toolChoice: { mode: 'auto' },
    modelPreferences: { hints: [{ name: 'claude' }] },
    maxTokens: 99,
    temperature: 0,
  })
  expect((asked[1]!['messages'] as unknown[]).slice(1)).toEqual([
    { role: 'assistant', content: [text('Well,'), ...uses] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', toolUseId: 'c1', content: [text('3')] },
        { type: 'tool_result', toolUseId: 'c2', content: [text(expect.stringContaining('no tool'))], isError: true },
      ],
    },
  ])
})

test('a client whose model knows no tools is offered none, and that is said once', async () => {
  const { ask, asked } = client(message(text('Half'), 'maxTokens'))
  const model = createSamplingModel({ ask, capabilities: { sampling: {} } })
  const call = { type: 'tool-call', id: 'c', name: 'math.add', arguments: { a: 1 } } as const
  const said = { type: 'tool-result', id: 'c', name: 'math.add', text: '1', isError: false } as const
  const { turn, of } = turnOf({ tools: [adder()] })
  const messages = [
    ...turn.messages,
    { role: 'assistant', parts: [call] } as const,
    { role: 'tool', parts: [said] } as const,
  ]
  expect(await runTurn(model, { ...turn, messages })).toMatchObject({ text: 'Half', finish: 'length' })
  expect(of('warning')).toMatchObject([{ text: expect.stringContaining('sampling.tools') }])
  expect(asked[0]).not.toHaveProperty('tools')
  expect(asked[0]).not.toHaveProperty('toolChoice')
  expect((asked[0]!['messages'] as unknown[]).slice(1)).toEqual([
    { role: 'assistant', content: [text('I used math_add: {"a":1}')] },
    { role: 'user', content: [text('math_add answered: 1')] },
  ])
})

test.each([
  ['the user refuses', { error: { code: -1, message: 'User rejected sampling request' } }, 'refused to lend'],
  ['the client fails', { error: { code: -32_603, message: 'out of tokens' } }, 'out of tokens'],
  ['the answer is none', { result: { role: 'assistant' } }, 'no block'],
  ['a tool has no name', message([{ type: 'tool_use', id: 'x' }]), 'no name'],
])('when %s, the turn fails, and nobody is asked again', async (_, answer, words) => {
  const { ask, asked } = client(answer)
  const model = createSamplingModel({ ask, capabilities: { sampling: {} } })
  await expect(runTurn(model, turnOf().turn)).rejects.toMatchObject({
    code: 'PROVIDER_FAILED',
    message: expect.stringContaining(words),
  })
  expect(asked).toHaveLength(1)
})

test('a client that lends no model is told what to do', () => {
  const create = () => createSamplingModel({ ask: () => Promise.reject(new Error('asked')), capabilities: {} })
  expect(create).toThrow(/does not declare `sampling`.*provider of its own/)
})

test('a question to the client is withdrawn when the turn is cancelled', async () => {
  const controller = new AbortController()
  let withdrawn: AbortSignal | undefined
  const ask = (_: Question, signal: AbortSignal) => {
    withdrawn = signal
    queueMicrotask(() => controller.abort())
    return new Promise<never>(() => undefined)
  }
  const model = createSamplingModel({ ask, capabilities: { sampling: {} } })
  const running = runTurn(model, turnOf({ signal: controller.signal }).turn)
  await expect(running).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(withdrawn?.aborted).toBe(true)
})
