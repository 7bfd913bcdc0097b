import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Answer } from '../../wire/index.ts'
import { Parking } from './parking.ts'
import { createExchange, plainSealer, type TestSink } from '../testing/test-exchange.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => vi.useRealTimers())

const create = (limits: Partial<{ maxParked: number; expiryMs: number }> = {}) =>
  new Parking({ maxParked: 10, expiryMs: 60_000, ...limits }, plainSealer)
const form = (message: string) => ({ method: 'elicitation/create', params: { message } })
const open = () => new AbortController().signal

/** Lets the time pass in which questions are gathered. */
const gather = () => vi.advanceTimersByTimeAsync(20)

function stateOf(sink: TestSink): string {
  expect(sink.answer?.result?.['resultType']).toBe('input_required')
  return sink.answer!.result!['requestState'] as string
}

async function park(parking: Parking, ...messages: string[]) {
  const { exchange, sink } = createExchange(parking)
  const answers: Answer[] = []
  for (const message of messages)
    void parking.ask(exchange, form(message), open()).then((answer) => answers.push(answer))
  await gather()
  return { exchange, sink, answers, state: stateOf(sink) }
}

function retry(parking: Parking, requestState: string, inputResponses: unknown = {}) {
  const { exchange, sink } = createExchange(parking, { params: { name: 'tool', requestState, inputResponses } })
  parking.resume(exchange)
  return sink
}

describe('a parked call', () => {
  test('asks together what was asked within a moment, and hands each answer to its question', async () => {
    const parking = create()
    const { sink, answers, state, exchange } = await park(parking, 'one', 'two')
    const requests = sink.answer!.result!['inputRequests'] as Record<string, { params: { message: string } }>
    expect(Object.values(requests).map(({ params }) => params.message)).toEqual(['one', 'two'])
    const inputResponses = Object.fromEntries(Object.entries(requests).map(([key, { params }]) => [key, params]))
    const second = retry(parking, state, inputResponses)
    await gather()
    expect(answers).toEqual([{ result: { message: 'one' } }, { result: { message: 'two' } }])
    exchange.respond(Buffer.from('{"jsonrpc":"2.0","id":7,"result":{"content":[]}}'), 7, 'legacy')
    expect(second.answer).toMatchObject({ result: { resultType: 'complete', content: [] } })
  })

  test('asks for what came while its client was away as soon as it is back', async () => {
    const parking = create()
    const { exchange, state } = await park(parking, 'one')
    void parking.ask(exchange, form('late'), open())
    await gather()
    const second = retry(parking, state, { 'question-1': {} })
    await gather()
    expect(Object.values(second.answer!.result!['inputRequests'] as object)).toEqual([form('late')])
  })

  test('does not ask for what its server has withdrawn', async () => {
    const parking = create()
    const { exchange, sink } = createExchange(parking)
    const controller = new AbortController()
    const withdrawn = parking.ask(exchange, form('one'), controller.signal)
    void parking.ask(exchange, form('two'), open())
    controller.abort('changed its mind')
    await gather()
    expect(await withdrawn).toMatchObject({ error: { message: 'changed its mind' } })
    expect(Object.values(sink.answer!.result!['inputRequests'] as object)).toEqual([form('two')])
  })

  test('is not parked when its client leaves before it is asked', async () => {
    const parking = create()
    const { exchange, sink } = createExchange(parking)
    const asked = parking.ask(exchange, form('one'), open())
    sink.onGone!()
    await gather()
    expect(sink.answer).toBeNull()
    expect(parking.size).toBe(0)
    expect(await Promise.race([asked, 'unanswered'])).toBeDefined()
  })

  test('keeps an answer for its client, up to a limit for all of them', async () => {
    const parking = create()
    const [first, second] = [await park(parking, 'one'), await park(parking, 'two')]
    const large = Buffer.from(`{"jsonrpc":"2.0","id":7,"result":{"text":"${'x'.repeat(40 * 1024 * 1024)}"}}`)
    first.exchange.respond(large, 7, 'legacy')
    second.exchange.respond(large, 7, 'legacy')
    expect(retry(parking, second.state).answer?.error?.message).toContain('too large to keep')
    expect(retry(parking, first.state).answer?.result?.['text']).toHaveLength(40 * 1024 * 1024)
  })

  test('is given up, with its question, when nobody comes back in time', async () => {
    const parking = create({ expiryMs: 1000 })
    const { exchange, state } = await park(parking, 'one')
    const cancel = vi.fn<(reason: string) => void>()
    exchange.runner = { connector: 'srv', connectorId: 'id', cancel }
    parking.expire(performance.now() + 900)
    expect(cancel).not.toHaveBeenCalled()
    parking.expire(performance.now() + 1100)
    expect(cancel).toHaveBeenCalledOnce()
    expect(parking.counts).toMatchObject({ parked: 1, expired: 1, resumed: 0 })
    expect(() => retry(parking, state)).toThrow(/is over/)
  })

  test('is not asked beyond the limit, but a call that has room already is', async () => {
    const parking = create({ maxParked: 1 })
    const { exchange } = createExchange(parking)
    void parking.ask(exchange, form('one'), open())
    void parking.ask(exchange, form('two'), open())
    const other = await parking.ask(createExchange(parking).exchange, form('three'), open())
    expect(other.error?.message).toContain('its limit')
    expect(parking.counts.refused).toBe(1)
  })
})

describe('a modern client is not asked', () => {
  test('while a method runs that cannot be interrupted', async () => {
    const parking = create()
    const { exchange } = createExchange(parking, { method: 'completion/complete', params: {} })
    expect((await parking.ask(exchange, form('one'), open())).error).toMatchObject({ code: -32601 })
  })

  test('what it cannot answer', async () => {
    const parking = create()
    const { exchange, sink } = createExchange(parking)
    const { error } = await parking.ask(exchange, { method: 'sampling/createMessage', params: {} }, open())
    expect(error).toMatchObject({ code: -32601, message: expect.stringContaining('sampling') })
    await gather()
    expect(sink.answer).toBeNull()
    expect(parking.size).toBe(0)
  })
})

describe('the state of a modern server', () => {
  test('goes through with its route, and comes back as it was', () => {
    const parking = create()
    const { exchange } = createExchange(parking)
    exchange.runner = { connector: 'srv', connectorId: 'connector-1', cancel: () => {} }
    const result = { resultType: 'input_required', inputRequests: {} }
    for (const requestState of ['inner', undefined]) {
      const wrapped = parking.wrap(exchange, { result, questions: new Map(), requestState }) as { requestState: string }
      const params = { name: 'tool', inputResponses: { a: {} }, requestState: wrapped.requestState }
      const again = createExchange(parking, { params }).exchange
      expect(parking.resume(again)).toEqual({ connectorId: 'connector-1' })
      expect(again.params).toEqual({ name: 'tool', inputResponses: { a: {} }, ...(requestState && { requestState }) })
    }
  })
})
