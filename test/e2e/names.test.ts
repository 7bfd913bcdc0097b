import type { Collision, HubStatus } from '@herma/contract'
import { expect, test } from 'vitest'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { createScratch, scriptedConnector } from '../fixtures/scripted-connector.ts'
import { startTestHub, type TestHub } from './start-test-hub.ts'

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
