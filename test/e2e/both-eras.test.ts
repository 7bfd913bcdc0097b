import type * as v2 from '@modelcontextprotocol/client'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modernRevision } from '../../packages/hub/src/wire/index.ts'
import { askingConnector, startAskingServer } from '../fixtures/asking-connector.ts'
import { startPuppet } from '../fixtures/puppet/start-puppet.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'

// Servers of both eras: what they ask must reach every client as it would without the hub.

const capabilities = { sampling: {}, elicitation: { form: {} }, roots: {} }
let hub: TestHub
let remote: Awaited<ReturnType<typeof startAskingServer>>

beforeAll(async () => {
  remote = await startAskingServer()
  hub = await startTestHub({
    connectors: [
      askingConnector('local'),
      askingConnector('newer', { era: 'modern' }),
      { name: 'remote', transport: 'stream', baseUrl: remote.url },
    ],
  })
})

afterAll(async () => {
  await hub?.stop()
  await remote?.[Symbol.asyncDispose]()
})

interface Person {
  call(tool: string): Promise<string>
}

async function meetLegacy(name: string): Promise<Person> {
  const client: Client = await hub.connectV1(capabilities)
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name } }))
  client.setRequestHandler(CreateMessageRequestSchema, () => sampled(name))
  client.setRequestHandler(ListRootsRequestSchema, () => rootsOf(name))
  return { call: (tool) => textOf(client.callTool({ name: tool, arguments: {} })) }
}

async function meetModern(name: string): Promise<Person> {
  const client: v2.Client = await hub.connectV2('auto', capabilities)
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name } }))
  client.setRequestHandler('sampling/createMessage', () => sampled(name))
  client.setRequestHandler('roots/list', () => rootsOf(name))
  return { call: (tool) => textOf(client.callTool({ name: tool, arguments: {} })) }
}

const sampled = (name: string) => ({
  model: 'm',
  role: 'assistant' as const,
  content: { type: 'text' as const, text: `${name} thinks` },
})
const rootsOf = (name: string) => ({ roots: [{ uri: `file:///home/${name}` }] })

async function textOf(call: Promise<unknown>): Promise<string> {
  const { content } = (await call) as { content: { text: string }[] }
  return content.map(({ text }) => text).join('\n')
}

async function eraOf(person: Person, connector: string): Promise<unknown> {
  return (JSON.parse(await person.call(`${connector}__who`)) as { era: unknown }).era
}

describe.each([
  ['a legacy client', 'local', meetLegacy],
  ['a modern client', 'local', meetModern],
  ['a legacy client', 'remote', meetLegacy],
] as const)('%s of the server of both eras behind %s', (_, connector, meet) => {
  test('is asked for a form, for its model and for its roots', async () => {
    const ada = await meet('ada')
    expect(await ada.call(`${connector}__ask`)).toBe('accept ada')
    expect(await ada.call(`${connector}__sample`)).toContain('ada thinks')
    expect(await ada.call(`${connector}__roots`)).toBe('file:///home/ada')
    expect(await eraOf(ada, connector)).toBe('legacy')
  })
})

test('over HTTP each client reaches the server in its own era', async () => {
  const [ada, grace] = [await meetLegacy('ada'), await meetModern('grace')]
  expect(await eraOf(ada, 'remote')).toBe('legacy')
  expect(await eraOf(grace, 'remote')).toBe('modern')
  // As without the hub: in the newer era nothing can be asked in the middle of a call.
  expect(await grace.call('remote__ask')).toContain('2026-07-28')
})

test('over stdio there is one process, of the older era', async () => {
  const { era, revision, processes } = await hub.health('local')
  expect({ era, revision }).toEqual({ era: 'legacy', revision: '2025-11-25' })
  expect(processes).toHaveLength(1)
})

test('the option era chooses the newer one, for as long as it says so', async () => {
  expect((await hub.health('newer')).era).toBe('modern')
  const ada = await meetLegacy('ada')
  expect(await eraOf(ada, 'newer')).toBe('modern')
  await hub.api('PATCH', '/api/connectors/newer', { options: { era: 'auto' } })
  expect(await eraOf(ada, 'newer')).toBe('legacy')
})

test('a server of the newer era only is found by its refusal, and asked in its way from then on', async () => {
  await using puppet = await startPuppet({
    transport: 'stdio',
    revision: modernRevision,
    behaviours: { echo: () => 'heard' },
  })
  const view = await hub.add(puppet.connector('only-newer'))
  expect(view.health.era).toBe('modern')
  const methods = (index: number) =>
    puppet.sessions[index]!.received.flatMap((message) => ('method' in message ? [message.method] : [])).slice(0, 2)
  expect(methods(0)).toEqual(['initialize', 'server/discover'])
  for (const enabled of [false, true]) await hub.api('PATCH', '/api/connectors/only-newer', { enabled })
  const ada = await meetLegacy('ada')
  expect(await ada.call('only-newer__echo')).toBe('heard')
  await waitFor(() => (puppet.sessions.length > 1 ? true : undefined))
  expect(methods(1)[0]).toBe('server/discover')
  await hub.api('DELETE', '/api/connectors/only-newer')
})
