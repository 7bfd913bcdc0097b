import { HubError } from '@herma/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { metaKeys, modernRevision } from '../../wire/index.ts'
import { shakeHands, type HandshakeOptions } from './handshake.ts'
import { AnsweredError } from './request-call.ts'

type Answers = Partial<Record<'server/discover' | 'initialize', unknown>>

/** Shakes hands with a server that gives these answers; an Error is thrown. */
async function shake(answers: Answers, options: Partial<HandshakeOptions> = {}) {
  const asked: string[] = []
  const said: string[] = []
  const request: HandshakeOptions['request'] = async (era, method) => {
    asked.push(`${era} ${method}`)
    const answer = answers[method as keyof Answers]
    if (answer instanceof Error) throw answer
    return answer
  }
  const initialized = (revision: string) => void said.push(revision)
  const base = { name: 'srv', wanted: 'auto', knownEra: null, capabilities: {}, timeoutMs: 1000 } as const
  const isClosed = () => false
  const outcome = await shakeHands({ ...base, isClosed, request, initialized, ...options }).catch(
    (error: Error) => error,
  )
  return { asked, said, outcome }
}

const modern = { supportedVersions: [modernRevision], capabilities: { tools: {} }, instructions: 'hi' }
const legacy = { protocolVersion: '2025-06-18', capabilities: { prompts: {} }, serverInfo: { name: 's', version: '1' } }
const unknownMethod = new AnsweredError({ code: -32_601, message: 'Method not found' })
const unreachable = new HubError('DOWNSTREAM_UNAVAILABLE', 'nobody there')

describe('a modern server', () => {
  test('is known after one question', async () => {
    const { asked, said, outcome } = await shake({ 'server/discover': modern })
    expect(asked).toEqual(['modern server/discover'])
    expect(said).toEqual([])
    expect(outcome).toMatchObject({ era: 'modern', revision: modernRevision, instructions: 'hi', result: modern })
  })

  test('says its name in the metadata', async () => {
    const serverInfo = { name: 's', version: '2' }
    const answer = { ...modern, _meta: { [metaKeys.serverInfo]: serverInfo } }
    expect((await shake({ 'server/discover': answer })).outcome).toMatchObject({ serverInfo })
  })

  test('is not asked the old way when it refuses our revision', async () => {
    const refusal = new AnsweredError({ code: -32_022, message: 'no', data: { supported: ['2027-01-01'] } })
    const { asked, outcome } = await shake({ 'server/discover': refusal, initialize: legacy })
    expect(asked).toEqual(['modern server/discover'])
    expect(outcome).toBe(refusal)
  })

  test('that was legacy before an update is found again', async () => {
    const refusal = new AnsweredError({ code: -32_022, message: 'no', data: { supported: [modernRevision] } })
    const { asked, outcome } = await shake({ initialize: refusal, 'server/discover': modern }, { knownEra: 'legacy' })
    expect(asked).toEqual(['legacy initialize', 'modern server/discover'])
    expect(outcome).toMatchObject({ era: 'modern' })
  })
})

describe('a legacy server', () => {
  test.each([
    ['does not know the method', unknownMethod],
    ['refuses it for want of a session', new AnsweredError({ code: -32_000, message: 'Not initialized' })],
    [
      'names legacy revisions only',
      new AnsweredError({ code: -32_022, message: 'no', data: { supported: ['2025-03-26'] } }),
    ],
    ['does not answer', new HubError('DOWNSTREAM_TIMEOUT', 'silent')],
    ['answers HTTP 400', new HubError('DOWNSTREAM_FAILED', 'HTTP 400')],
    ['answers nothing', null],
    ['answers an empty object', {}],
    ['answers another revision', { supportedVersions: ['2027-01-01'] }],
    ['answers in another form', { supportedVersions: modernRevision }],
  ])('is found when it %s', async (_, answer) => {
    const { asked, said, outcome } = await shake({ 'server/discover': answer, initialize: legacy })
    expect(asked).toEqual(['modern server/discover', 'legacy initialize'])
    expect(said).toEqual(['2025-06-18'])
    expect(outcome).toMatchObject({ era: 'legacy', revision: '2025-06-18', serverInfo: { name: 's', version: '1' } })
  })

  test.each([
    ['does not answer', new Promise(() => {})],
    ['answers HTTP 400', new HubError('DOWNSTREAM_FAILED', 'HTTP 400')],
    ['answers with the newer revision', { protocolVersion: modernRevision }],
  ])('that is asked in the older way and %s is asked in the newer one', async (_, answer) => {
    const { asked, outcome } = await shake({ initialize: answer, 'server/discover': modern }, { knownEra: 'legacy' })
    expect(asked).toEqual(['legacy initialize', 'modern server/discover'])
    expect(outcome).toMatchObject({ era: 'modern', revision: modernRevision })
  })

  test('that is known is not probed again', async () => {
    expect((await shake({ initialize: legacy }, { knownEra: 'legacy' })).asked).toEqual(['legacy initialize'])
  })

  test.each([
    ['no protocol revision', undefined],
    ['no protocol revision', null],
    ['no protocol revision', 'text'],
    ['no protocol revision', {}],
    ['no protocol revision', { protocolVersion: 20250618 }],
    ['revision 1.0', { protocolVersion: '1.0' }],
    ['revision 2026-07-28', { protocolVersion: '2026-07-28' }],
  ])('that answers initialize with %s is refused by name', async (said, answer) => {
    const { outcome } = await shake({ 'server/discover': unknownMethod, initialize: answer })
    expect(outcome).toBeInstanceOf(HubError)
    expect((outcome as HubError).message).toMatch(new RegExp(`^'srv' answered initialize with ${said}; Herma speaks`))
  })

  test.each([
    ['capabilities', { ...legacy, capabilities: 'all' }, { capabilities: {} }],
    ['server info', { ...legacy, serverInfo: [] }, { serverInfo: null }],
    ['instructions', { ...legacy, instructions: 5 }, { instructions: null }],
  ])('may answer with %s of the wrong form', async (_, answer, expected) => {
    expect((await shake({ initialize: answer }, { wanted: 'legacy' })).outcome).toMatchObject(expected)
  })
})

test.each([
  ['legacy', 'legacy initialize'],
  ['modern', 'modern server/discover'],
] as const)('a connector that says %s is asked in that way only', async (wanted, question) => {
  const answers = { 'server/discover': unknownMethod, initialize: unknownMethod }
  const { asked, outcome } = await shake(answers, { wanted })
  expect(asked).toEqual([question])
  expect(outcome).toBe(unknownMethod)
})

test('nobody is asked twice where nobody is', async () => {
  const { asked, outcome } = await shake({ 'server/discover': unreachable, initialize: legacy })
  expect(asked).toEqual(['modern server/discover'])
  expect(outcome).toBe(unreachable)
})

describe('a server that is slow to start', () => {
  /** A server that gives these answers after so many milliseconds; one that is missing never comes. */
  async function shakeSlowly(answers: Record<string, { afterMs: number; answer: unknown }>) {
    const asked: string[] = []
    const given: string[] = []
    const request: HandshakeOptions['request'] = (_era, method, _params, { signal, timeoutMs }) =>
      new Promise((resolve, reject) => {
        asked.push(method)
        signal?.addEventListener('abort', () => reject(new Error(`${method} was dropped`)))
        setTimeout(() => reject(new HubError('DOWNSTREAM_TIMEOUT', `${method} timed out`)), timeoutMs)
        const slow = answers[method]
        if (slow === undefined) return
        setTimeout(() => {
          given.push(method)
          if (slow.answer instanceof Error) reject(slow.answer)
          else resolve(slow.answer)
        }, slow.afterMs)
      })
    const base = { name: 'srv', wanted: 'auto', knownEra: null, capabilities: {}, timeoutMs: 30_000 } as const
    const shaken = shakeHands({ ...base, isClosed: () => false, request, initialized: () => {} })
    const outcome = shaken.catch((error: Error) => error)
    await vi.advanceTimersByTimeAsync(31_000)
    return { asked, given, outcome: await outcome }
  }

  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  test('is heard when it answers the probe late', async () => {
    const { asked, outcome } = await shakeSlowly({ 'server/discover': { afterMs: 29_000, answer: modern } })
    expect(asked).toEqual(['server/discover', 'initialize'])
    expect(outcome).toMatchObject({ era: 'modern' })
  })

  test('and refuses the older question meanwhile is heard too', async () => {
    const { outcome } = await shakeSlowly({
      'server/discover': { afterMs: 25_000, answer: modern },
      initialize: { afterMs: 5000, answer: unknownMethod },
    })
    expect(outcome).toMatchObject({ era: 'modern' })
  })

  test('and never answers the probe is asked in the older way', async () => {
    const { outcome } = await shakeSlowly({ initialize: { afterMs: 15_000, answer: legacy } })
    expect(outcome).toMatchObject({ era: 'legacy' })
  })

  test('and answers both has one handshake', async () => {
    const { given, outcome } = await shakeSlowly({
      'server/discover': { afterMs: 12_000, answer: modern },
      initialize: { afterMs: 10_000, answer: legacy },
    })
    expect(given).toEqual(['server/discover', 'initialize'])
    expect(outcome).toMatchObject({ era: 'modern' })
  })

  test('and answers nothing fails when its time is over', async () => {
    const { outcome } = await shakeSlowly({})
    expect(outcome).toMatchObject({ message: 'initialize timed out' })
  })
})
