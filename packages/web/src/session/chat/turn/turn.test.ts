import type { ChatEvent, ThreadMessage } from '@herma/contract'
import { expect, test } from 'vitest'
import { addEvent, answerIn, beginTurn, findWaiting, toTurns, type Turn } from './turn.ts'

const usage = { inputTokens: 1, outputTokens: 2, cachedInputTokens: 0, reasoningTokens: 0, totalTokens: 3 }
const play = (...events: ChatEvent[]): Turn => events.reduce(addEvent, beginTurn('k', 'hi'))
const begin: ChatEvent = { type: 'begin', thread: 't', traceId: 'abc', route: 'openai', said: 'hi' }
const call = { id: '1', name: 'echo', arguments: { message: 'x' } }

test('text that comes in pieces is one block, and a tool call divides it', () => {
  const turn = play(
    begin,
    { type: 'text-delta', text: 'a' },
    { type: 'text-delta', text: 'b' },
    { type: 'tool-call', ...call },
    { type: 'tool-result', id: '1', name: 'echo', text: 'ok', isError: false, ms: 5 },
    { type: 'text-delta', text: 'c' },
    { type: 'done', text: 'c', finish: 'stop', usage, costUsd: 0.1 },
  )
  expect(turn).toMatchObject({ state: 'done', traceId: 'abc', said: 'hi', usage, costUsd: 0.1 })
  expect(turn.blocks).toEqual([
    { type: 'text', text: 'ab' },
    { type: 'tool', ...call, result: { text: 'ok', isError: false, ms: 5 } },
    { type: 'text', text: 'c' },
  ])
})

test('a call waits until it is answered, its result comes, or the turn ends', () => {
  const asked = play(begin, { type: 'tool-call', ...call }, { type: 'approval-wanted', approval: 'q', ...call })
  expect(findWaiting(asked)).toMatchObject({ id: '1', approval: { id: 'q', answer: null } })
  expect(findWaiting(answerIn(asked, 'q', 'once'))).toBeUndefined()
  const result: ChatEvent = { type: 'tool-result', id: '1', name: 'echo', text: 'no', isError: true, ms: 1 }
  expect(findWaiting(addEvent(asked, result))).toBeUndefined()
  expect(findWaiting(addEvent(asked, { type: 'error', code: 'INTERNAL', message: 'gone' }))).toBeUndefined()
})

test('an answer that was not streamed is seen at the end, and an id that comes again is another call', () => {
  const result: ChatEvent = { type: 'tool-result', id: '1', name: 'echo', text: 'ok', isError: false, ms: 1 }
  const turn = play({ type: 'tool-call', ...call }, result, { type: 'tool-call', ...call }, result, {
    type: 'done',
    text: 'all at once',
    finish: 'stop',
    usage,
    costUsd: null,
  })
  expect(turn.blocks.map(({ type }) => type)).toEqual(['tool', 'tool', 'text'])
})

test('stored messages become the same turns', () => {
  const message = (id: string, role: ThreadMessage['role'], parts: ThreadMessage['parts']): ThreadMessage => ({
    id,
    role,
    parts,
    at: '2026-11-16T00:00:00.000Z',
    traceId: 'abc',
    usage: null,
    costUsd: null,
  })
  const turns = toTurns([
    message('0', 'user', [{ type: 'text', text: 'hi' }]),
    message('1', 'assistant', [
      { type: 'reasoning', text: 'hm' },
      { type: 'tool-call', ...call },
    ]),
    message('2', 'tool', [{ type: 'tool-result', id: '1', name: 'echo', text: 'ok', isError: false, ms: 5 }]),
    { ...message('3', 'assistant', [{ type: 'text', text: 'done' }]), usage, costUsd: 1 },
    message('4', 'user', [{ type: 'text', text: 'and?' }]),
  ])
  expect(turns).toMatchObject([
    { key: '0', said: 'hi', state: 'done', usage, costUsd: 1, traceId: 'abc' },
    { key: '4', said: 'and?', blocks: [] },
  ])
  expect(turns[0]!.blocks.map(({ type }) => type)).toEqual(['reasoning', 'tool', 'text'])
})
