import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Events, type HubEvent } from '../../platform/events.ts'
import { openTestStore, storeKinds, type TestStore } from '../../platform/testing/test-store.ts'
import { noFacts } from './server-facts.ts'
import { Servers } from './servers.ts'

describe.each(storeKinds)('the served servers in the %s store', (kind) => {
  let opened: TestStore
  let events: HubEvent[]

  beforeAll(async () => {
    opened = await openTestStore(kind)
  })
  beforeEach(() => opened.store.pool.query('delete from served_server'))
  afterAll(() => opened?.close())

  async function openRegistry(): Promise<Servers> {
    const bus = new Events()
    events = []
    bus.listen((event) => events.push(event))
    const servers = new Servers(opened.store.db, bus)
    await servers.start()
    return servers
  }

  test('are the facade, without HTTP+SSE', async () => {
    const servers = await openRegistry()
    expect(servers.list()).toEqual([
      {
        name: 'facade',
        kind: 'facade',
        path: '/mcp',
        ssePath: '/sse',
        rpcPath: '/api/mcp/servers/facade/rpc',
        healthPath: '/api/mcp/servers/facade/health',
        description: '',
        enabled: true,
        connector: null,
        tools: 0,
        lastHandshake: null,
        sse: false,
        mode: 'full',
        view: null,
        metadata: true,
        schemas: 'auto',
        fallbacks: 'auto',
        access: 'auto',
        keyHeader: 'authorization',
      },
    ])
    expect(servers.offersSse('facade')).toBe(false)
  })

  test('are changed at once, and are the same after a restart', async () => {
    const servers = await openRegistry()
    expect(await servers.update('facade', { sse: true })).toMatchObject({ sse: true })
    expect(servers.offersSse('facade')).toBe(true)
    expect(events).toMatchObject([{ kind: 'server.changed', data: { server: 'facade', sse: true } }])
    expect((await openRegistry()).offersSse('facade')).toBe(true)
    await servers.update('facade', { sse: false })
    expect((await openRegistry()).get('facade').sse).toBe(false)
  })

  test('stay as they are when nothing is to change', async () => {
    const servers = await openRegistry()
    await servers.update('facade', { sse: true })
    expect(await servers.update('facade', {})).toMatchObject({ sse: true })
  })

  test('are named when another one is asked for', async () => {
    const servers = await openRegistry()
    expect(servers.offersSse('nobody')).toBeUndefined()
    for (const name of ['nobody', '__proto__', ''])
      await expect(servers.update(name, { sse: true })).rejects.toMatchObject({
        code: 'SERVER_NOT_FOUND',
        message: expect.stringContaining('facade'),
      })
  })

  test('can be added, changed and removed, but for the facade', async () => {
    const servers = await openRegistry()
    let changes = 0
    servers.changed.listen(() => changes++)
    await servers.add({ name: 'work', mode: 'search', view: 'safe' })
    await expect(servers.add({ name: 'work' })).rejects.toMatchObject({ code: 'SERVER_EXISTS' })
    await servers.update('work', { metadata: false })
    const expected = { mode: 'search', view: 'safe', metadata: false, path: '/api/mcp/servers/work/stream' }
    expect((await openRegistry()).get('work')).toMatchObject({ kind: 'custom', ...expected })
    await servers.remove('work')
    expect(changes).toBe(3)
    expect((await openRegistry()).list().map(({ name }) => name)).toEqual(['facade'])
    await expect(servers.remove('facade')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(servers.remove('work')).rejects.toMatchObject({ code: 'SERVER_NOT_FOUND' })
  })

  test('may host a connector, which they know by its id, and may be switched off', async () => {
    const servers = await openRegistry()
    const names = new Map([['id-1', 'notes']])
    const facts = {
      connectorId: (name: string) => [...names].find(([, known]) => known === name)![0],
      connectorName: (id: string) => names.get(id),
      toolCount: () => 3,
      own: () => undefined,
    }
    servers.learn(facts)
    await servers.add({ name: 'work', connector: 'notes', description: 'Notes.' })
    names.set('id-1', 'renamed')
    expect(servers.get('work')).toMatchObject({ connector: 'renamed', description: 'Notes.', tools: 3, enabled: true })
    expect(servers.refusalOf('work')).toBeNull()
    await servers.update('work', { enabled: false })
    const again = await openRegistry()
    again.learn(facts)
    expect(again.settingsOf('work')).toMatchObject({ host: 'id-1' })
    expect(again.refusalOf('work')).toMatchObject({
      code: 'SERVER_DISABLED',
      message: expect.stringContaining('herma server enable work'),
    })
    names.clear()
    expect(again.get('work').connector).toBe('(removed)')
    await again.update('work', { connector: null, mode: 'search' })
    expect(again.get('work')).toMatchObject({ connector: null, mode: 'search' })
    await expect(again.update('facade', { enabled: false })).rejects.toMatchObject({ code: 'SERVER_INVALID' })
  })

  test('that are teams and sessions have a switch and words of their own', async () => {
    const servers = await openRegistry()
    let enabled = true
    servers.learn({
      ...noFacts,
      own: (server) => (server === 'crew' ? { description: 'A crew.', enabled, problem: null } : undefined),
    })
    servers.announce('crew', 'team')
    expect(servers.get('crew')).toMatchObject({ kind: 'team', description: 'A crew.', enabled: true })
    enabled = false
    expect(servers.refusalOf('crew')).toMatchObject({ message: expect.stringContaining('herma team') })
    for (const patch of [{ enabled: true }, { description: 'x' }, { connector: 'notes' }])
      await expect(servers.update('crew', patch)).rejects.toMatchObject({ code: 'SERVER_INVALID' })
    expect(await servers.update('crew', { access: 'required' })).toMatchObject({ access: 'required' })
  })

  test('remember when a client last came', async () => {
    const servers = await openRegistry()
    servers.greeted('facade')
    expect(Date.parse(servers.get('facade').lastHandshake!)).toBeGreaterThan(0)
  })
})
