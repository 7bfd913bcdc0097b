import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LegacyCaller } from '../fixtures/caller/legacy-caller.ts'
import { everyCapability, inputOf, ModernCaller, word } from '../fixtures/caller/modern-caller.ts'
import type { PuppetCall } from '../fixtures/puppet/puppet-call.ts'
import { startPuppet, type Puppet, type PuppetOptions } from '../fixtures/puppet/start-puppet.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'
import { textOf, type WireMessage } from './wire-client.ts'

let hub: TestHub
const opened: Puppet[] = []
const gates = new Map<unknown, () => void>()

const behaviours = {
  /** Asks its owner, and shows whose word it got. */
  ask: (call: PuppetCall) => call.askWord(`for ${String(call.args['owner'])}`),
  async pause(call: PuppetCall) {
    await sleep(Number(call.args['ms'] ?? 0))
    return `paused ${String(call.args['owner'])}`
  },
  both: async (call: PuppetCall) => (await Promise.all([behaviours.ask(call), behaviours.ask(call)])).join(' '),
  /** Ends without waiting for the answer. */
  async leave(call: PuppetCall) {
    behaviours.ask(call).catch(() => undefined)
    return 'left'
  },
  hold: (call: PuppetCall) => new Promise((resolve) => gates.set(call.args['gate'], () => resolve('opened'))),
  /** Does not care that it was cancelled, and asks when the gate opens. */
  async stubborn(call: PuppetCall) {
    await new Promise<void>((resolve) => gates.set(call.args['gate'], resolve))
    return behaviours.ask(call)
  },
}

beforeAll(async () => {
  hub = await startTestHub()
})

afterAll(async () => {
  await hub?.stop()
  await Promise.all(opened.map((puppet) => puppet.stop()))
})

async function addPuppet(name: string, options: PuppetOptions, own?: object): Promise<Puppet> {
  const puppet = await startPuppet({ behaviours, ...options })
  opened.push(puppet)
  await hub.add(puppet.connector(name, own))
  return puppet
}

/** A client of either era that answers questions with its own name. */
interface Person {
  readonly name: string
  /** The messages of the questions it was asked. */
  readonly asked: string[]
  call(tool: string, args?: object): Promise<WireMessage>
}

function meetModern(name: string): Person {
  const caller = new ModernCaller(hub.endpoint)
  const asked: string[] = []
  return {
    name,
    asked,
    async call(tool, args) {
      const own = { owner: name, ...args }
      let answer: WireMessage = await caller.call(tool, own)
      while (answer.result?.['resultType'] === 'input_required') {
        const { requestState, questions } = inputOf(answer)
        asked.push(...Object.values(questions).map(({ params }) => String(params['message'])))
        const inputResponses = Object.fromEntries(Object.keys(questions).map((key) => [key, word(name)]))
        answer = await caller.call(tool, own, { requestState, inputResponses })
      }
      return answer
    },
  }
}

async function meetLegacy(name: string): Promise<Person & { caller: LegacyCaller }> {
  const asked: string[] = []
  const caller = await LegacyCaller.connect(hub.endpoint, {
    capabilities: everyCapability,
    answering: ({ params }) => {
      asked.push(String(params['message']))
      return word(name)
    },
  })
  return { name, asked, caller, call: (tool, args) => caller.call(tool, { owner: name, ...args }) }
}

const ways: [string, PuppetOptions, object?][] = [
  ['stdio', { transport: 'stdio' }],
  ['sse', { transport: 'sse' }],
  ['stream-get', { transport: 'stream', asksOn: 'get' }],
  ['stream-post', { transport: 'stream', asksOn: 'post' }],
  ['stdio-single', { transport: 'stdio' }, { isolation: 'single' }],
]

describe.each(ways)('with a server behind %s', (at, options, own) => {
  beforeAll(async () => {
    await addPuppet(at, options, own)
  })

  test('once it is known to ask, a question reaches the client whose call it is while another one has a call', async () => {
    const [ada, grace] = [meetModern('ada'), await meetLegacy('grace')]
    expect(textOf({ message: await grace.call(`${at}__ask`) })).toBe('grace')
    const asking = grace.call(`${at}__stubborn`, { gate: `${at} first` })
    const ask = await waitFor(() => gates.get(`${at} first`))
    const holding = ada.call(`${at}__hold`, { gate: at })
    ask()
    expect(textOf({ message: await asking })).toBe('grace')
    const open = await waitFor(() => gates.get(at))
    open()
    expect(textOf({ message: await holding })).toBe('opened')
    expect(grace.asked).toEqual(['for grace', 'for grace'])
    expect(ada.asked).toEqual([])
  })

  test('a question outlives another call of the same client', async () => {
    let answer: (name: string) => void = () => {}
    const thought = new Promise<string>((resolve) => {
      answer = resolve
    })
    const grace = await LegacyCaller.connect(hub.endpoint, {
      capabilities: everyCapability,
      answering: async () => word(await thought),
    })
    const asking = grace.call(`${at}__stubborn`, { owner: 'grace', gate: `${at} asking` })
    const ask = await waitFor(() => gates.get(`${at} asking`))
    const holding = grace.call(`${at}__hold`, { gate: `${at} holding` })
    const open = await waitFor(() => gates.get(`${at} holding`))
    ask()
    await waitFor(() => (grace.asked.length > 0 ? true : undefined))
    open()
    expect(textOf({ message: await holding })).toBe('opened')
    answer('grace')
    expect(textOf({ message: await asking })).toBe('grace')
  })

  test.each([1, 2, 3])('everybody is asked for his own calls only, in any order (seed %i)', async (seed) => {
    const random = createRandom(seed)
    const people = [
      meetModern('ada'),
      await meetLegacy('grace'),
      meetModern('edith'),
      await meetLegacy('joan'),
      meetModern('mary'),
    ]
    const calls = people.map(async (person) => {
      const texts: { person: string; asks: boolean; text: string }[] = []
      for (let count = 0; count < 8; count++) {
        const asks = random() < 0.6
        await sleep(Math.floor(random() * 12))
        const message = await person.call(`${at}__${asks ? 'ask' : 'pause'}`, { ms: Math.floor(random() * 8) })
        texts.push({ person: person.name, asks, text: textOf({ message }) })
      }
      return texts
    })
    for (const { person, asks, text } of (await Promise.all(calls)).flat())
      expect(text).toBe(asks ? person : `paused ${person}`)
    for (const { name, asked } of people)
      expect(new Set(asked)).toEqual(new Set(asked.length > 0 ? [`for ${name}`] : []))
    await waitFor(async () => ((await hub.health(at)).inFlight === 0 ? true : undefined))
  })
})

describe('what cannot be told apart', () => {
  test('is refused with a clear error, and nobody is asked', async () => {
    const puppet = await addPuppet('apart', { transport: 'stdio' })
    const [ada, grace] = [meetModern('ada'), await meetLegacy('grace')]
    const calls = [ada, grace].map((person, index) => person.call('apart__stubborn', { gate: `apart ${index}` }))
    const open = await Promise.all([0, 1].map((index) => waitFor(() => gates.get(`apart ${index}`))))
    expect(puppet.sessions.filter(({ calls: running }) => running.size > 0)).toHaveLength(1)
    for (const ask of open) ask()
    const answers = await Promise.all(calls)
    expect(answers.some(({ error }) => error !== undefined)).toBe(true)
    // When one is refused and ends, the other question can only belong to the call that is left.
    for (const [index, message] of answers.entries()) {
      const outcome = message.error?.message ?? textOf({ message })
      expect(outcome).toMatch(new RegExp(`cannot tell which client|^${['ada', 'grace'][index]}$`))
    }
    for (const { name, asked } of [ada, grace]) for (const text of asked) expect(text).toBe(`for ${name}`)
  })

  test.each(['both'])('is not put to the other client when the call that asks ends (%s)', async (tool) => {
    await addPuppet(`${tool}-ends`, { transport: 'stdio' })
    const [ada, grace] = [meetModern('ada'), await meetLegacy('grace')]
    const holding = ada.call(`${tool}-ends__hold`, { gate: tool })
    const open = await waitFor(() => gates.get(tool))
    await grace.call(`${tool}-ends__${tool}`)
    // The hub has dealt with the questions when it has dealt with what came after them.
    await grace.call(`${tool}-ends__pause`)
    open()
    expect(textOf({ message: await holding })).toBe('opened')
    expect(ada.asked).toEqual([])
  })

  test('is not put to the next client of a link whose last call was given up', async () => {
    const puppet = await addPuppet('given-up', { transport: 'stdio' })
    const [ada, grace] = [meetModern('ada'), await meetLegacy('grace')]
    expect(textOf({ message: await grace.call('given-up__ask') })).toBe('grace')
    const asking = grace.caller.start('tools/call', {
      name: 'given-up__stubborn',
      arguments: { owner: 'grace', gate: 'stubborn' },
    })
    const ask = await waitFor(() => gates.get('stubborn'))
    await grace.caller.notify('notifications/cancelled', { requestId: asking.id })
    await waitFor(() => (puppet.sessions.some(({ cancelled }) => cancelled.length > 0) ? true : undefined))
    const holding = ada.call('given-up__hold', { gate: 'given-up' })
    const open = await waitFor(() => gates.get('given-up'))
    ask()
    // The hub has dealt with the question when it has dealt with what came after it.
    await ada.call('given-up__pause')
    open()
    expect(textOf({ message: await holding })).toBe('opened')
    expect(ada.asked).toEqual([])
  })
})

describe('calls that wait for a server that asks one client at a time', () => {
  let puppet: Puppet

  beforeAll(async () => {
    puppet = await addPuppet('line', { transport: 'stdio' }, { isolation: 'single' })
    const first = await meetLegacy('first')
    await first.call('line__ask')
  })

  test('run once each, in the order that they came, but for those that were cancelled', async () => {
    const people = [meetModern('ada'), await meetLegacy('grace'), meetModern('edith'), await meetLegacy('joan')]
    const before = puppet.sessions.flatMap(({ received }) => received).length
    const holding = people[0]!.call('line__hold', { gate: 'line' })
    const open = await waitFor(() => gates.get('line'))
    const waiting: Promise<WireMessage>[] = []
    const quitters = [await meetLegacy('quitter'), await meetLegacy('leaver')]
    const quitting = quitters.map(({ caller }) =>
      caller.start('tools/call', { name: 'line__pause', arguments: { owner: 'quitter' } }),
    )
    await inLine(3)
    for (const [index, person] of people.slice(1).entries()) {
      waiting.push(person.call('line__pause'))
      await inLine(4 + index)
    }
    await quitters[0]!.caller.notify('notifications/cancelled', { requestId: quitting[0]!.id })
    await quitters[1]!.caller.close()
    await inLine(4)
    open()
    expect(textOf({ message: await holding })).toBe('opened')
    const texts = (await Promise.all(waiting)).map((message) => textOf({ message }))
    expect(texts).toEqual(['paused grace', 'paused edith', 'paused joan'])
    const received = puppet.sessions.flatMap(({ received: all }) => all).slice(before)
    const ran = received.flatMap((message) =>
      'method' in message && message.method === 'tools/call'
        ? [(message.params!['arguments'] as { owner: string }).owner]
        : [],
    )
    expect(ran).toEqual(['ada', 'grace', 'edith', 'joan'])
  })

  async function inLine(count: number): Promise<void> {
    await waitFor(async () => ((await hub.health('line')).inFlight === count ? true : undefined))
  }
})

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** The same numbers for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
