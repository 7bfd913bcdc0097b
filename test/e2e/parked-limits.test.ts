import type { HubStatus } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { modernRevision } from '../../packages/hub/src/wire/index.ts'
import { answerAll, inputOf, ModernCaller } from '../fixtures/caller/modern-caller.ts'
import type { PuppetCall } from '../fixtures/puppet/puppet-call.ts'
import { startPuppet, type Puppet } from '../fixtures/puppet/start-puppet.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'
import { textOf } from './wire-client.ts'

const gates = new Map<unknown, () => void>()
const outcomes = new Map<unknown, string>()

const behaviours = {
  ask: (call: PuppetCall) => call.askWord('a word'),
  /** Asks, and then ends when the test opens its gate or the call is cancelled. */
  async hold(call: PuppetCall) {
    const name = call.args['gate']
    const cancelled = new Promise<string>((resolve) => {
      call.signal.addEventListener('abort', () => {
        outcomes.set(name, 'cancelled')
        resolve('cancelled')
      })
    })
    const given = await Promise.race([call.askWord('a word'), cancelled])
    const opened = new Promise<string>((resolve) => gates.set(name, () => resolve('opened')))
    return `${given} ${await Promise.race([opened, cancelled])}`
  },
}

let puppet: Puppet

beforeAll(async () => {
  puppet = await startPuppet({ transport: 'stream', behaviours })
})

afterAll(() => puppet?.stop())

async function startHub(options: Parameters<typeof startTestHub>[0]): Promise<{ hub: TestHub; ada: ModernCaller }> {
  const hub = await startTestHub({ ...options, connectors: [puppet.connector('p')] })
  return { hub, ada: new ModernCaller(hub.endpoint) }
}

async function metric(hub: TestHub, name: string): Promise<number> {
  const text = await (await fetch(`${hub.url}/metrics`)).text()
  return Number(new RegExp(`^herma_${name} (\\d+)`, 'm').exec(text)?.[1])
}

describe('a hub that may park two calls', () => {
  let hub: TestHub
  let ada: ModernCaller

  beforeAll(async () => {
    ;({ hub, ada } = await startHub({ maxParked: 2 }))
  })
  afterAll(() => hub?.stop())

  test('refuses the question of a third, counts it, and leaves the two alone', async () => {
    const asked = [await ada.call('p__ask'), await ada.call('p__ask')]
    const third = await ada.call('p__ask')
    expect(third.error?.message).toContain('2 calls that wait for input, its limit')
    expect(await metric(hub, 'parked_refused_total')).toBe(1)
    for (const message of asked) {
      const answer = await ada.call(
        'p__ask',
        {},
        answerAll(message, () => 'fine'),
      )
      expect(textOf({ message: answer })).toBe('fine')
    }
  })

  test('has room again as soon as a call has ended', async () => {
    await waitFor(async () => ((await metric(hub, 'parked_calls')) === 0 ? true : undefined))
    for (let count = 0; count < 6; count++) {
      const asked = await ada.call('p__ask')
      const answer = await ada.call(
        'p__ask',
        {},
        answerAll(asked, () => 'fine'),
      )
      expect(textOf({ message: answer })).toBe('fine')
    }
  })

  test('counts a call that goes on after the input no longer as one that waits', async () => {
    await waitFor(async () => ((await metric(hub, 'parked_calls')) === 0 ? true : undefined))
    const asked = await ada.call('p__hold', { gate: 'counted' })
    const retry = ada.call(
      'p__hold',
      { gate: 'counted' },
      answerAll(asked, () => 'given'),
    )
    const open = await waitFor(() => gates.get('counted'))
    expect(await metric(hub, 'parked_calls')).toBe(0)
    expect(((await hub.api('GET', '/api/status')).body as HubStatus).parked).toBe(0)
    open()
    expect(textOf({ message: await retry })).toBe('given opened')
  })
})

describe('a hub that waits a second for its clients', () => {
  let hub: TestHub
  let ada: ModernCaller

  beforeAll(async () => {
    ;({ hub, ada } = await startHub({ questionMs: 1000 }))
  })
  afterAll(() => hub?.stop())

  test('cancels the call of one that does not come back at its server, and counts it', async () => {
    const asked = await ada.call('p__hold', { gate: 'expiring' })
    await waitFor(() => (outcomes.get('expiring') === 'cancelled' ? true : undefined))
    const late = await ada.call(
      'p__hold',
      { gate: 'expiring' },
      answerAll(asked, () => 'late'),
    )
    expect(late.error).toMatchObject({ code: -32602, message: expect.stringContaining('is over') })
    expect(await metric(hub, 'parked_expired_total')).toBe(1)
    expect(await metric(hub, 'parked_calls')).toBe(0)
  })

  test('lets a call that has got its input take as long as it wants', async () => {
    const asked = await ada.call('p__hold', { gate: 'long' })
    const retry = ada.call(
      'p__hold',
      { gate: 'long' },
      answerAll(asked, () => 'given'),
    )
    const open = await waitFor(() => gates.get('long'))
    // Another call that expires shows that the time is over for this one too.
    await ada.call('p__hold', { gate: 'forgotten' })
    await waitFor(() => (outcomes.get('forgotten') === 'cancelled' ? true : undefined))
    open()
    expect(textOf({ message: await retry })).toBe('given opened')
  })
})

test('a hub that stops cancels the calls that wait, and lets one end that has got its input', async () => {
  const { hub, ada } = await startHub({})
  await ada.call('p__hold', { gate: 'stopped' })
  const asked = await ada.call('p__hold', { gate: 'ending' })
  const retry = ada.call(
    'p__hold',
    { gate: 'ending' },
    answerAll(asked, () => 'given'),
  )
  const open = await waitFor(() => gates.get('ending'))
  const stopped = hub.stop()
  await waitFor(() => (outcomes.get('stopped') === 'cancelled' ? true : undefined))
  open()
  const [answer] = await Promise.allSettled([retry, stopped])
  expect(answer).toMatchObject({ status: 'fulfilled', value: { result: { content: [{ text: 'given opened' }] } } })
})

test('after a restart a parked call is over, and the state of a modern server is as good as before', async () => {
  const home = await createTemporaryHome()
  await using modern = await startPuppet({
    transport: 'stream',
    revision: modernRevision,
    behaviours: {
      greet: ({ params }) => {
        const said = params['inputResponses'] as { who?: { content: { word: string } } } | undefined
        if (said?.who !== undefined) return `${said.who.content.word} at ${String(params['requestState'])}`
        const question = { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: {} } }
        return { resultType: 'input_required', inputRequests: { who: question }, requestState: 'step 1' }
      },
    },
  })
  const homes = { configHome: home.path, stateHome: `${home.path}/state` }
  const before = await startTestHub({ ...homes, connectors: [puppet.connector('p'), modern.connector('m')] })
  const ada = new ModernCaller(before.endpoint)
  const parked = await ada.call('p__ask')
  const through = await ada.call('m__greet')
  expect(inputOf(through).requestState).not.toContain('step 1')
  await before.stop()
  await using after = await startTestHub(homes)
  const again = new ModernCaller(after.endpoint)
  const lost = await again.call(
    'p__ask',
    {},
    answerAll(parked, () => 'x'),
  )
  expect(lost.error).toMatchObject({ code: -32602, message: expect.stringContaining('Send the request again') })
  const greeted = await again.call(
    'm__greet',
    {},
    answerAll(through, () => 'ada'),
  )
  expect(textOf({ message: greeted })).toBe('ada at step 1')
  await after.stop()
  await home.remove()
})

describe('a call with a limit on silence', () => {
  let hub: TestHub
  let asking: Puppet

  beforeAll(async () => {
    asking = await startPuppet({
      transport: 'stdio',
      behaviours: {
        ask: (call) => call.askWord('a word'),
        twice: async (call) => (await Promise.all([call.askWord('one'), call.askWord('two')])).join(' '),
      },
    })
    hub = await startTestHub({ connectors: [asking.connector('quick', { requestTimeoutMs: 700 })] })
  })
  afterAll(async () => {
    await hub?.stop()
    await asking?.stop()
  })

  /** Longer than the limit and the time between two looks at it. */
  const aWhile = () => new Promise((resolve) => setTimeout(resolve, 2000))

  test.each([0, 1])('is not silent while its client thinks, with %i reports of progress meanwhile', async (reports) => {
    const ada = new ModernCaller(hub.endpoint)
    const asked = await ada.request('tools/call', { name: 'quick__ask' }, { progressToken: 1 })
    const running = asking.sessions.flatMap(({ calls }) => [...calls.values()])
    for (let report = 1; report <= reports; report++) for (const call of running) call.progress(report)
    await aWhile()
    expect(
      textOf({
        message: await ada.call(
          'quick__ask',
          {},
          answerAll(asked, () => 'w'),
        ),
      }),
    ).toBe('w')
  })

  test('is not silent while one of two questions is still open', async () => {
    const ada = new ModernCaller(hub.endpoint)
    const asked = await ada.call('quick__twice')
    const { requestState, inputResponses } = answerAll(asked, (message) => message)
    const [first] = Object.entries(inputResponses as object)
    const rest = await ada.call('quick__twice', {}, { requestState, inputResponses: Object.fromEntries([first!]) })
    await aWhile()
    const answer = await ada.call(
      'quick__twice',
      {},
      answerAll(rest, (message) => message),
    )
    expect(textOf({ message: answer })).toBe('one two')
  })
})
