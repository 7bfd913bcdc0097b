import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modernRevision } from '../../packages/hub/src/wire/index.ts'
import { LegacyCaller, type Answering, type LegacyOptions } from '../fixtures/caller/legacy-caller.ts'
import { everyCapability, inputOf, ModernCaller, word } from '../fixtures/caller/modern-caller.ts'
import { PuppetError, type PuppetCall } from '../fixtures/puppet/puppet-call.ts'
import { startPuppet, type Puppet } from '../fixtures/puppet/start-puppet.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'
import { textOf } from './wire-client.ts'

type Json = Record<string, unknown>

let hub: TestHub
const puppets: Puppet[] = []
/** What the modern servers were called with, in order. */
const seen: { tool: string; inputs: unknown; state: unknown }[] = []

const form = (message: string, properties: Json = { word: { type: 'string' } }) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties } },
})
const sample = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }
const needs = (inputRequests: Json | undefined, requestState?: string) => ({
  resultType: 'input_required',
  ...(inputRequests && { inputRequests }),
  ...(requestState !== undefined && { requestState }),
})
const inputsOf = ({ params }: PuppetCall) => params['inputResponses'] as Record<string, Json> | undefined
const wordIn = (answer: Json | undefined) => (answer?.['content'] as { word?: string } | undefined)?.word

/** Each shows one way of asking; what it was called with is written down. */
const asking: Record<string, (call: PuppetCall) => unknown> = {
  rounds(call) {
    const words = JSON.parse(String(call.params['requestState'] ?? '[]')) as string[]
    const given = wordIn(inputsOf(call)?.['next'])
    const known = given === undefined ? words : [...words, given]
    return known.length === 3
      ? known.join(' ')
      : needs({ next: form(`word ${known.length + 1}`) }, JSON.stringify(known))
  },
  many(call) {
    const given = inputsOf(call)
    if (given === undefined) return needs({ left: form('left'), right: form('right'), roots: { method: 'roots/list' } })
    return JSON.stringify(given)
  },
  later: ({ params }) => {
    const count = Number(params['requestState'] ?? 0)
    return count === 2 ? `waited ${count}` : needs(undefined, String(count + 1))
  },
  endless: () => needs({ again: form('again?') }, 'again'),
  url: (call) =>
    inputsOf(call) === undefined
      ? needs({ page: { method: 'elicitation/create', params: urlParams } })
      : JSON.stringify(inputsOf(call)),
  choose: (call) =>
    inputsOf(call) === undefined ? needs({ pick: form('pick', { word: titled }) }) : wordIn(inputsOf(call)!['pick']),
  think: (call) => (inputsOf(call) === undefined ? needs({ thought: sample }) : JSON.stringify(inputsOf(call))),
}
const urlParams = { mode: 'url', message: 'Sign in', url: 'https://example.com/sign-in' }
const titled = {
  type: 'string',
  oneOf: [
    { const: 'a', title: 'First' },
    { const: 'b', title: 'Second' },
  ],
}

const behaviours = Object.fromEntries(
  Object.entries(asking).map(([tool, behave]) => [
    tool,
    (call: PuppetCall) => {
      seen.push({ tool, inputs: inputsOf(call), state: call.params['requestState'] })
      return behave(call)
    },
  ]),
)

/** A legacy server whose tool wants a page opened before it runs. */
let isSignedIn = false
const legacyBehaviours = {
  guarded({ args }: PuppetCall) {
    if (isSignedIn) return `signed in, ${String(args['of'])}`
    const elicitations = args['none'] === true ? [] : [{ ...urlParams, elicitationId: 'e1' }]
    throw new PuppetError({ code: -32042, message: 'Sign in first.', data: { elicitations } })
  },
}

beforeAll(async () => {
  hub = await startTestHub()
  const modern = { revision: modernRevision, behaviours }
  for (const [name, puppet] of [
    ['http', await startPuppet({ transport: 'stream', ...modern })],
    ['local', await startPuppet({ transport: 'stdio', ...modern })],
    ['old', await startPuppet({ transport: 'stream', behaviours: legacyBehaviours })],
  ] as const) {
    puppets.push(puppet)
    await hub.add(puppet.connector(name))
  }
})

afterAll(async () => {
  await hub?.stop()
  await Promise.all(puppets.map((puppet) => puppet.stop()))
})

const connect = (answering: Answering, options: LegacyOptions = {}) =>
  LegacyCaller.connect(hub.endpoint, { capabilities: everyCapability, answering, ...options })

const countOf = (tool: string) => seen.filter((call) => call.tool === tool).length

describe.each(['http', 'local'])('a legacy client of the modern server behind %s', (at) => {
  test('is asked in as many rounds as the server wants, and its state goes back each time', async () => {
    const ada = await connect(({ params }) => word(`<${String(params['message'])}>`))
    expect(textOf({ message: await ada.call(`${at}__rounds`) })).toBe('<word 1> <word 2> <word 3>')
    expect(ada.asked).toHaveLength(3)
  })

  test('is asked several questions of one round, and each answer comes under its key', async () => {
    const ada = await connect(({ method, params }) =>
      method === 'roots/list' ? { roots: [{ uri: 'file:///ada' }] } : word(String(params['message'])),
    )
    const given = JSON.parse(textOf({ message: await ada.call(`${at}__many`) })) as Json
    expect(given).toEqual({ left: word('left'), right: word('right'), roots: { roots: [{ uri: 'file:///ada' }] } })
    expect(ada.asked.map(({ method }) => method).toSorted()).toEqual([
      'elicitation/create',
      'elicitation/create',
      'roots/list',
    ])
  })

  test('hears nothing of a server that only wants to be called again', async () => {
    const ada = await connect(() => word('unasked'))
    expect(textOf({ message: await ada.call(`${at}__later`) })).toBe('waited 2')
    expect(ada.asked).toEqual([])
  })

  test('is freed from a server that never stops asking', async () => {
    const ada = await connect(() => word('again'))
    const { error } = await ada.call(`${at}__endless`)
    expect(error?.message).toMatch(/asked for input \d+ times and was stopped/)
    expect(ada.asked.length).toBeLessThan(100)
  })

  test('that cancels while it is asked is not asked on, and the server is not called again', async () => {
    let isAsked: () => void = () => {}
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve
    })
    const ada = await connect(() => {
      isAsked()
      return new Promise(() => {})
    })
    const before = countOf('rounds')
    const { id } = ada.start('tools/call', { name: `${at}__rounds`, arguments: {} })
    await asked
    await ada.notify('notifications/cancelled', { requestId: id })
    await waitFor(() => ada.notes.find(({ method }) => method === 'notifications/cancelled'))
    await ada.request('ping')
    expect(countOf('rounds')).toBe(before + 1)
  })

  test('of 2025-11-25 gets an id with a page to open', async () => {
    const ada = await connect(() => ({ action: 'accept' }))
    expect(JSON.parse(textOf({ message: await ada.call(`${at}__url`) }))).toEqual({ page: { action: 'accept' } })
    expect(ada.asked[0]!.params).toEqual({ ...urlParams, elicitationId: expect.stringMatching(/^[\w-]{8,}$/) })
  })

  test('of 2025-06-18 gets titles the way it knows them', async () => {
    const ada = await connect(() => word('b'), { revision: '2025-06-18', capabilities: { elicitation: {} } })
    expect(textOf({ message: await ada.call(`${at}__choose`) })).toBe('b')
    expect(ada.asked[0]!.params).toEqual({
      message: 'pick',
      requestedSchema: {
        type: 'object',
        properties: { word: { type: 'string', enum: ['a', 'b'], enumNames: ['First', 'Second'] } },
      },
    })
  })

  test('of 2025-11-25 gets titles as they are', async () => {
    const ada = await connect(() => word('b'))
    await ada.call(`${at}__choose`)
    expect(ada.asked[0]!.params['requestedSchema']).toEqual({ type: 'object', properties: { word: titled } })
  })

  test('that cannot answer is not asked, and learns what it lacks', async () => {
    const ada = await connect(() => word('unasked'), { capabilities: { elicitation: {} } })
    const { error } = await ada.call(`${at}__think`)
    expect(error?.message).toContain('sampling')
    expect(ada.asked).toEqual([])
    const page = await ada.call(`${at}__url`)
    expect(page.error?.message).toContain('url')
  })

  test('that refuses ends its call, and the server is not called again', async () => {
    const ada = await connect(() => Promise.reject(new Error('not now')))
    const before = countOf('think')
    const { error } = await ada.call(`${at}__think`)
    expect(error?.message).toContain('not now')
    expect(countOf('think')).toBe(before + 1)
  })
})

describe('a legacy server that wants a page opened first', () => {
  test('makes a modern client open it, and runs the call anew when it comes back', async () => {
    const ada = new ModernCaller(hub.endpoint)
    const asked = await ada.call('old__guarded', { of: 'ada' })
    const { requestState, questions } = inputOf(asked)
    expect(Object.values(questions)).toEqual([{ method: 'elicitation/create', params: urlParams }])
    const inputResponses = Object.fromEntries(Object.keys(questions).map((key) => [key, { action: 'accept' }]))
    isSignedIn = true
    const answer = await ada.call('old__guarded', { of: 'ada' }, { requestState, inputResponses })
    isSignedIn = false
    expect(textOf({ message: answer })).toBe('signed in, ada')
    const sent = puppets[2]!.sessions.flatMap(({ received }) => received).filter((message) => 'params' in message)
    expect(JSON.stringify(sent)).not.toContain('inputResponses')
    expect(JSON.stringify(sent)).not.toContain('requestState')
  })

  test('asks again when the page was not opened', async () => {
    const ada = new ModernCaller(hub.endpoint)
    const first = inputOf(await ada.call('old__guarded'))
    const again = await ada.call('old__guarded', {}, { requestState: first.requestState, inputResponses: {} })
    expect(Object.keys(inputOf(again).questions)).toEqual(Object.keys(first.questions))
  })

  test('tells a modern client that cannot open pages what it lacks', async () => {
    const ada = new ModernCaller(hub.endpoint, { elicitation: { form: {} } })
    const { status, error } = await ada.call('old__guarded')
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } })
    expect(status).toBe(400)
  })

  test('tells a legacy client in the way of its own era', async () => {
    const ada = await connect(() => ({ action: 'accept' }))
    const { error } = await ada.call('old__guarded')
    expect(error).toEqual({
      code: -32042,
      message: 'Sign in first.',
      data: { elicitations: [{ ...urlParams, elicitationId: 'e1' }] },
    })
  })
})
