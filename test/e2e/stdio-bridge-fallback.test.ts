import { beforeEach, describe, expect, test } from 'vitest'
import { createTemporaryHome, type TemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { freePort } from './start-everything.ts'
import { startHubProcess } from './start-hub-process.ts'
import { waitFor } from './start-test-hub.ts'
import { BridgeProcess, connectV1, connectV2 } from './stdio-bridge-process.ts'

let home: TemporaryHome

beforeEach(async ({ onTestFinished }) => {
  home = await createTemporaryHome()
  // Registered first, so it comes last: what runs in the folder ends before the folder goes.
  onTestFinished(() => home.remove())
})

/** A bridge that may not start a hub, where none runs. */
const alone = () => ({ folder: home.path, args: ['--no-start'] })

describe.each(['v1', 'v2 auto'] as const)('while there is no hub, a client of the kind %s', (kind) => {
  test('finds the management tool, which tells why, and hears when the hub is back', async () => {
    const client = kind === 'v1' ? await connectV1(alone()) : await connectV2(alone(), 'auto')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['manage_herma'])
    const status = await client.callTool({ name: 'manage_herma', arguments: { operation: 'status' } })
    expect(status.structuredContent).toMatchObject({ hub: 'away', error: expect.stringContaining('herma up') })
    let changes = 0
    if (kind === 'v2 auto') {
      const modern = client as Awaited<ReturnType<typeof connectV2>>
      modern.setNotificationHandler('notifications/tools/list_changed', () => void changes++)
      await modern.listen({ toolsListChanged: true })
    } else {
      client.fallbackNotificationHandler = async ({ method }) => void (changes += Number(method.includes('tools')))
    }
    await using _hub = await startHubProcess(home.path)
    await waitFor(() => (changes > 0 ? true : undefined))
    expect((await client.listTools()).tools).toEqual([])
    await expect(client.callTool({ name: 'manage_herma' })).rejects.toThrow(/Unknown tool/)
  })
})

test('a hub that cannot be started is reported with its reason, and everything else fails with it', async () => {
  const port = await freePort()
  const env = { DATABASE_URL: `postgres://user:hidden-word@127.0.0.1:${port}/none` }
  const bridge = new BridgeProcess({ folder: home.path, env, args: ['--log-level', 'debug'] })
  await bridge.initialize('2025-03-26')
  const { result } = await bridge.request('tools/call', { name: 'manage_herma', arguments: { operation: 'reconnect' } })
  expect(result).toMatchObject({ structuredContent: { hub: 'away', error: expect.stringContaining('127.0.0.1') } })
  const { error } = await bridge.request('prompts/list')
  expect(error).toMatchObject({ code: -32603, message: expect.stringContaining('127.0.0.1') })
  expect(await bridge.request('ping')).toMatchObject({ result: {} })
  expect(await bridge.close()).toBe(0)
  expect(bridge.errorText + bridge.lines.join('')).not.toContain('hidden-word')
})

test('the management tool reconnects at once', async () => {
  const bridge = new BridgeProcess(alone())
  await bridge.initialize()
  await using _hub = await startHubProcess(home.path)
  const answer = await bridge.request(
    'tools/call',
    { name: 'manage_herma', arguments: { operation: 'reconnect' } },
    'modern',
  )
  // The bridge may have found the hub by itself a moment before; then the call is the hub's.
  expect(JSON.stringify(answer)).toMatch(/The hub is running|Unknown tool/)
  expect(await bridge.request('tools/list')).toMatchObject({ result: { tools: [] } })
})
