import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Events, type HubEvent } from '../../platform/events.ts'
import { createLog } from '../../platform/log.ts'
import { openTestStore, storeKinds, type TestStore } from '../../platform/testing/test-store.ts'
import { OutputAdapter } from './output-adapter.ts'
import { SchemaStatusStore } from './store.ts'

const files = { id: 'id-of-files', name: 'files' }
const tool = {
  name: 'read',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}
const right = { content: [], structuredContent: { text: 'a' } }
const wrong = { content: [], structuredContent: { text: 5 } }
const textOnly = { content: [{ type: 'text', text: 'a' }] }

describe.each(storeKinds)('output schemas that do not hold, in the %s store', (kind) => {
  let opened: TestStore
  let events: HubEvent[]
  const adapters: OutputAdapter[] = []

  beforeAll(async () => {
    opened = await openTestStore(kind)
  })
  beforeEach(async () => {
    await opened.store.pool.query('truncate schema_status')
    return async () => {
      for (const adapter of adapters.splice(0)) await adapter.stop()
    }
  })
  afterAll(() => opened?.close())

  async function openAdapter(): Promise<OutputAdapter> {
    const bus = new Events()
    events = []
    bus.listen((event) => events.push(event))
    const store = new SchemaStatusStore(opened.store.db)
    const adapter = new OutputAdapter({ store, events: bus, log: createLog('silent') })
    await adapter.start()
    adapters.push(adapter)
    return adapter
  }

  test('are left alone while the server answers as it says', async () => {
    const adapter = await openAdapter()
    expect(adapter.observe(files, tool, right)).toBe(false)
    expect(adapter.observe(files, tool, { content: [], isError: true })).toBe(false)
    expect(adapter.adapt(files.id, tool)).toEqual({ descriptor: tool, status: null })
    expect(adapter.adapt(files.id, tool).descriptor).toBe(tool)
  })

  test('are taken away after the first answer without structured content', async () => {
    const adapter = await openAdapter()
    expect(adapter.observe(files, tool, textOnly)).toBe(true)
    expect(adapter.adapt(files.id, tool)).toEqual({
      descriptor: { name: 'read', inputSchema: { type: 'object' } },
      status: {
        state: 'adapted',
        changes: [{ path: 'outputSchema', what: 'removed: the result has no structuredContent' }],
      },
    })
    expect(events).toMatchObject([{ kind: 'tool.adapted', connector: 'files', data: { tool: 'read' } }])
    expect(adapter.wants(files.id, tool)).toBe(false)
    expect(adapter.observe(files, tool, textOnly)).toBe(false)
  })

  test('become any object after an answer of another shape, and go when even that does not hold', async () => {
    const adapter = await openAdapter()
    expect(adapter.observe(files, tool, wrong)).toBe(true)
    expect(adapter.adapt(files.id, tool)).toMatchObject({
      descriptor: { outputSchema: { type: 'object' } },
      status: { changes: [{ what: 'replaced by any object: structuredContent.text is number, not string' }] },
    })
    expect(adapter.observe(files, tool, wrong)).toBe(false)
    expect(adapter.observe(files, tool, textOnly)).toBe(true)
    expect(adapter.adapt(files.id, tool).descriptor).not.toHaveProperty('outputSchema')
  })

  test('are remembered over a restart, and believed again once the server describes its tool anew', async () => {
    const first = await openAdapter()
    first.observe(files, tool, textOnly)
    await first.stop()
    const second = await openAdapter()
    expect(second.adapt(files.id, tool).status?.state).toBe('adapted')
    const renewed = { ...tool, description: 'New.' }
    expect(second.adapt(files.id, renewed)).toEqual({ descriptor: renewed, status: null })
    await second.stop()
    expect((await openAdapter()).adapt(files.id, tool).status).toBeNull()
  })

  test('are forgotten with their connector', async () => {
    const adapter = await openAdapter()
    adapter.observe(files, tool, textOnly)
    adapter.observe({ id: 'other', name: 'other' }, { ...tool, name: 'na\0me' }, textOnly)
    adapter.forget(files.id)
    await adapter.stop()
    const next = await openAdapter()
    expect(next.adapt(files.id, tool).status).toBeNull()
    expect(next.adapt('other', { ...tool, name: 'na\0me' }).status?.state).toBe('adapted')
  })

  test('are looked at only until they were right often enough', async () => {
    const adapter = await openAdapter()
    expect(adapter.wants(files.id, { name: 'x', inputSchema: {} })).toBe(false)
    for (let index = 0; index < 20; index++) {
      expect(adapter.wants(files.id, tool)).toBe(true)
      adapter.observe(files, tool, right)
    }
    expect(adapter.wants(files.id, tool)).toBe(false)
    expect(adapter.wants(files.id, { ...tool, description: 'New.' })).toBe(true)
  })
})
