import type { ConnectorInput } from '@herma/contract'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createScratch, readJournal, scriptedConnector, type Scratch } from '../fixtures/scripted-connector.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'

let hub: TestHub
let scratch: Scratch
let client: Client

beforeAll(async () => {
  scratch = await createScratch()
  hub = await startTestHub()
  client = await hub.connectV1()
})

afterAll(async () => {
  await hub?.stop()
  await scratch[Symbol.asyncDispose]()
})

async function add(name: string, rest: Partial<ConnectorInput>): Promise<void> {
  await hub.add(scriptedConnector(name, scratch.file(name), rest))
}

async function call(name: string, args: Record<string, unknown> = {}): Promise<string> {
  const result = (await client.callTool({ name, arguments: args })) as { content: { text: string }[] }
  return result.content[0]!.text
}

const count = (name: string, isMeant: (entry: { event: string; name?: string }) => boolean) =>
  readJournal(scratch.file(name)).filter(isMeant).length
const untilCalled = (name: string, tool: string) =>
  waitFor(() => (count(name, (entry) => entry.event === 'call' && entry.name === tool) > 0 ? true : undefined))

describe('an answer over the limit of its server', () => {
  test('fails its own call, wherever its id stands, and nobody else', async () => {
    await add('large', { options: { maxMessageBytes: 100_000 } })
    const held = call('large__hold')
    await untilCalled('large', 'hold')
    const { processId } = await hub.health('large')
    for (const id of ['first', 'last']) {
      await expect(call('large__big', { bytes: 5_000_000, id })).rejects.toThrow(
        /'large' sent 50\d{5} bytes in one message, more than 100000\. Raise it with: herma edit large/,
      )
    }
    // Without an id it may be for either; once one of them is answered it is clear.
    const nameless = expect(call('large__big', { bytes: 200_000, id: 'none' })).rejects.toThrow('in one message')
    expect(await call('large__release')).toBe('1')
    expect(await held).toBe('released')
    await nameless
    const health = await hub.health('large')
    expect(health).toMatchObject({ processId, restartCount: 0 })
  })
})

describe('a silent call', () => {
  test('of a server that answers pings is waited for', async () => {
    await add('pinged', { options: { requestTimeoutMs: 700 } })
    const held = call('pinged__hold')
    await waitFor(() => (count('pinged', ({ event }) => event === 'ping') >= 4 ? true : undefined))
    expect(await call('pinged__release')).toBe('1')
    expect(await held).toBe('released')
  })

  test('of a server that answers nothing at all ends', async () => {
    await add('frozen', { options: { requestTimeoutMs: 700 } })
    const failure = expect(call('frozen__hold')).rejects.toThrow(
      "'frozen' was silent for 700 ms. The call may have run.",
    )
    await untilCalled('frozen', 'hold')
    const { processId } = await hub.health('frozen')
    process.kill(processId!, 'SIGSTOP')
    await failure
    process.kill(processId!, 'SIGCONT')
  })
})

describe('a list that changes', () => {
  test('has its new tool for whoever calls it at once', async () => {
    // So many pages that the list is still being read when the call comes.
    await add('growing', { args: ['--tools', '300', '--page', '1'], options: { isolation: 'single' } })
    for (const name of ['one', 'two', 'three']) {
      expect(await call('growing__grow', { name })).toBe('grown')
      expect(await call(`growing__${name}`)).toBe(name)
    }
    await expect(call('growing__none')).rejects.toThrow('Unknown tool')
  })
})
