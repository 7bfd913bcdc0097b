import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPuppet, type Puppet } from '../fixtures/puppet/start-puppet.ts'
import { startTestHub, type TestHub } from './start-test-hub.ts'
import { WireClient } from './wire-client.ts'

const capabilities = { roots: {} }
const question = { method: 'roots/list' }

let hub: TestHub
let puppets: Puppet[]

beforeAll(async () => {
  const legacy = await startPuppet({
    transport: 'stream',
    behaviours: { ask: async (call) => JSON.stringify(await call.ask('roots/list')) },
  })
  const modern = await startPuppet({
    transport: 'stream',
    revision: '2026-07-28',
    behaviours: {
      ask: ({ params }) => {
        const roots = (params['inputResponses'] as { roots?: unknown } | undefined)?.roots
        if (roots !== undefined) return JSON.stringify(roots)
        return { resultType: 'input_required', inputRequests: { roots: question }, requestState: 'waiting' }
      },
    },
  })
  puppets = [legacy, modern]
  hub = await startTestHub({ connectors: [legacy.connector('legacy'), modern.connector('modern')] })
})

afterAll(async () => {
  await hub?.stop()
  for (const puppet of puppets ?? []) await puppet.stop()
})

test.each(['legacy', 'modern'])('a legacy client is asked with params where a %s server left them out', async (era) => {
  const client = await WireClient.connect(hub.endpoint, '2025-11-25', { capabilities })
  const stream = await client.requestStream('tools/call', { name: `${era}__ask`, arguments: {} })
  const asked = await stream.next()
  expect(asked?.message).toMatchObject({ ...question, params: {} })
  stream.cut()
})

test.each(['legacy', 'modern'])('a modern client is asked with params where a %s server left them out', async (era) => {
  const client = new WireClient(hub.endpoint)
  const { message } = await client.requestModern('tools/call', { name: `${era}__ask`, arguments: {} }, capabilities)
  const { inputRequests } = message!.result as { inputRequests: Record<string, unknown> }
  expect(Object.values(inputRequests)).toEqual([{ ...question, params: {} }])
})
