import type { CatalogTool, Collision, HubStatus, NewApiKey } from '@herma/contract'
import { expect, test } from 'vitest'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { startPuppet } from '../fixtures/puppet/start-puppet.ts'
import { createScratch, scriptedConnector } from '../fixtures/scripted-connector.ts'
import { startTestHub, type TestHub } from './start-test-hub.ts'
import { textOf, WireClient } from './wire-client.ts'

const longName = `measure-${'the-distance-between-'.repeat(4)}points`

async function namesOf(hub: TestHub): Promise<string[]> {
  const client = await hub.connectV1()
  return (await client.listTools()).tools.map(({ name }) => name)
}

async function collisionsOf(hub: TestHub): Promise<Collision[]> {
  const { body } = await hub.api('GET', '/api/status')
  return (body as HubStatus).collisions.filter(({ kind }) => kind === 'tool')
}

async function callText(hub: TestHub, name: string): Promise<string> {
  const client = await hub.connectV1()
  const { content } = await client.callTool({ name, arguments: {} })
  return (content as { text: string }[])[0]!.text
}

test('names follow from the configuration alone: prefixes, long names, and who wins a name that two want', async () => {
  await using scratch = await createScratch()
  const home = await createTemporaryHome()
  const place = { configHome: home.path, stateHome: `${home.path}/state` }
  try {
    let before: { names: string[]; collisions: Collision[] }
    {
      await using hub = await startTestHub(place)
      const journal = scratch.file('journal')
      await hub.add(scriptedConnector('bare', journal, { args: ['--extra', 'find'], options: { prefix: '' } }))
      const tools = ['--extra', 'find', '--extra', longName, '--extra', 'dotted.name/with space']
      await hub.add(scriptedConnector('custom', journal, { args: tools, options: { prefix: 'my_own' } }))
      await hub.add(scriptedConnector('also-bare', journal, { args: ['--extra', 'find'], options: { prefix: '' } }))
      before = { names: await namesOf(hub), collisions: await collisionsOf(hub) }

      expect(before.names).toEqual(expect.arrayContaining(['find', 'my_own__find', 'also-bare__find']))
      expect(before.names).toContain('my_own__dotted_name_with_space')
      const wrong = before.names.filter((name) => !/^[A-Za-z0-9_-]{1,52}$/.test(name))
      expect(wrong).toEqual([])
      expect(new Set(before.names).size).toBe(before.names.length)
      const shortened = before.names.find((name) => name.startsWith('my_own__measure'))!
      expect(await callText(hub, shortened)).toBe(longName)
      expect(await callText(hub, 'my_own__dotted_name_with_space')).toBe('dotted.name/with space')
      expect(before.collisions).toContainEqual({
        kind: 'tool',
        wanted: 'find',
        winner: 'bare',
        loser: 'also-bare',
        exposedAs: 'also-bare__find',
      })
    }
    await using again = await startTestHub(place)
    expect({ names: await namesOf(again), collisions: await collisionsOf(again) }).toEqual(before)
    // The loser gets the name as soon as the winner gives it up, and loses it again when the winner is back.
    await again.api('PATCH', '/api/connectors/bare', { enabled: false })
    expect(await namesOf(again)).not.toContain('also-bare__find')
    expect(await collisionsOf(again)).toEqual([])
    await again.api('PATCH', '/api/connectors/bare', { enabled: true })
    expect({ names: await namesOf(again), collisions: await collisionsOf(again) }).toEqual(before)
  } finally {
    await home.remove()
  }
})

/** Names that a gateway would like to change, in one server. */
const odd = ['a.b', 'a_b', 'c.d', '日本', '中国', `${'x'.repeat(60)}.y`]

test("without a prefix names are the server's own, with one no spelling leads to another tool", async () => {
  await using scratch = await createScratch()
  const journal = scratch.file('journal')
  const args = odd.flatMap((name) => ['--extra', name])
  const two = { args: ['--extra', 'x.y'], options: { prefix: 'p' } }
  await using puppet = await startPuppet({
    transport: 'stream',
    capabilities: { prompts: {} },
    behaviours: {
      'prompts/list': () => ({ prompts: [{ name: 'a.b' }, { name: 'a_b' }] }),
      'prompts/get': ({ params }) => ({ description: params['name'], messages: [] }),
    },
  })
  await using hub = await startTestHub({
    connectors: [
      scriptedConnector('bare', journal, { args, options: { prefix: '' } }),
      scriptedConnector('files', journal, { args }),
      scriptedConnector('one', journal, two),
      scriptedConnector('other', journal, two),
      puppet.connector('prompts'),
      puppet.connector('bare-prompts', { prefix: '' }),
    ],
  })
  const names = await namesOf(hub)
  expect(new Set(names).size).toBe(names.length)
  for (const name of odd) {
    expect(names).toContain(name)
    expect(await callText(hub, name)).toBe(name)
    // The server's own name behind the prefix, whatever it was made into.
    expect(await callText(hub, `files__${name}`)).toBe(name)
  }
  const { body } = await hub.api('GET', '/api/catalog/tools')
  const given = new Map(
    (body as { tools: CatalogTool[] }).tools
      .filter(({ connector }) => connector === 'files')
      .map(({ name, originalName }) => [originalName, name!]),
  )
  for (const name of odd) {
    expect(given.get(name)).toMatch(/^[A-Za-z0-9_-]{1,52}$/)
    expect(await callText(hub, given.get(name)!)).toBe(name)
  }
  expect(given.get('a_b')).toBe('files__a_b')
  expect(given.get('c.d')).toBe('files__c_d')

  const wire = new WireClient(hub.endpoint)
  const ambiguous = await wire.requestModern('tools/call', { name: 'p__x.y', arguments: {} })
  expect(ambiguous.message!.error).toMatchObject({
    code: -32602,
    message: `"p__x.y" may be "p__x_y" of 'one' or "other__x_y" of 'other'. Use one of these names.`,
  })
  expect(textOf(await wire.requestModern('tools/call', { name: 'p__x_y', arguments: {} }))).toBe('x.y')
  for (const name of ['a:b', 'files__a:b', 'files__日', '__']) {
    const { message } = await wire.requestModern('tools/call', { name, arguments: {} })
    expect(message!.error).toMatchObject({ code: -32602, message: expect.stringMatching(/^Unknown tool/) })
  }
  for (const name of ['a.b', 'a_b', 'prompts__a.b', 'prompts__a_b']) {
    const { message } = await wire.requestModern('prompts/get', { name })
    expect(message!.result).toMatchObject({ description: name.replace('prompts__', '') })
  }

  // Rules know a tool by its name, however a client spells it.
  const rule = { effect: 'deny', description: 'no c', when: 'tool == "files__c_d"' }
  expect((await hub.api('POST', '/api/access/rules', rule)).status).toBe(201)
  const key = (await hub.api('POST', '/api/access/keys', { name: 'agent' })).body as NewApiKey
  const agent = new WireClient(hub.endpoint, { authorization: `Bearer ${key.key}` })
  expect(textOf(await agent.requestModern('tools/call', { name: 'files__a.b', arguments: {} }))).toBe('a.b')
  for (const name of ['files__c_d', 'files__c.d']) {
    const { message } = await agent.requestModern('tools/call', { name, arguments: {} })
    expect(message!.error?.message).toMatch(/no c.*denies it/)
  }
})
