import type { ConnectorPatch } from '@herma/contract'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createScratch,
  isAlive,
  readJournal,
  scriptedArgs,
  scriptedConnector,
  type Scratch,
} from '../fixtures/scripted-connector.ts'
import type { McpClient } from './mcp-client.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'

let hub: TestHub
let scratch: Scratch

beforeAll(async () => {
  scratch = await createScratch()
  hub = await startTestHub()
})

afterAll(async () => {
  await hub?.stop()
  await scratch[Symbol.asyncDispose]()
})

interface Listening {
  readonly client: McpClient
  /** Resolves with the names of the tools when the client has heard of a change since the last time. */
  hearChange(): Promise<string[]>
}

/** A legacy client hears on its GET stream, a modern one on subscriptions/listen. */
async function listen(era: 'legacy' | 'modern'): Promise<Listening> {
  let heard = 0
  const count = () => void heard++
  let client: McpClient
  if (era === 'legacy') {
    const legacy = await hub.connectV1()
    legacy.setNotificationHandler(ToolListChangedNotificationSchema, count)
    client = legacy
  } else {
    const modern = await hub.connectV2('auto')
    modern.setNotificationHandler('notifications/tools/list_changed', count)
    await modern.listen({ toolsListChanged: true })
    client = modern
  }
  return {
    client,
    async hearChange() {
      await waitFor(() => (heard > 0 ? true : undefined))
      heard = 0
      const { tools } = await client.listTools()
      return tools.map(({ name }) => name)
    },
  }
}

test.each(['legacy', 'modern'] as const)(
  'every change of a connector reaches a listening %s client at once and leaves the others alone',
  async (era) => {
    const steady = `steady-${era}`
    const moving = `moving-${era}`
    const moved = `moved-${era}`
    await hub.add(scriptedConnector(steady, scratch.file(steady)))
    const { client, hearChange } = await listen(era)
    await client.callTool({ name: `${steady}__echo`, arguments: { text: 'up' } })
    const steadyPid = (await hub.health(steady)).processId
    const underWay = client.callTool({ name: `${steady}__hold`, arguments: {} })
    await waitFor(() => readJournal(scratch.file(steady)).find(({ name }) => name === 'hold'))

    const change = async (patch: ConnectorPatch) => {
      const { status } = await hub.api('PATCH', `/api/connectors/${moving}`, patch)
      expect(status).toBe(200)
    }
    const pidOf = async () => (await hub.health(moving)).processId

    await hub.add(scriptedConnector(moving, scratch.file(moving)))
    expect(await hearChange()).toContain(`${moving}__echo`)
    const firstPid = await pidOf()

    await change({ options: { prefix: moved } })
    const renamed = await hearChange()
    expect(renamed).toContain(`${moved}__echo`)
    expect(renamed).not.toContain(`${moving}__echo`)
    expect(await pidOf()).toBe(firstPid)

    await change({ args: scriptedArgs(scratch.file(moving), '--extra', 'fresh') })
    expect(await hearChange()).toContain(`${moved}__fresh`)
    expect(await pidOf()).not.toBe(firstPid)
    await waitFor(() => (isAlive(firstPid!) ? undefined : true))

    const lastPid = await pidOf()
    await change({ enabled: false })
    expect((await hearChange()).filter((name) => name.startsWith(`${moved}__`))).toEqual([])
    await waitFor(() => (isAlive(lastPid!) ? undefined : true))
    await expect(client.callTool({ name: `${moved}__fresh`, arguments: {} })).rejects.toThrow('__fresh')

    await change({ enabled: true })
    expect(await hearChange()).toContain(`${moved}__fresh`)
    const answer = await client.callTool({ name: `${moved}__fresh`, arguments: {} })
    expect(answer['content']).toEqual([{ type: 'text', text: 'fresh' }])

    expect((await hub.api('DELETE', `/api/connectors/${moving}`)).status).toBe(204)
    expect((await hearChange()).filter((name) => name.startsWith(`${moved}__`))).toEqual([])

    expect((await hub.health(steady)).processId).toBe(steadyPid)
    await client.callTool({ name: `${steady}__release`, arguments: {} })
    expect((await underWay)['content']).toEqual([{ type: 'text', text: 'released' }])
    expect(readJournal(scratch.file(steady)).filter(({ event }) => event === 'started')).toHaveLength(1)
  },
)

test('a change of the list by the server itself reaches a listening client', async () => {
  await hub.add(scriptedConnector('growing', scratch.file('growing')))
  const { client, hearChange } = await listen('legacy')
  await client.callTool({ name: 'growing__grow', arguments: { name: 'leaf' } })
  // The connector itself may still be news.
  const names = await waitFor(async () => {
    const heard = await hearChange()
    return heard.includes('growing__leaf') ? heard : undefined
  })
  expect(names).toContain('growing__grow')
})

test('words about a connector change without touching its process or its names', async () => {
  await hub.add(scriptedConnector('described', scratch.file('described')))
  const before = await hub.health('described')
  const { status } = await hub.api('PATCH', '/api/connectors/described', { description: 'new words', notes: 'more' })
  expect(status).toBe(200)
  expect((await hub.health('described')).processId).toBe(before.processId)
})
