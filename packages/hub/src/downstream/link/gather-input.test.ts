import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { InputRequired, Question } from '../../wire/index.ts'
import { InputGatherer } from './gather-input.ts'
import { createCaller, TestCall } from '../testing/test-call.ts'

const question = (message: string): Question => ({ method: 'elicitation/create', params: { message } })
const needs = (questions: Record<string, Question>, requestState?: string): InputRequired => ({
  result: {},
  questions: new Map(Object.entries(questions)),
  requestState,
})

let sent: TestCall[]
let gatherer: InputGatherer

beforeEach(() => {
  vi.useFakeTimers()
  sent = []
  gatherer = new InputGatherer({ connector: 'srv', connectorId: 'id' }, (call) => sent.push(call as TestCall))
})
afterEach(() => vi.useRealTimers())

const echo = ({ params }: Question) => Promise.resolve({ result: { said: params?.['message'] } })

describe('input for a modern server', () => {
  test('goes back under its keys, with the state and what the client sent', async () => {
    const call = new TestCall(createCaller('a'), echo, { name: 'tool', arguments: { x: 1 } })
    await gatherer.gather(call, needs({ a: question('one'), b: question('two') }, 'state'))
    expect(sent).toEqual([call])
    expect(call.params).toEqual({
      name: 'tool',
      arguments: { x: 1 },
      inputResponses: { a: { said: 'one' }, b: { said: 'two' } },
      requestState: 'state',
    })
  })

  test('has nothing of an earlier round in it', async () => {
    const call = new TestCall(createCaller('a'), echo, { name: 'tool' })
    await gatherer.gather(call, needs({ a: question('one') }, 'first'))
    await gatherer.gather(call, needs({ b: question('two') }))
    expect(call.params).toEqual({ name: 'tool', inputResponses: { b: { said: 'two' } } })
  })

  test('is nothing but the state after a pause, longer each time, when nothing was asked', async () => {
    const call = new TestCall(createCaller('a'), echo, { name: 'tool' })
    const waits: number[] = []
    for (let round = 0; round < 9; round++) {
      const gathering = gatherer.gather(call, needs({}, `s${round}`))
      let waited = 0
      while (sent.length === round) {
        await vi.advanceTimersByTimeAsync(100)
        waited += 100
      }
      waits.push(waited)
      await gathering
      expect(call.params).toEqual({ name: 'tool', requestState: `s${round}` })
    }
    expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000])
    expect(call.asked).toEqual([])
  })

  test('is not gathered for ever', async () => {
    const call = new TestCall(createCaller('a'), echo)
    for (let round = 0; round < 100 && !call.isDone; round++) await gatherer.gather(call, needs({ a: question('q') }))
    expect(call.error).toMatchObject({ code: 'DOWNSTREAM_FAILED', message: expect.stringContaining('32 times') })
    expect(sent).toHaveLength(32)
  })

  test('is not sent when the client gave up, and its questions are withdrawn', async () => {
    const call = new TestCall(createCaller('a'), (_, signal) => {
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ error: { code: 1, message: 'withdrawn' } }))
      })
    })
    const gathering = gatherer.gather(call, needs({ a: question('q') }))
    call.cancel()
    await gathering
    expect(call.asked[0]!.signal.aborted).toBe(true)
    expect(sent).toEqual([])
  })

  test('is not sent when the client gave up during a pause', async () => {
    const call = new TestCall(createCaller('a'))
    const gathering = gatherer.gather(call, needs({}, 's'))
    call.cancel()
    await vi.runAllTimersAsync()
    await gathering
    expect(sent).toEqual([])
  })

  test('that the client refuses to give ends the call with what it said', async () => {
    const call = new TestCall(createCaller('a'), ({ params }) =>
      Promise.resolve(
        params?.['message'] === 'no' ? { error: { code: -1, message: 'not now', data: 5 } } : { result: {} },
      ),
    )
    await gatherer.gather(call, needs({ a: question('yes'), b: question('no') }))
    expect(call.error).toEqual({ code: -1, message: expect.stringContaining('not now'), data: 5 })
    expect(sent).toEqual([])
  })
})
