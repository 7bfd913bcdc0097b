import type { HubStatus } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerAll, inputOf, ModernCaller, word } from '../fixtures/caller/modern-caller.ts'
import type { PuppetCall } from '../fixtures/puppet/puppet-call.ts'
import { puppetTransports, startPuppet, type Puppet } from '../fixtures/puppet/start-puppet.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'
import { textOf, type WireMessage } from './wire-client.ts'

let hub: TestHub
let ada: ModernCaller
const puppets: Puppet[] = []
const gates = new Map<unknown, () => void>()

/** Waits until the test opens the gate of this name, or the call is cancelled. */
function gate({ args, signal }: PuppetCall): Promise<string> {
  return new Promise((resolve) => {
    gates.set(args['gate'], () => resolve('opened'))
    signal.addEventListener('abort', () => resolve('cancelled'))
  })
}

const ended: string[] = []
const behaviours = {
  ask: (call: PuppetCall) => call.askWord(`word of ${String(call.args['of'])}`),
  async steps(call: PuppetCall) {
    const words: string[] = []
    for (let step = 1; step <= Number(call.args['count']); step++) words.push(await call.askWord(`step ${step}`))
    return words.join(' ')
  },
  async both(call: PuppetCall) {
    return (await Promise.all([call.askWord('left'), call.askWord('right')])).join(' ')
  },
  async hold(call: PuppetCall) {
    const given = await call.askWord('before')
    const outcome = await gate(call)
    ended.push(`${String(call.args['gate'])} ${outcome}`)
    return `${given} ${outcome}`
  },
  async leave(call: PuppetCall) {
    // It goes on without the answer.
    call.askWord('unheard').catch(() => undefined)
    return gate(call)
  },
  async crash(call: PuppetCall) {
    call.askWord('unheard').catch(() => undefined)
    await gate(call)
    call.session.crash()
  },
  async report(call: PuppetCall) {
    call.progress(1)
    await call.askWord('go on?')
    call.progress(2)
    return 'reported'
  },
}

beforeAll(async () => {
  hub = await startTestHub()
  ada = new ModernCaller(hub.endpoint)
  for (const transport of puppetTransports) {
    const puppet = await startPuppet({ transport, behaviours })
    puppets.push(puppet)
    await hub.add(puppet.connector(transport))
  }
})

afterAll(async () => {
  await hub?.stop()
  await Promise.all(puppets.map((puppet) => puppet.stop()))
})

async function parkedCount(of: TestHub = hub): Promise<number> {
  return ((await of.api('GET', '/api/status')).body as HubStatus).parked
}

async function metric(name: string, of: TestHub = hub): Promise<number> {
  const text = await (await fetch(`${of.url}/metrics`)).text()
  return Number(new RegExp(`^herma_${name} (\\d+)`, 'm').exec(text)?.[1])
}

function refusal({ error }: WireMessage): string {
  expect(error?.code).toBe(-32602)
  return error!.message
}

describe.each(puppetTransports)('a parked call over %s', (at) => {
  test('goes on when its client comes back, over another socket, with the answer', async () => {
    const asked = await ada.call(`${at}__ask`, { of: 'ada' })
    expect(Object.values(inputOf(asked).questions).map(({ params }) => params['message'])).toEqual(['word of ada'])
    const again = new ModernCaller(hub.endpoint)
    const retry = answerAll(asked, () => 'lovelace')
    expect(textOf({ message: await again.call(`${at}__ask`, { of: 'ada' }, retry) })).toBe('lovelace')
  })

  test('asks in as many rounds as its server does, each with a state of its own', async () => {
    let answer = await ada.call(`${at}__steps`, { count: 4 })
    const states = new Set<string>()
    for (let round = 1; round <= 4; round++) {
      states.add(inputOf(answer).requestState)
      answer = await ada.call(
        `${at}__steps`,
        { count: 4 },
        answerAll(answer, (message) => `<${message}>`),
      )
    }
    expect(textOf({ message: answer })).toBe('<step 1> <step 2> <step 3> <step 4>')
    expect(states.size).toBe(4)
  })

  test('asks what its server asks at once together, and once more for what was left out', async () => {
    let asked = await ada.call(`${at}__both`)
    const words = new Map<string, string>()
    // Both may come in one round or one after the other; each is answered once.
    for (let round = 1; round <= 2; round++) {
      const { requestState, questions } = inputOf(asked)
      const [key, { params }] = Object.entries(questions)[0]!
      words.set(String(params['message']), `w${round}`)
      asked = await ada.call(`${at}__both`, {}, { requestState, inputResponses: { [key]: word(`w${round}`) } })
    }
    expect(textOf({ message: asked })).toBe(`${words.get('left')} ${words.get('right')}`)
  })

  test('is one of many of its client, each asked and answered for itself', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `n${index}`)
    const texts = await Promise.all(
      names.map(async (of) => {
        const asked = await ada.call(`${at}__ask`, { of })
        return textOf({
          message: await ada.call(
            `${at}__ask`,
            { of },
            answerAll(asked, (message) => message),
          ),
        })
      }),
    )
    expect(texts).toEqual(names.map((name) => `word of ${name}`))
  })

  test('gives the answer that came while its client was away', async () => {
    const asked = await ada.call(`${at}__leave`, { gate: `leave ${at}` })
    gates.get(`leave ${at}`)!()
    await waitFor(async () => ((await hub.health(at)).inFlight === 0 ? true : undefined))
    const retry = answerAll(asked, () => 'late')
    expect(textOf({ message: await ada.call(`${at}__leave`, { gate: `leave ${at}` }, retry) })).toBe('opened')
  })

  test('gives the error when its server crashed meanwhile', async () => {
    const asked = await ada.call(`${at}__crash`, { gate: `crash ${at}` })
    gates.get(`crash ${at}`)!()
    await waitFor(async () => ((await hub.health(at)).inFlight === 0 ? true : undefined))
    const { error } = await ada.call(
      `${at}__crash`,
      { gate: `crash ${at}` },
      answerAll(asked, () => 'late'),
    )
    expect(error?.code).toBe(-32603)
    expect(error?.message).toContain(`'${at}'`)
  })

  test('is cancelled at its server when the client closes the stream of its retry', async () => {
    const name = `closed ${at}`
    const asked = await ada.call(`${at}__hold`, { gate: name })
    const params = { name: `${at}__hold`, arguments: { gate: name }, ...answerAll(asked, () => 'x') }
    const retry = ada.start('tools/call', params)
    await waitFor(() => gates.get(name) && true)
    retry.close()
    await waitFor(() => (ended.length > 0 ? true : undefined))
    expect(ended.splice(0)).toEqual([`${name} cancelled`])
  })

  test('reports progress to the token of the request that is open', async () => {
    const params = { name: `${at}__report`, arguments: {} }
    const first = ada.start('tools/call', params, { progressToken: 'first' })
    const retry = ada.start(
      'tools/call',
      { ...params, ...answerAll(await first.answer, () => 'yes') },
      { progressToken: 'second' },
    )
    expect(textOf({ message: await retry.answer })).toBe('reported')
    const progress = (request: typeof first) =>
      request.notes.map(({ params: told }) => [told?.['progressToken'], told?.['progress']])
    expect(progress(first)).toEqual([['first', 1]])
    expect(progress(retry)).toEqual([['second', 2]])
  })
})

describe('a requestState', () => {
  /** Whatever was tried with the state, the call that it belongs to can go on. */
  async function stillResumes(asked: WireMessage, tool = 'stream__ask'): Promise<void> {
    const message = await ada.call(
      tool,
      {},
      answerAll(asked, () => 'still here'),
    )
    expect(textOf({ message })).toContain('still here')
  }

  test('is of no use with another tool', async () => {
    const asked = await ada.call('stream__ask')
    expect(
      refusal(
        await ada.call(
          'stdio__ask',
          {},
          answerAll(asked, () => 'x'),
        ),
      ),
    ).toMatch(/another request/)
    expect(
      refusal(
        await ada.call(
          'stream__both',
          {},
          answerAll(asked, () => 'x'),
        ),
      ),
    ).toMatch(/another request/)
    await stillResumes(asked)
  })

  test('is of no use with another method', async () => {
    const asked = await ada.call('stream__ask')
    const retry = answerAll(asked, () => 'x')
    expect(refusal(await ada.request('prompts/get', { name: 'stream__ask', ...retry }))).toMatch(/another request/)
    expect(refusal(await ada.request('resources/read', { uri: 'stream__ask', ...retry }))).toMatch(/another request/)
    await stillResumes(asked)
  })

  test.each<[string, (state: string) => unknown]>([
    ['changed in the middle', (state) => state.slice(0, 40) + (state[40] === 'A' ? 'B' : 'A') + state.slice(41)],
    ['cut short', (state) => state.slice(0, -6)],
    ['without its period', (state) => state.slice(state.indexOf('.') + 1)],
    ['with the period of another day', (state) => `1${state.slice(state.indexOf('.'))}`],
    ['with something added', (state) => `${state}AAAA`],
    ['empty', () => ''],
    ['of another server', () => 'eyJzdGVwIjoxfQ'],
    ['a number', () => 7],
    ['null', () => null],
    ['an object', (state) => ({ state })],
    ['very long', (state) => state.repeat(2000)],
  ])('that is %s gets a clear error', async (_, change) => {
    const asked = await ada.call('stream__ask')
    const retry = answerAll(asked, () => 'x')
    const changed = { ...retry, requestState: change(String(retry['requestState'])) }
    expect(refusal(await ada.call('stream__ask', {}, changed))).toMatch(/changed, has expired, or is of another hub/)
    await stillResumes(asked)
  })

  test('is good for one round only', async () => {
    const asked = await ada.call('stream__steps', { count: 2 })
    const retry = answerAll(asked, () => 'first')
    const second = await ada.call('stream__steps', { count: 2 }, retry)
    expect(refusal(await ada.call('stream__steps', { count: 2 }, retry))).toMatch(/used already/)
    const answer = await ada.call(
      'stream__steps',
      { count: 2 },
      answerAll(second, () => 'second'),
    )
    expect(textOf({ message: answer })).toBe('first second')
    expect(refusal(await ada.call('stream__steps', { count: 2 }, retry))).toMatch(/used already|is over/)
  })

  test('that two retries bring at once lets one of them go on', async () => {
    const asked = await ada.call('stream__ask')
    const retries = ['one', 'two'].map((text) =>
      ada.call(
        'stream__ask',
        {},
        answerAll(asked, () => text),
      ),
    )
    const answers = await Promise.all(retries)
    const [good, bad] = [answers.filter(({ result }) => result), answers.filter(({ error }) => error)]
    expect(good).toHaveLength(1)
    expect(refusal(bad[0]!)).toMatch(/used already|is over/)
  })

  test('comes back with answers that are no results, and stays good', async () => {
    const asked = await ada.call('stream__ask')
    const { requestState, questions } = inputOf(asked)
    const [key] = Object.keys(questions)
    const bad = await ada.call('stream__ask', {}, { requestState, inputResponses: { [key!]: 'yes' } })
    expect(refusal(bad)).toContain(key)
    const none = await ada.call('stream__ask', {}, { requestState, inputResponses: { unknown: word('x') } })
    expect(Object.keys(inputOf(none).questions)).toEqual([key])
    await stillResumes(none)
  })
})

describe('the number of parked calls', () => {
  test('is told by the status and the metrics, and is zero again afterwards', async () => {
    await waitFor(async () => ((await parkedCount()) === 0 ? true : undefined))
    const rounds = await metric('parked_rounds_total')
    const asked = await Promise.all(['a', 'b'].map((of) => ada.call('stream__ask', { of })))
    expect(await parkedCount()).toBe(2)
    expect(await metric('parked_calls')).toBe(2)
    expect(await metric('parked_rounds_total')).toBe(rounds + 2)
    const resumed = await metric('parked_resumed_total')
    await Promise.all(
      asked.map((message) =>
        ada.call(
          'stream__ask',
          {},
          answerAll(message, () => 'x'),
        ),
      ),
    )
    expect(await metric('parked_resumed_total')).toBe(resumed + 2)
    await waitFor(async () => ((await parkedCount()) === 0 ? true : undefined))
  })
})
