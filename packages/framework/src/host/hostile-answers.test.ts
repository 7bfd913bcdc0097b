import { expect, test } from 'vitest'
import { z } from 'zod'
import { server } from '../server/app.ts'
import { PipeClient, textOf } from '../server/testing/pipe-client.ts'

const options = { name: 'asker', version: '1.0.0' }
const accept = { action: 'accept', content: {} }

test.each([{}, { action: 'maybe' }, { action: 'accept', content: [] }, { roots: [{}] }])(
  'an answer of a modern client that is no answer is refused (%#)',
  async (answer) => {
    const app = server(options)
      .tool('form', {}, async (_, { elicit }) => elicit('q', { message: '?', schema: z.object({}) }))
      .tool('roots', {}, async (_, { roots }) => roots())
      .tool('model', {}, async (_, { sample }) => sample('q', { messages: [], maxTokens: 1 }))
    await using client = await PipeClient.open(app, 'modern')
    for (const [tool, key] of [
      ['form', 'q'],
      ['roots', 'roots'],
      ['model', 'q'],
    ] as const) {
      const { error } = await client.call(tool, {}, { inputResponses: { [key]: answer } })
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(`'${key}'`) as string })
    }
  },
)

test('an effect that gives nothing, or has a name that objects know already, happens once', async () => {
  let effects = 0
  const app = server(options).tool('pay', {}, async (_, { once, elicit }) => {
    await once('charge', () => {
      effects++
    })
    await once('__proto__', async () => ++effects)
    const { action } = await elicit('ok', { message: '?', schema: z.object({}) })
    return action
  })
  await using client = await PipeClient.open(app, 'modern')
  const { result } = await client.call('pay')
  expect(
    textOf(await client.call('pay', {}, { requestState: result?.['requestState'], inputResponses: { ok: accept } })),
  ).toBe('accept')
  expect(effects).toBe(2)
})

test('sealed state opens for the same request only', async () => {
  const stateKeys = [new Uint8Array(32).fill(7)]
  const build = (name: string, keys = stateKeys) =>
    server({ name, version: '1.0.0', stateKeys: keys }).tool(
      'pay',
      { input: z.looseObject({}) },
      async (_, { elicit }) => (await elicit('ok', { message: '?', schema: z.object({}) })).action,
    )
  await using client = await PipeClient.open(build('bank'), 'modern')
  await using other = await PipeClient.open(build('other'), 'modern')
  await using rekeyed = await PipeClient.open(build('bank', [new Uint8Array(32).fill(8)]), 'modern')
  const first = await client.call('pay', { amount: 1 })
  const retry = { requestState: first.result?.['requestState'], inputResponses: { ok: accept } }
  expect(textOf(await client.call('pay', { amount: 1 }, retry))).toBe('accept')
  const refused = [
    await client.call('pay', { amount: 2 }, retry),
    await client.call('pay', { amount: 1 }, { ...retry, extra: true }),
    await client.call('pay', { amount: 1 }, { ...retry, requestState: 'AAAA' }),
    await other.call('pay', { amount: 1 }, retry),
    await rekeyed.call('pay', { amount: 1 }, retry),
  ]
  for (const { error } of refused) expect(error?.message).toBe('Invalid or expired requestState')
})
