import { describe, expect, test } from 'vitest'
import { createConnector, createHandshake, createSupervisor, TestLink } from '../testing/test-link.ts'
import { DescriptorReader } from './descriptor-reader.ts'
import { ListRefresh } from './list-refresh.ts'
import { ToolLooks, type ToolApprovals } from './tool-looks.ts'
import { TestCall } from '../testing/test-call.ts'

const approvals: ToolApprovals = { compare: () => new Map() }
const call = () => new TestCall(undefined, undefined, { name: 'a' })

/** A link that was opened and read, of a connector whose lists are good for a second. */
async function open(pinning: 'allow' | 'warn' | 'block', listRefreshMs = 1000) {
  const connector = createConnector({ pinning, listRefreshMs })
  const looks: ToolLooks = new ToolLooks({
    id: 'id',
    connector,
    approvals,
    reader: () => reader,
    onApartDiffering: () => {},
    onRemark: () => {},
  })
  const reader: DescriptorReader = new DescriptorReader({
    known: () => null,
    onRead: () => {},
    onError: () => {},
    looks: looks.isOn ? looks : undefined,
  })
  const refresh = new ListRefresh(connector, reader, looks)
  const link = new TestLink({}, connector)
  link.handshake = createHandshake('modern', { tools: {} })
  link.answers['tools/list'] = { tools: [{ name: 'a' }] }
  const supervisor = createSupervisor(() => link)
  await supervisor.get()
  looks.open(link, 'base')
  reader.open(link, 'base')
  await reader.done
  const readings = () => link.requested.filter(({ method }) => method === 'tools/list').length
  const sweep = (afterMs: number) => refresh.sweep([supervisor], reader.readAt(link)! + afterMs)
  return { link, looks, reader, refresh, supervisor, readings, sweep }
}

describe('lists of a server that says nothing', () => {
  test('are read again after a while in which it was used', async () => {
    const { link, looks, reader, supervisor, readings, sweep } = await open('block')
    supervisor.lastUsedAt = Infinity
    sweep(700)
    expect(readings()).toBe(1)
    sweep(1001)
    expect(looks.permits(link, call())).toBe(true)
    await reader.done
    expect(readings()).toBe(2)
  })

  test.each([
    ['block', false],
    ['warn', true],
    ['allow', true],
  ] as const)(
    'are not read while nobody uses it; with %s a call may go out at once: %s',
    async (pinning, isPermitted) => {
      const { link, looks, reader, supervisor, readings, sweep } = await open(pinning)
      supervisor.lastUsedAt = 0
      sweep(1001)
      sweep(100_000)
      await reader.done
      expect(readings()).toBe(1)
      expect(looks.permits(link, call())).toBe(isPermitted)
      await looks.admit(link, call())
      expect(readings()).toBe(isPermitted ? 1 : 2)
      expect(looks.permits(link, call())).toBe(true)
    },
  )

  test('are not read by themselves with 0', async () => {
    const { reader, supervisor, readings, sweep } = await open('block', 0)
    supervisor.lastUsedAt = Infinity
    sweep(86_400_000)
    await reader.done
    expect(readings()).toBe(1)
  })

  test('are read again after a hint, however many hints there are', async () => {
    const { link, looks, reader, refresh, supervisor, readings, sweep } = await open('block')
    supervisor.lastUsedAt = Infinity
    for (let count = 0; count < 5; count++) refresh.doubt(link)
    expect(looks.permits(link, call())).toBe(false)
    expect(looks.permits(link, Object.assign(call(), { method: 'prompts/get' }))).toBe(true)
    sweep(500)
    expect(readings()).toBe(1)
    sweep(1001)
    await reader.done
    expect(readings()).toBe(2)
    expect(looks.permits(link, call())).toBe(true)
  })
})
