import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SessionInput, type BindingInput, replaceSecrets, secretNamesIn } from '@herma/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Events, type HubEvent } from '../platform/events.ts'
import { openTestStore, storeKinds, type TestStore } from '../platform/testing/test-store.ts'
import { isSecretName, openKeyRing, Redactor, type KeyRing } from '../secret/index.ts'
import { readHubId } from './hub-id.ts'
import { BindingDirectory } from './binding/binding-directory.ts'
import { SessionDirectory } from './session-directory.ts'
import { SessionTester } from './health/test-session.ts'
import { openSessionRegistries, type SessionRegistries } from './open-session-registries.ts'
import { TestConnectors } from './testing/test-connectors.ts'
import { explainPath } from '../workspace/path/explain-path.ts'

const coder: SessionInput = { name: 'coder', provider: 'openai', model: 'gpt' }
const canary = 'canary-override-4d1c'

describe.each(storeKinds)('sessions in the %s store', (kind) => {
  let opened: TestStore
  let ring: KeyRing
  let folder: string
  let secrets: Map<string, string>
  let connectors: TestConnectors
  let teams: Record<string, string[]>
  let told: string[]
  let events: HubEvent[]
  let redactor: Redactor
  let books: SessionRegistries
  let tester: SessionTester

  beforeAll(async () => {
    opened = await openTestStore(kind)
    ring = await openKeyRing({ stateHome: opened.stateHome, db: opened.store.db })
    folder = await realpath(await mkdtemp(join(tmpdir(), 'herma-sessions-')))
  })
  afterAll(async () => {
    await opened.close()
    await rm(folder, { recursive: true })
  })
  beforeEach(async () => {
    await opened.store.pool.query('delete from session')
    secrets = new Map([['OPENAI_API_KEY', 'sk-1']])
    connectors = new TestConnectors()
    teams = {}
    redactor = new Redactor()
    books = await open()
  })

  /** As a hub that starts on what is stored. */
  async function open(): Promise<SessionRegistries> {
    told = []
    events = []
    const bus = new Events()
    bus.listen((event) => events.push(event))
    const valueOf = (name: string) => secrets.get(name)
    const sessionSecrets = {
      has: (name: string) => secrets.has(name),
      valueOf,
      namesIn: secretNamesIn,
      resolve: (text: string) => replaceSecrets(text, (name: string) => valueOf(name) ?? fail(`no ${name}`)),
      isSecretName,
    }
    const directory = new SessionDirectory()
    const made = openSessionRegistries({
      db: opened.store.db,
      sealer: ring,
      secrets: sessionSecrets,
      redactor,
      events: bus,
      connectors,
      directories: { sessions: directory, bindings: new BindingDirectory(directory) },
      explainPath,
      listener: {
        onAdded: ({ name }) => void told.push(`+${name}`),
        onChanged: ({ name }, before) => void told.push(`${before.name}→${name}`),
        onRemoved: ({ name }) => void told.push(`-${name}`),
        onBindings: ({ name }) => void told.push(`bindings of ${name}`),
      },
      teamsOf: ({ name }) => teams[name] ?? [],
    })
    tester = new SessionTester({
      ...made,
      secrets: sessionSecrets,
      trials: {
        tryModel: async ({ model }) => (model === 'gpt' ? { detail: 'said hello' } : fail('no such model')),
        countTools: async ({ connector }) => connectors.toolsOf({ connector }).length,
      },
    })
    await made.start()
    return made
  }

  const bind = (input: Partial<BindingInput> = {}) =>
    books.bindings.put({ session: 'coder', connector: 'web', ...input })

  test('a session comes back as it was stored, and is told of', async () => {
    const full: SessionInput = {
      ...coder,
      description: 'Writes code.',
      enabled: false,
      baseUrl: 'https://llm.example.com/v1',
      api: 'chat',
      keySecret: 'OTHER_KEY',
      instructions: 'Be brief.',
      temperature: 0.2,
      workingDir: folder,
      paths: { roots: [folder], denied: ['*.pem'] },
      abilities: ['code.advice'],
      tools: { catalog: true, approval: 'writes' },
      limits: { maxSteps: 3, maxCostUsd: 0.5 },
      pricing: { inputPerMillion: 1, outputPerMillion: 2 },
      command: { dialect: 'text', cmd: 'agent', args: ['{prompt}'] },
      routes: [
        {
          abilities: ['chat'],
          contains: ['find'],
          use: { connector: 'web', tool: 'find', arguments: { q: '{input}' } },
        },
      ],
    }
    const added = await books.sessions.add(full)
    expect(added).toMatchObject(SessionInput.parse(full))
    expect(added).toMatchObject({
      path: '/api/mcp/sessions/coder/stream',
      openaiPath: '/v1/sessions/coder',
      hasKey: false,
    })
    expect(told).toEqual(['+coder'])
    books = await open()
    expect(books.sessions.list()).toEqual([added])
    expect(told).toEqual(['+coder'])
    // Null takes a list of one's own back; the folders stay.
    expect((await books.sessions.update('coder', { paths: { denied: null } })).paths).toEqual({ roots: [folder] })
  })

  test('a change keeps what it does not name, the id under another name, and says what changed', async () => {
    const { id } = await books.sessions.add({ ...coder, limits: { maxSteps: 3 }, tools: { deny: ['rm'] } })
    const view = await books.sessions.update('coder', {
      name: 'writer',
      limits: { maxTokens: 500 },
      instructions: 'Go.',
    })
    expect(view).toMatchObject({ id, name: 'writer', model: 'gpt', limits: { maxSteps: 3, maxTokens: 500 } })
    expect(view.tools.deny).toEqual(['rm'])
    expect(told).toEqual(['+coder', 'coder→writer'])
    expect(events.at(-1)).toMatchObject({
      kind: 'session.changed',
      session: 'writer',
      data: { fields: ['name', 'instructions', 'limits'], before: { name: 'coder' }, after: { name: 'writer' } },
    })
    await expect(books.sessions.update('coder', {})).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  test('bad input is refused and stores nothing', async () => {
    await books.sessions.add(coder)
    const invalid = { code: 'SESSION_INVALID' }
    await expect(books.sessions.add(coder)).rejects.toMatchObject({ code: 'SESSION_EXISTS' })
    await expect(books.sessions.add({ name: 'b', provider: 'google' })).rejects.toMatchObject(invalid)
    await expect(books.sessions.update('coder', { model: '' })).rejects.toMatchObject(invalid)
    await expect(books.sessions.update('coder', { description: 'zero \0' })).rejects.toMatchObject(invalid)
    await books.sessions.add({ ...coder, name: 'other' })
    await expect(books.sessions.update('other', { name: 'coder' })).rejects.toMatchObject({ code: 'SESSION_EXISTS' })
    expect(books.sessions.all().map(({ name }) => name)).toEqual(['coder', 'other'])
  })

  test('a session whose folder is gone can be changed all the same, but not given it anew', async () => {
    const gone = await mkdtemp(join(folder, 'gone-'))
    await books.sessions.add({ ...coder, workingDir: gone })
    await rm(gone, { recursive: true })
    expect(await books.sessions.update('coder', { enabled: false })).toMatchObject({ enabled: false, workingDir: gone })
    const report = await tester.test('coder')
    expect(report.stages.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['workspace'])
    await expect(books.sessions.add({ ...coder, name: 'b', workingDir: gone })).rejects.toThrow('workingDir: ')
  })

  test('a row that cannot be read is disabled with its reason, and the others serve', async () => {
    await books.sessions.add(coder)
    await books.sessions.add({ ...coder, name: 'bad', description: 'kept' })
    await opened.store.pool.query(`update session set limits = '{"maxSteps": -1}', provider = 'x' where name = 'bad'`)
    books = await open()
    const [good, bad] = books.sessions.list()
    expect(good?.health.state).toBe('unknown')
    expect(bad).toMatchObject({ name: 'bad', description: 'kept', enabled: false, health: { state: 'unready' } })
    expect(bad?.health.problem).toMatch(/provider: .*limits.maxSteps: .*herma session edit bad/)
    await books.sessions.update('bad', { provider: 'openai', limits: { maxSteps: 2 }, enabled: true })
    expect(books.sessions.require('bad').problem).toBeNull()
  })

  test('without its key a session is not ready, and says which secret to store', async () => {
    await books.sessions.add({ ...coder, keySecret: 'TEAM_KEY' })
    expect(books.sessions.get('coder')).toMatchObject({ hasKey: false, health: { state: 'unready' } })
    expect(() => books.sessions.require('coder')).toThrow('herma secret set TEAM_KEY')
    secrets.set('TEAM_KEY', 'sk-2')
    books.sessions.renewUsersOf('TEAM_KEY')
    expect(told.at(-1)).toBe('coder→coder')
    expect(books.sessions.get('coder')).toMatchObject({ hasKey: true, health: { state: 'unknown' } })
    expect(books.sessions.usersOf('TEAM_KEY')).toEqual(['session coder'])
    expect(books.sessions.usersOf('OPENAI_API_KEY')).toEqual([])
    await books.sessions.update('coder', { enabled: false })
    expect(() => books.sessions.require('coder')).toThrow('herma session enable coder')
  })

  test('a member of a team stays; a session that goes takes its bindings along', async () => {
    connectors.add('web')
    const { id } = await books.sessions.add(coder)
    await bind({ headers: [{ name: 'X-Token', value: canary }] })
    teams['coder'] = ['red', 'blue']
    await expect(books.sessions.remove('coder')).rejects.toMatchObject({
      code: 'SESSION_IN_USE',
      message: expect.stringContaining('red, blue'),
    })
    teams = {}
    await books.sessions.remove('coder')
    expect(told.at(-1)).toBe('-coder')
    expect(books.bindings.of(id)).toEqual([])
    expect(redactor.redact(canary)).toBe(canary)
    const rows = await opened.store.pool.query('select 1 from binding')
    expect(rows.rowCount).toBe(0)
  })

  test('a session is tested stage by stage', async () => {
    connectors.add('web', { tools: ['find', 'get'] })
    await books.sessions.add({ ...coder, workingDir: folder })
    await bind()
    const fine = await tester.test('coder')
    expect(fine.ok).toBe(true)
    expect(fine.stages.map(({ name, detail }) => `${name}: ${detail}`)).toEqual([
      'settings: complete',
      "key: the secret 'OPENAI_API_KEY' is stored",
      'provider: said hello',
      `workspace: ${folder}`,
      'bindings: web has 2 tools',
    ])
    secrets.clear()
    const route = { abilities: ['chat' as const], use: { connector: 'gone', tool: 'x' } }
    await books.sessions.update('coder', { routes: [{ contains: [], ...route, use: { ...route.use, arguments: {} } }] })
    const failed = await tester.test('coder')
    expect(failed.stages.map(({ name, ok, fix }) => [name, ok, fix !== null])).toEqual([
      ['settings', true, false],
      ['key', false, true],
      ['provider', false, true],
      ['workspace', true, false],
      ['bindings', false, true],
    ])
    expect(failed.stages.at(-1)?.detail).toContain('herma session bind coder gone')
  })

  test('a path is explained against the policy of the session', async () => {
    await writeFile(join(folder, 'a.txt'), '')
    await books.sessions.add({ ...coder, workingDir: folder })
    const explain = (path: string, cwd?: string) => books.sessions.explainPath('coder', { path, cwd })
    expect(await explain('a.txt')).toMatchObject({ allowed: true, writable: true, path: join(folder, 'a.txt') })
    expect(await explain('../outside')).toMatchObject({ allowed: false, root: null })
    expect(await explain('a.txt', '/')).toMatchObject({ allowed: false, because: expect.stringContaining('cwd: ') })
    await books.sessions.add({ ...coder, name: 'homeless' })
    await expect(books.sessions.explainPath('homeless', { path: 'a' })).rejects.toThrow('--dir DIR')
  })

  test('a binding shows its overrides, the tools that are left, and no secret', async () => {
    connectors.add('web', { tools: ['web_search', 'web_post', 'admin'] })
    await books.sessions.add({ ...coder, tools: { deny: ['*_post'] } })
    const { view, isNew } = await bind({ headers: [{ name: 'X-Token', value: canary }], allowedTools: ['web_*'] })
    expect(isNew).toBe(true)
    expect(view).toMatchObject({
      session: 'coder',
      connector: 'web',
      headers: [{ name: 'X-Token', secret: true, stored: true }],
      tools: ['web__web_search'],
      problem: null,
    })
    expect(books.sessions.get('coder')).toMatchObject({
      bindings: ['web'],
      offered: expect.arrayContaining(['search.web']),
    })
    expect(books.bindings.usableBy(books.sessions.find('coder').id)).toEqual([
      { connector: 'web', allowedTools: ['web_*'] },
    ])
    expect(told.at(-1)).toBe('bindings of coder')
    await books.bindings.update('coder', 'web', { allowedTools: ['admin'] })
    expect(books.sessions.get('coder').offered).not.toContain('search.web')
  })

  test('a secret override survives a restart and is in no view, event, row or error', async () => {
    connectors.add('web')
    await books.sessions.add(coder)
    const { id } = books.sessions.find('coder')
    const views = [(await bind({ headers: [{ name: 'X-Token', value: canary }] })).view]
    views.push((await bind({ headers: [{ name: 'x-token' }, { name: 'X-Plain', value: 'shown' }] })).view)
    views.push(await books.bindings.update('coder', 'web', { headers: [{ name: 'X-Token', secret: false }] }))
    const seen = [...events]
    const valueOf = () => books.bindings.of(id)[0]?.headers[0]?.value
    expect(valueOf()).toBe(canary)
    expect(views.at(-1)?.headers).toEqual([{ name: 'X-Token', secret: true, stored: true }])
    const refused = await bind({ headers: [{ name: 'X-Token', value: canary }, { name: 'Y_KEY' }] }).catch(String)
    redactor = new Redactor()
    books = await open()
    expect(valueOf()).toBe(canary)
    expect(redactor.redact(`said ${canary}`)).not.toContain(canary)
    const { rows } = await opened.store.pool.query('select * from binding')
    const shown = JSON.stringify([views, seen, refused, rows, books.bindings.list(), books.sessions.list()])
    expect(shown).not.toContain(canary)
    expect(seen.map((event) => event.kind)).toEqual([
      'session.added',
      'binding.added',
      'binding.changed',
      'binding.changed',
    ])
    expect(seen.at(-1)?.data).toMatchObject({ values: ['headers.x-token', 'headers.X-Plain', 'headers.X-Token'] })
  })

  test('a binding follows its connector under another name, and goes with it', async () => {
    const id = connectors.add('web')
    await books.sessions.add(coder)
    await bind({ headers: [{ name: 'X-Token', value: 'Bearer {secret:WEB}' }] })
    expect(books.bindings.usersOf('WEB')).toEqual(['binding of web to coder'])
    connectors.change(id, { name: 'net' })
    expect(books.bindings.listOf('coder').map(({ connector }) => connector)).toEqual(['net'])
    await expect(books.bindings.update('coder', 'web', {})).rejects.toMatchObject({ code: 'CONNECTOR_NOT_FOUND' })
    connectors.change(id, { enabled: false })
    expect(books.bindings.list()[0]?.problem).toContain('herma enable net')
    expect(books.bindings.usableBy(books.sessions.find('coder').id)).toEqual([])
    connectors.remove(id)
    await books.bindings.dropConnector(id)
    expect(books.bindings.list()).toEqual([])
    await expect(books.bindings.remove('coder', 'net')).rejects.toMatchObject({ code: 'CONNECTOR_NOT_FOUND' })
  })

  test('what is left of a connector that went while the hub was down is swept', async () => {
    const id = connectors.add('web')
    await books.sessions.add(coder)
    await bind()
    connectors.remove(id)
    books = await open()
    expect(books.bindings.list()).toEqual([])
    expect((await opened.store.pool.query('select 1 from binding')).rowCount).toBe(0)
  })

  test('the values of bindings are sealed anew when keys are turned, and a broken one disables its binding only', async () => {
    connectors.add('web')
    connectors.add('other')
    await books.sessions.add(coder)
    await bind({ headers: [{ name: 'X-Token', value: canary }] })
    await bind({ connector: 'other', headers: [{ name: 'X-Token', value: 'second' }] })
    const [place] = books.sealedPlaces
    const contexts: string[] = []
    const renew = (sealed: string, context: string) => {
      contexts.push(context)
      return ring.seal(ring.open(sealed, context), context)
    }
    const before = await opened.store.pool.query('select sealed from binding order by id')
    expect(await place.reseal(renew, null)).toBeNull()
    const after = await opened.store.pool.query('select sealed from binding order by id')
    expect(contexts).toHaveLength(2)
    expect(after.rows).not.toEqual(before.rows)
    await opened.store.pool.query(`update binding set sealed = 'v2.x.y' where id = $1`, [
      contexts[0]!.slice('binding:'.length),
    ])
    books = await open()
    const states = books.bindings.list().map(({ enabled, problem }) => [enabled, problem === null])
    expect(states.toSorted()).toEqual([
      [false, false],
      [true, true],
    ])
  })

  test('the id of a database stays', async () => {
    const [one, two] = await Promise.all([readHubId(opened.store.db), readHubId(opened.store.db)])
    expect(one).toMatch(/^[0-9a-f-]{36}$/)
    expect(two).toBe(one)
    expect(await readHubId(opened.store.db)).toBe(one)
  })
})

function fail(message: string): never {
  throw new Error(message)
}
