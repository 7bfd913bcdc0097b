import { expect, test } from 'vitest'
import type { WorkEvent, WorkResult } from '../work/types.ts'
import { AnswerText } from './answer-text.ts'
import { ChatForm } from './chat-form.ts'
import { ResponsesForm } from './responses-form.ts'
import type { OpenAiFrame } from './types.ts'

const usage = { inputTokens: 7, outputTokens: 3, cachedInputTokens: 2, reasoningTokens: 1, totalTokens: 10 }
const clientCalls = [{ id: 'c1', name: 'look', arguments: { at: 'x' } }]
const chatHead = { id: 'chatcmpl-1', created: 1, model: 'coder' }

test('a chat completion says what was said, called and used', () => {
  const form = new ChatForm({ ...chatHead, includesUsage: false })
  expect(form.whole({ text: '', result: { finish: 'client-tools', usage, clientCalls } })).toEqual({
    ...chatHead,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          refusal: null,
          annotations: [],
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"x"}' } }],
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ],
    usage: {
      prompt_tokens: 7,
      completion_tokens: 3,
      total_tokens: 10,
      prompt_tokens_details: { cached_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 1 },
    },
  })
})

test('chunks of a chat end with its calls, its reason, its usage and [DONE]', () => {
  const form = new ChatForm({ ...chatHead, includesUsage: true })
  const frames = form.end({ text: '', result: { finish: 'client-tools', usage, clientCalls } })
  expect(frames.map(({ data }) => (typeof data === 'string' ? data : shortOf(data)))).toEqual([
    [{ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: '' } }] }, null],
    [{ tool_calls: [{ index: 0, function: { arguments: '{"at":"x"}' } }] }, null],
    [{}, 'tool_calls'],
    'usage 10',
    '[DONE]',
  ])
})

function shortOf(data: object): unknown {
  const { choices, usage: used } = data as {
    choices: { delta: object; finish_reason: string | null }[]
    usage: { total_tokens: number } | null
  }
  const [choice] = choices
  return choice === undefined ? `usage ${used!.total_tokens}` : [choice.delta, choice.finish_reason]
}

const reasons = [
  ['stop', 'stop', 'completed'],
  ['length', 'length', 'incomplete'],
  ['steps', 'length', 'incomplete'],
  ['cost', 'length', 'incomplete'],
  ['refused', 'content_filter', 'incomplete'],
] as const

test.each(reasons)('a turn that ended by %s is %s in a chat and %s as a response', (finish, reason, status) => {
  const answer = { text: 'x', result: { finish, usage, clientCalls: [] } }
  const chat = new ChatForm({ ...chatHead, includesUsage: false }).whole(answer)
  expect(chat).toMatchObject({ choices: [{ finish_reason: reason }] })
  expect(openResponse().whole(answer)).toMatchObject({ status })
  expect(openResponse().end(answer).at(-1)).toMatchObject({ event: `response.${status}` })
})

function openResponse() {
  return new ResponsesForm({ id: 'resp_1', createdAt: 1, model: 'coder', asked: { input: 'hello' } })
}

test('a response that fails in the middle keeps its numbers and what was said', () => {
  const form = openResponse()
  const frames = [
    ...form.begin(),
    ...form.text('half'),
    ...form.fail({ message: 'gone', type: 'server_error', param: null, code: 'provider_failed' }),
  ]
  expect(numbersOf(frames)).toEqual(frames.map((_, index) => index))
  expect(frames.at(-1)!.data).toMatchObject({
    type: 'response.failed',
    response: {
      status: 'failed',
      error: { code: 'server_error', message: 'gone' },
      output: [{ status: 'incomplete', content: [{ text: 'half' }] }],
    },
  })
})

function numbersOf(frames: readonly OpenAiFrame[]): number[] {
  return frames.map(({ data }) => (data as { sequence_number: number }).sequence_number)
}

const plain = {
  text: 'b',
  structured: undefined,
  finish: 'stop',
  whyNotCommitted: null,
} as const satisfies Partial<WorkResult>
const said = (text: string): WorkEvent => ({ type: 'text-delta', text })

test('the texts of several steps stand apart, and dropped changes are told', () => {
  const text = new AnswerText(false)
  const pieces = [said('a'), said('a'), { type: 'step-finished', usage } as const, said('b')].map((each) =>
    text.take(each),
  )
  pieces.push(text.end({ ...plain, whyNotCommitted: 'they were refused' }))
  expect(pieces).toEqual(['a', 'a', '', '\n\nb', '\n\n[Herma] The changes of files were dropped: they were refused.'])
  expect(text.text).toBe(pieces.join(''))
})

test('what came without pieces is said at the end, and JSON is nothing but that', () => {
  expect(new AnswerText(false).end(plain)).toBe('b')
  const held = new AnswerText(true)
  expect(held.take(said('Let me think.'))).toBe('')
  expect(held.end({ ...plain, structured: { a: 1 } })).toBe('{"a":1}')
})
