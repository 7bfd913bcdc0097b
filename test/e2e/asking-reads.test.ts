import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modernRevision } from '../../packages/hub/src/wire/index.ts'
import { LegacyCaller } from '../fixtures/caller/legacy-caller.ts'
import { answerAll, everyCapability, inputOf, ModernCaller, word } from '../fixtures/caller/modern-caller.ts'
import { PuppetError, type PuppetCall } from '../fixtures/puppet/puppet-call.ts'
import { startPuppet, type Puppet } from '../fixtures/puppet/start-puppet.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'

type Json = Record<string, unknown>

let hub: TestHub
const puppets: Puppet[] = []

const shared = { uri: 'puppet://shared', name: 'shared' }
const lists = {
  'prompts/list': () => ({ prompts: [{ name: 'greet' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'puppet://{name}', name: 'any' }] }),
}
const capabilities = { prompts: {}, resources: {}, tools: { listChanged: true } }
const contents = (text: string) => ({ contents: [{ ...shared, text }] })
const messages = (text: string) => ({ messages: [{ role: 'user', content: { type: 'text', text } }] })

/** Could have the resource, and does not. */
const empty = {
  ...lists,
  'resources/read': () => {
    throw new PuppetError({ code: -32002, message: 'Resource not found' })
  },
}

const legacy = {
  ...lists,
  'resources/read': async (call: PuppetCall) => contents(await call.askWord('to read')),
  'prompts/get': async (call: PuppetCall) => messages(await call.askWord('to greet')),
}

/** Asks twice, each time with a state of its own. */
const inRounds =
  (show: (text: string) => object) =>
  ({ params }: PuppetCall) => {
    const step = Number(params['requestState'] ?? 0)
    const given = params['inputResponses'] as { next?: { content: { word: string } } } | undefined
    if (step === 2) return show(`${given?.next?.content.word} after ${step}`)
    const question = { method: 'elicitation/create', params: { message: `step ${step}`, requestedSchema: {} } }
    return { resultType: 'input_required', inputRequests: { next: question }, requestState: String(step + 1) }
  }

const modern = {
  ...lists,
  'resources/read': inRounds(contents),
  'prompts/get': inRounds(messages),
  tool: inRounds((text) => ({ content: [{ type: 'text', text }] })),
}

async function add(name: string, behaviours: Record<string, (call: PuppetCall) => unknown>, revision?: string) {
  const puppet = await startPuppet({ transport: 'stream', behaviours, capabilities, ...(revision && { revision }) })
  puppets.push(puppet)
  await hub.add(puppet.connector(name))
  return puppet
}

beforeAll(async () => {
  hub = await startTestHub()
  // The first one that is asked for the resource does not have it.
  await add('empty', empty)
})

afterAll(async () => {
  await hub?.stop()
  await Promise.all(puppets.map((puppet) => puppet.stop()))
})

const people = {
  modern: async (method: string, params: Json) => {
    const ada = new ModernCaller(hub.endpoint)
    let answer = await ada.request(method, params)
    const asked: string[] = []
    while (answer.result?.['resultType'] === 'input_required') {
      for (const { params: question } of Object.values(inputOf(answer).questions))
        asked.push(String(question['message']))
      answer = await ada.request(method, { ...params, ...answerAll(answer, () => 'said') })
    }
    return { text: JSON.stringify(answer.result ?? answer.error), asked }
  },
  legacy: async (method: string, params: Json) => {
    const ada = await LegacyCaller.connect(hub.endpoint, {
      capabilities: everyCapability,
      answering: () => word('said'),
    })
    const { result, error } = await ada.request(method, params)
    return {
      text: JSON.stringify(result ?? error),
      asked: ada.asked.map(({ params: question }) => question['message']),
    }
  },
}

describe.each(['modern', 'legacy'] as const)('a %s client', (era) => {
  test.each([
    ['legacy', legacy, undefined, { read: ['to read'], get: ['to greet'], text: 'said' }],
    ['modern', modern, modernRevision, { read: ['step 0', 'step 1'], get: ['step 0', 'step 1'], text: 'said after 2' }],
  ])('is asked by a %s server that it reads from or gets a prompt of', async (kind, behaviours, revision, expected) => {
    const name = `${era}-${kind}`
    await add(name, behaviours, revision)
    const read = await people[era]('resources/read', { uri: shared.uri })
    expect(read.asked).toEqual(expected.read)
    expect(read.text).toContain(expected.text)
    const got = await people[era]('prompts/get', { name: `${name}__greet`, arguments: {} })
    expect(got.asked).toEqual(expected.get)
    expect(got.text).toContain(expected.text)
    await hub.api('DELETE', `/api/connectors/${name}`)
  })
})

describe('a modern client that comes back to a modern server', () => {
  test('finds the tool gone when it is', async () => {
    const puppet = await add('fading', modern, modernRevision)
    const ada = new ModernCaller(hub.endpoint)
    const asked = await ada.call('fading__tool')
    puppet.script.tools.length = 0
    for (const session of puppet.sessions) session.tell('notifications/tools/list_changed', {})
    await waitFor(async () => {
      const { result } = await ada.request('tools/list')
      return JSON.stringify(result).includes('fading__tool') ? undefined : true
    })
    const { error } = await ada.call(
      'fading__tool',
      {},
      answerAll(asked, () => 'said'),
    )
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('fading__tool') })
    const names = puppet.sessions.flatMap(({ received }) =>
      received.flatMap((message) => ('params' in message ? [message.params?.['name']] : [])),
    )
    expect(names).not.toContain('fading__tool')
  })

  test('finds the connector gone when it is', async () => {
    await add('leaving', modern, modernRevision)
    const ada = new ModernCaller(hub.endpoint)
    const asked = await ada.call('leaving__tool')
    await hub.api('DELETE', '/api/connectors/leaving')
    const { error } = await ada.call(
      'leaving__tool',
      {},
      answerAll(asked, () => 'said'),
    )
    expect(error?.message).toMatch(/disabled|Unknown tool/)
  })
})
