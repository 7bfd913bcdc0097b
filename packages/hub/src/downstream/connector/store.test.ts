import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Connector, ConnectorInput } from '@herma/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestStore, storeKinds, type TestStore } from '../../platform/testing/test-store.ts'
import { openKeyRing } from '../../secret/index.ts'
import { readJson, writeJson } from '../../wire/index.ts'
import { ConnectorStore, type DescriptorSnapshot } from './store.ts'

function connectorOf(input: Partial<ConnectorInput> = {}): Connector {
  return ConnectorInput.parse({ name: 'files', transport: 'stdio', cmd: 'node', ...input })
}

const snapshot: DescriptorSnapshot = {
  fetchedAt: new Date('2026-07-28T12:00:00.123Z'),
  era: 'legacy',
  revision: '2025-11-25',
  transport: null,
  handshake: { serverInfo: { name: 'files', version: '1' }, capabilities: {} },
  tools: [
    { name: 'read', inputSchema: { type: 'object', properties: { z: {}, a: {} } }, note: 'zero \0 and half \ud800' },
  ],
  resources: [],
  resourceTemplates: [{ uriTemplate: 'file:///{path}' }],
  prompts: [],
  distinctions: ['elicitation.form'],
}

describe.each(storeKinds)('connectors in the %s store', (kind) => {
  let opened: TestStore
  let connectors: ConnectorStore

  beforeAll(async () => {
    opened = await openTestStore(kind)
    connectors = new ConnectorStore(
      opened.store.db,
      await openKeyRing({ stateHome: opened.stateHome, db: opened.store.db }),
    )
  })
  beforeEach(() => opened.store.pool.query('delete from connector'))
  afterAll(() => opened.close())

  test('every field comes back as it was stored', async () => {
    const full = connectorOf({
      name: 'Full-1',
      description: 'All fields.',
      kind: 'server',
      enabled: false,
      transport: 'stream',
      baseUrl: 'https://mcp.example.com',
      endpointPath: '/mcp',
      headers: [
        { name: 'Authorization', value: 'Bearer canary-header' },
        { name: 'X-Trace', value: 'on' },
        { name: 'X-Api-Key' },
      ],
      args: ['--flag', '', 'ü'],
      env: [
        { name: 'API_TOKEN', value: 'shown', secret: false },
        { name: 'PLAIN', value: 'hidden', secret: true },
      ],
      oauth: { grant: 'client_credentials', clientId: 'herma', clientSecret: 'canary-client', scope: 'read' },
      workingDir: '{cwd}/x',
      options: { prefix: '', idleTimeoutMs: 0 },
      notes: 'Line one\nline two',
    })
    const inserted = await connectors.insert(full)
    expect(inserted).toMatchObject({ connector: full, problem: null })
    expect(await connectors.loadAll()).toEqual([inserted])
  })

  test('the last test is kept, and stays when the connector is changed', async () => {
    const { id, lastTest } = await connectors.insert(connectorOf())
    expect(lastTest).toBeNull()
    const kept = { at: '2026-07-28T12:00:00.000Z', ok: false, ms: 12, cause: 'nobody listens there' }
    await connectors.saveTest(id, kept)
    expect(await connectors.update(id, connectorOf({ notes: 'changed' }))).toMatchObject({ lastTest: kept })
    expect(await connectors.loadAll()).toMatchObject([{ lastTest: kept }])
    await opened.store.pool.query(`update connector set last_test = '{"future": true}'`)
    expect(await connectors.loadAll()).toMatchObject([{ lastTest: null, problem: null }])
  })

  test('connectors keep the order in which they were created', async () => {
    for (const name of ['zeta', 'alpha', 'mid']) await connectors.insert(connectorOf({ name }))
    const [zeta] = await connectors.loadAll()
    await connectors.update(zeta?.id ?? '', connectorOf({ name: 'zeta', notes: 'changed' }))
    expect((await connectors.loadAll()).map(({ connector }) => connector.name)).toEqual(['zeta', 'alpha', 'mid'])
  })

  test('a name that is taken in another case is refused when adding and when renaming', async () => {
    const { id } = await connectors.insert(connectorOf({ name: 'Files' }))
    await connectors.insert(connectorOf({ name: 'other' }))
    const taken = { code: 'CONNECTOR_EXISTS', message: expect.stringContaining('Choose another name') }
    await expect(connectors.insert(connectorOf({ name: 'fILES' }))).rejects.toMatchObject(taken)
    await expect(connectors.update(id, connectorOf({ name: 'OTHER' }))).rejects.toMatchObject(taken)
    expect((await connectors.update(id, connectorOf({ name: 'FILES' }))).connector.name).toBe('FILES')
  })

  test('an update replaces every field and keeps the time of creation', async () => {
    const inserted = await connectors.insert(connectorOf({ args: ['a'], env: [{ name: 'A_KEY', value: 'old-value' }] }))
    const updated = await connectors.update(inserted.id, connectorOf({ cmd: 'python3' }))
    expect(updated).toMatchObject({ id: inserted.id, position: inserted.position, createdAt: inserted.createdAt })
    expect(updated.updatedAt.getTime()).toBeGreaterThanOrEqual(inserted.updatedAt.getTime())
    expect((await connectors.loadAll())[0]?.connector).toEqual(connectorOf({ cmd: 'python3' }))
  })

  test('when a secret value changed is kept with it, through updates and a rotation of keys', async () => {
    const withKeys = (one: string, two: string) =>
      connectorOf({
        env: [
          { name: 'ONE_KEY', value: one },
          { name: 'TWO_KEY', value: two },
          { name: 'LEVEL', value: 'info' },
        ],
      })
    const inserted = await connectors.insert(withKeys('a', 'b'))
    expect(Object.keys(inserted.changedAt)).toEqual(['env.ONE_KEY', 'env.TWO_KEY'])
    await opened.store.pool.query(
      `update connector set env = jsonb_set(env, '{0,changedAt}', '"2026-01-01T00:00:00.000Z"')`,
    )
    const [read] = await connectors.loadAll()
    const updated = await connectors.update(inserted.id, withKeys('a', 'c'), read)
    expect(updated.changedAt['env.ONE_KEY']).toBe('2026-01-01T00:00:00.000Z')
    await connectors.reseal((sealed) => sealed, null)
    const [after] = await connectors.loadAll()
    expect(after).toMatchObject({ changedAt: updated.changedAt, problem: null, connector: withKeys('a', 'c') })
  })

  test('a removed connector is gone with its snapshot, cannot be updated, and may be removed again', async () => {
    const { id } = await connectors.insert(connectorOf())
    await connectors.saveSnapshot(id, snapshot)
    await connectors.remove(id)
    await connectors.remove(id)
    expect(await connectors.loadAll()).toEqual([])
    expect(await connectors.loadSnapshots()).toEqual(new Map())
    await expect(connectors.update(id, connectorOf())).rejects.toMatchObject({ code: 'CONNECTOR_NOT_FOUND' })
  })

  test('a snapshot comes back exactly as the server sent it, in the same order of keys', async () => {
    const { id } = await connectors.insert(connectorOf())
    await connectors.saveSnapshot(id, { ...snapshot, revision: '2025-06-18', tools: [] })
    await connectors.saveSnapshot(id, snapshot)
    const loaded = (await connectors.loadSnapshots()).get(id)
    expect(JSON.parse(JSON.stringify(loaded))).toEqual(JSON.parse(JSON.stringify(snapshot)))
    expect(JSON.stringify(loaded?.tools)).toBe(JSON.stringify(snapshot.tools))
  })

  test('a snapshot keeps the text that the server wrote', async () => {
    const { id } = await connectors.insert(connectorOf())
    const text = '{"name":"read","n":9223372036854775807,"x":1.0,"y":1E400,"k":1,"k":2, "z":"\\u0000\\ud800"}'
    await connectors.saveSnapshot(id, { ...snapshot, tools: [readJson(text)] })
    const loaded = (await connectors.loadSnapshots()).get(id)
    expect(loaded!.tools.map((tool) => writeJson(tool))).toEqual([text])
  })

  test('a snapshot of a connector that was removed meanwhile is ignored', async () => {
    await connectors.saveSnapshot('00000000-0000-4000-8000-000000000000', snapshot)
    expect(await connectors.loadSnapshots()).toEqual(new Map())
  })

  test('a value that the store cannot hold is refused with its reason', async () => {
    await expect(connectors.insert(connectorOf({ notes: 'zero \0' }))).rejects.toMatchObject({
      code: 'CONNECTOR_INVALID',
      message: expect.stringContaining(`The store cannot hold 'files'`),
    })
  })

  test('a row that cannot be read says why, keeps what could be read, and leaves the others alone', async () => {
    const bad = await connectors.insert(connectorOf({ name: 'bad', description: 'Still shown.' }))
    await connectors.insert(connectorOf({ name: 'good' }))
    await opened.store.pool.query(
      `update connector set transport = 'pigeon', options = '{"unknown": 1}', headers = '"text"' where id = $1`,
      [bad.id],
    )
    const [first, second] = await connectors.loadAll()
    expect(first?.connector).toMatchObject({
      name: 'bad',
      description: 'Still shown.',
      cmd: 'node',
      headers: [],
      args: [],
    })
    expect(first?.problem).toMatch(/headers: .*transport: .*options: /)
    expect(second).toMatchObject({ problem: null, connector: { name: 'good' } })
    await connectors.update(bad.id, connectorOf({ name: 'bad' }))
    expect((await connectors.loadAll())[0]?.problem).toBeNull()
  })

  test('without its key a connector with a secret says so, and the others serve', async () => {
    await connectors.insert(connectorOf({ name: 'sealed', env: [{ name: 'A_KEY', value: 'secret-value' }] }))
    await connectors.insert(connectorOf({ name: 'open' }))
    const other = await openOtherKey(opened)
    const [sealed, open] = await new ConnectorStore(opened.store.db, other).loadAll()
    expect(sealed?.problem).toMatch(
      /^env\.A_KEY: A stored secret does not open with the key of this hub.*enter the secret again/,
    )
    expect(sealed?.connector.env).toEqual([{ name: 'A_KEY' }])
    expect(open?.problem).toBeNull()
  })

  test('a sealed value that is moved to another connector does not open there', async () => {
    const one = await connectors.insert(connectorOf({ name: 'one', env: [{ name: 'A_KEY', value: 'secret-value' }] }))
    const two = await connectors.insert(connectorOf({ name: 'two' }))
    await opened.store.pool.query(
      'update connector set env = (select env from connector where id = $1) where id = $2',
      [one.id, two.id],
    )
    expect((await connectors.loadAll()).map(({ problem }) => problem === null)).toEqual([true, false])
  })
})

test('no secret is found in any file of the store', async () => {
  const opened = await openTestStore()
  try {
    const { stateHome, store } = opened
    const connectors = new ConnectorStore(store.db, await openKeyRing({ stateHome, db: store.db }))
    const secrets = ['canary-header-7f3a', 'canary-variable-91bc', 'canary-updated-55aa']
    const visible = 'visible-marker-0d2e'
    const headers = [{ name: 'Authorization', value: `Bearer ${secrets[0]}` }]
    const { id } = await connectors.insert(
      connectorOf({ notes: visible, headers, env: [{ name: 'A', value: secrets[1], secret: true }] }),
    )
    await connectors.update(id, connectorOf({ notes: visible, env: [{ name: 'API_KEY', value: secrets[2] }] }))
    await expect(connectors.insert(connectorOf({ headers }))).rejects.toThrow('exists already')
    await opened.store.pool.query('checkpoint')
    const found = await findInFiles(opened.stateHome, [...secrets, visible])
    expect(found).toEqual([visible])
  } finally {
    await opened.close()
  }
})

async function findInFiles(folder: string, texts: string[]): Promise<string[]> {
  const found = new Set<string>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const content = await readFile(join(entry.parentPath, entry.name))
    for (const text of texts) {
      const forms = [text, Buffer.from(text).toString('base64').replace(/=+$/, '').slice(0, -1)]
      if (forms.some((form) => content.includes(form))) found.add(text)
    }
  }
  return [...found]
}

async function openOtherKey({ stateHome, store }: TestStore) {
  await rm(join(stateHome, 'key'))
  return await openKeyRing({ stateHome, db: store.db })
}
