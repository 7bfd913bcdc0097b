import { tmpdir } from 'node:os'
import type { ConnectorInput, NamedValue } from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createScratch, isAlive, scriptedConnector } from '../../../../../test/fixtures/scripted-connector.ts'
import { startPlainServer } from '../../../../../test/fixtures/start-plain-server.ts'
import { BufferBudget } from '@herma/framework/wire'
import { AdvisoryLocks } from '../../platform/store/advisory-locks.ts'
import { Events, type HubEvent } from '../../platform/events.ts'
import { startProcessWatchdog } from '../../platform/process/process-watchdog.ts'
import { createLog } from '../../platform/log.ts'
import { createAddressGuard } from '../../platform/network/index.ts'
import { openTestStore, type TestStore } from '../../platform/testing/test-store.ts'
import { openKeyRing, Redactor } from '../../secret/index.ts'
import { Authorizations } from '../authorization/authorizations.ts'
import { SignInLinks } from '../authorization/sign-in/sign-in-links.ts'
import { AuthorizationStore } from '../authorization/store.ts'
import type { BoundOverrides } from './bind-connector.ts'
import { ClientRelay } from '../client-relay.ts'
import { BoundDownstreams, type Bound } from './bound-downstreams.ts'
import { Connectors } from '../connector/connectors.ts'
import type { Downstream } from '../downstream.ts'
import { ConnectorStore } from '../connector/store.ts'
import { TestCall } from '../testing/test-call.ts'

const noStore = new Error('Nothing is stored here.')

const canary = 'canary-variable-77ab'
let opened: TestStore
let parts: Awaited<ReturnType<typeof openParts>>

beforeAll(async () => {
  opened = await openTestStore()
  parts = await openParts()
})
afterAll(async () => {
  await parts.stop()
  await opened.close()
})

async function openParts() {
  const sealer = await openKeyRing({ stateHome: opened.stateHome, db: opened.store.db })
  const redactor = new Redactor()
  const log = createLog('silent')
  const guard = createAddressGuard(() => ({ private: 'allow', allow: [] }))
  const watchdog = startProcessWatchdog()
  const emitter = new Events()
  const events: HubEvent[] = []
  emitter.listen((event) => events.push(event))
  const secrets = new Map([['WHO', 'first']])
  const outside = {
    watchdog,
    events: emitter,
    log,
    guard,
    buffers: new BufferBudget(),
    signInLinks: new SignInLinks(() => 'http://localhost'),
    secretOf: (name: string) => secrets.get(name)!,
  }
  const bindings = new Map<string, Bound>()
  const connectors: Connectors = new Connectors({
    store: new ConnectorStore(opened.store.db, sealer),
    redactor,
    secrets: { storeNew: () => Promise.reject(noStore), remove: () => Promise.reject(noStore) },
    authorizations: new Authorizations({
      guard,
      locks: new AdvisoryLocks(opened.store.pool),
      store: new AuthorizationStore(opened.store.db, sealer),
      redactor,
      log,
      redirectUrl: () => 'http://localhost/callback',
    }),
    environment: outside,
    clients: new ClientRelay(),
    summarise: () => [],
  })
  const read: string[] = []
  const hops = { limit: 3 }
  const bound: BoundDownstreams = new BoundDownstreams({
    connectors,
    environment: outside,
    redactor,
    bindingOf: (sessionId, connectorId) => bindings.get(`${sessionId} ${connectorId}`),
    hopLimitOf: () => hops.limit,
    onDescriptors: (sessionId) => void read.push(sessionId),
  })
  connectors.changed.listen(() => bound.review())
  connectors.removed.listen(() => bound.review())
  await connectors.load()
  connectors.start()
  bound.start()
  const bind = (
    session: string,
    connector: string,
    overrides: Partial<BoundOverrides> = {},
    more: Partial<Bound> = {},
  ) => {
    const full = { headers: [], env: [], options: {}, cwd: null, ...overrides }
    const { id } = connectors.get(connector)
    bindings.set(`${session} ${id}`, {
      session: { name: session, workingDir: null },
      overrides: full,
      isEnabled: true,
      ...more,
    })
    bound.review()
    return { sessionId: session, connector }
  }
  const stop = async () => {
    await bound.stop()
    await connectors.stop()
    watchdog.stop()
  }
  return { connectors, bound, bind, bindings, redactor, events, secrets, read, hops, stop }
}

interface Who {
  readonly pid: number
  readonly cwd: string
  readonly args: string[]
  readonly fixture: string | null
}

async function call(
  downstream: Downstream | undefined,
  name: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  const made = new TestCall(undefined, undefined, { name, arguments: args })
  await new Promise<void>((resolve, reject) => {
    const respond = made.respond.bind(made)
    made.respond = (bytes) => {
      respond(bytes)
      resolve()
    }
    made.fail = reject
    made.failWith = (error) => reject(new Error(error.message))
    downstream!.call(made)
  })
  return (JSON.parse(made.answer!) as { result: { content: { text: string }[] } }).result.content[0]!.text
}

const who = async (downstream: Downstream | undefined) => JSON.parse(await call(downstream, 'who')) as Who
const variable = (value: string, more: Partial<NamedValue> = {}) => ({ env: [{ name: 'FIXTURE', value, ...more }] })
async function gone(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false)
}

async function addScripted(name: string, input: Partial<ConnectorInput> = {}) {
  const scratch = await createScratch()
  await parts.connectors.add(scriptedConnector(name, scratch.file('journal'), input))
  return scratch
}

test('a session shares the process of a connector unless something differs for it', async () => {
  const { connectors, bound, bind } = parts
  await using _ = await addScripted('shared', { env: [{ name: 'FIXTURE', value: 'everybody' }] })
  const downstream = connectors.byId(connectors.get('shared').id)!
  expect(bound.for({ sessionId: 'stranger', connector: 'shared' })).toBeUndefined()
  expect(bound.for({ sessionId: 'stranger', connector: 'missing' })).toBeUndefined()
  const alike = bind('alike', 'shared')
  expect(bound.for(alike)).toBe(downstream)
  expect(bound.isOwn(alike)).toBe(false)
  const other = bind('other', 'shared', variable('mine'))
  const own = bound.for(other)
  expect(own).not.toBe(downstream)
  expect(bound.for(other)).toBe(own)
  expect([own?.id, own?.name, bound.isOwn(other)]).toEqual([downstream.id, 'shared', true])
  const [ours, theirs] = [await who(own), await who(downstream)]
  expect([ours.fixture, theirs.fixture]).toEqual(['mine', 'everybody'])
  expect(ours.pid).not.toBe(theirs.pid)
  expect(parts.read).toContain('other')
  expect(bound.toolNames(other)).toContain('who')
  expect(bound.metrics.map(({ read }) => read())).toEqual([1, 1])
  await connectors.remove('shared')
  expect(bound.for(other)).toBeUndefined()
  await gone(ours.pid)
})

test('folder and tokens are those of the session', async () => {
  const { bound, bind, connectors } = parts
  const args = ['--', '{session_id}', '{server_id}', '{cwd}', '{thread_id}']
  await using _ = await addScripted('tokens', { args })
  const folder = opened.stateHome
  const place = bind('coder', 'tokens', {}, { session: { name: 'coder', workingDir: folder } })
  expect(bound.isOwn(place)).toBe(true)
  expect(await who(bound.for(place))).toMatchObject({ cwd: folder, args: ['coder', 'session:coder', folder, ''] })
  bind('coder', 'tokens', { cwd: tmpdir() }, { session: { name: 'renamed', workingDir: folder } })
  expect(await who(bound.for(place))).toMatchObject({
    cwd: tmpdir(),
    args: ['renamed', 'session:renamed', tmpdir(), ''],
  })
  await connectors.remove('tokens')
})

test('each talk has a server of its own where its id is wanted, and all know how far they may go', async () => {
  const { bound, bind, connectors, hops } = parts
  await using _ = await addScripted('talks', { args: ['--', '{thread_id}', '{hop_limit}'] })
  const place = bind('coder', 'talks')
  const [one, two] = ['t1', 't2'].map((thread) => ({ ...place, thread }))
  expect(await who(bound.for(one!))).toMatchObject({ args: ['t1', '3'] })
  expect(await who(bound.for(two!))).toMatchObject({ args: ['t2', '3'] })
  expect(bound.for(one!)).toBe(bound.for({ ...one! }))
  expect(bound.for(one!)).not.toBe(bound.for(two!))
  hops.limit = 5
  expect(await who(bound.for(one!))).toMatchObject({ args: ['t1', '5'] })
  hops.limit = 3
  await connectors.remove('talks')
  await using __ = await addScripted('quiet')
  const shared = bind('coder', 'quiet')
  expect(bound.for({ ...shared, thread: 't1' })).toBe(bound.for({ ...shared, thread: 't2' }))
  await connectors.remove('quiet')
})

test('a change of binding, connector, switch or secret ends the process at once, and the next use has the new value', async () => {
  const { bound, bind, connectors, secrets } = parts
  await using _ = await addScripted('changing')
  const place = bind('coder', 'changing', variable('one'))
  const pids = [(await who(bound.for(place))).pid]
  const expectNext = async (fixture: string) => {
    await gone(pids.at(-1)!)
    const next = await who(bound.for(place))
    expect(next.fixture).toBe(fixture)
    pids.push(next.pid)
  }
  bind('coder', 'changing', variable('{secret:WHO}'))
  await expectNext('first')
  secrets.set('WHO', 'second')
  bound.renewUsersOf('ANOTHER')
  expect((await who(bound.for(place))).pid).toBe(pids.at(-1))
  bound.renewUsersOf('WHO')
  await expectNext('second')
  await connectors.update('changing', { description: 'only words' })
  expect((await who(bound.for(place))).pid).toBe(pids.at(-1))
  await connectors.update('changing', { options: { requestTimeoutMs: 5000 } })
  await expectNext('second')
  bind('coder', 'changing', variable('three'), { isEnabled: false })
  expect(bound.for(place)).toBeUndefined()
  await gone(pids.at(-1)!)
  bind('coder', 'changing', variable('four'))
  await expectNext('four')
  await connectors.update('changing', { enabled: false })
  expect(bound.for(place)).toBeUndefined()
  await gone(pids.at(-1)!)
  await connectors.remove('changing')
})

test('headers of a binding arrive in place of those of the connector, and others stay', async () => {
  const { bound, bind, connectors } = parts
  await using server = await startPlainServer()
  const headers = [
    { name: 'X-Team', value: 'red' },
    { name: 'X-Kept', value: 'yes' },
  ]
  await connectors.add({ name: 'plain', transport: 'http', baseUrl: server.origin, endpointPath: '/rpc', headers })
  const place = bind('coder', 'plain', {
    headers: [
      { name: 'x-team', value: 'blue' },
      { name: 'X-Own', value: 'me' },
    ],
  })
  expect(await call(bound.for(place), 'echo', { text: 'hi' })).toBe('hi')
  expect(server.requests.at(-1)?.headers).toMatchObject({ 'x-team': 'blue', 'x-own': 'me', 'x-kept': 'yes' })
  expect(await call(connectors.byId(connectors.get('plain').id)!, 'echo', { text: 'ho' })).toBe('ho')
  expect(server.requests.at(-1)?.headers['x-team']).toBe('red')
  expect(server.requests.at(-1)?.headers).not.toHaveProperty('x-own')
  await connectors.remove('plain')
})

test('a secret of a binding reaches the server and nobody else', async () => {
  const { bound, bind, connectors, redactor, events } = parts
  await using _ = await addScripted('masked')
  redactor.set('binding', [canary])
  const place = bind('coder', 'masked', variable(canary, { secret: true }))
  const downstream = bound.for(place)
  expect((await who(downstream)).fixture).toBe(canary)
  await call(downstream, 'say', { text: `my variable is ${canary}` })
  await expect.poll(() => JSON.stringify(downstream!.logs())).toContain('my variable is')
  const shown = JSON.stringify([downstream!.logs(), downstream!.health(), events, connectors.list()])
  expect(shown).not.toContain(canary)
  await connectors.remove('masked')
})

test('a sign-in stays with the address that it is for, and gives way to a header', async () => {
  const { bound, bind, connectors } = parts
  await connectors.add({
    name: 'apart',
    transport: 'stream',
    baseUrl: 'http://127.0.0.1:9/{session_id}',
    enabled: false,
  })
  await connectors.add({ name: 'signed', transport: 'stream', baseUrl: 'http://127.0.0.1:9', enabled: false })
  const credentialsOf = (name: string) => connectors.find(name).credentials
  const { connector } = connectors.find('signed').stored
  const same = credentialsOf('signed').withOverrides(connector, { isSameAddress: true })
  expect(same.for('operator').authorization).toBe(credentialsOf('signed').for('operator').authorization)
  const other = credentialsOf('signed').withOverrides(connector, { isSameAddress: false })
  expect(other.for('operator').authorization).toBeNull()
  const headers = [{ name: 'authorization', value: 'Bearer x' }]
  const shown = credentialsOf('signed').withOverrides({ ...connector, headers }, { isSameAddress: true })
  expect(shown.for('operator').authorization).toBeNull()
  expect(bound.for(bind('coder', 'apart'))).toBeUndefined()
  await connectors.remove('apart')
  await connectors.remove('signed')
})
