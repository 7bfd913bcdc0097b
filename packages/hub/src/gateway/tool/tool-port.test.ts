import { fileURLToPath } from 'node:url'
import type { ConnectorInput, Principal } from '@herma/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Catalog, errorResult, noRules, plainSettings, Scopes, type OwnTool } from '../../catalog/index.ts'
import {
  Authorizations,
  AuthorizationStore,
  ClientRelay,
  Connectors,
  ConnectorStore,
  SignInLinks,
} from '../../downstream/index.ts'
import { feedCatalog } from '../../wiring/feed-catalog.ts'
import { BufferBudget } from '@herma/framework/wire'
import { AdvisoryLocks } from '../../platform/store/advisory-locks.ts'
import { Events, type HubEvent } from '../../platform/events.ts'
import { startProcessWatchdog } from '../../platform/process/process-watchdog.ts'
import { createLog } from '../../platform/log.ts'
import { createAddressGuard } from '../../platform/network/index.ts'
import { openTestStore, type TestStore } from '../../platform/testing/test-store.ts'
import { openKeyRing, Redactor } from '../../secret/index.ts'
import type { ToolPort as SessionToolPort } from '../../session/ports.ts'
import { operator, type WorkContext } from '../../wire/index.ts'
import type { PermissionQuestion } from '../call/permission.ts'
import { modernCaller } from '../testing/test-exchange.ts'
import { ToolPort } from './tool-port.ts'

const noStore = new Error('Nothing is stored here.')

const program = fileURLToPath(new URL('../../../../../test/fixtures/telling-server.mjs', import.meta.url))
const telling = (name: string, rest: Partial<ConnectorInput> = {}): ConnectorInput => ({
  name,
  transport: 'stdio',
  cmd: process.execPath,
  args: [program],
  ...rest,
})
/** A composite that calls a tool of a server, and one that asks who wants it. */
const ownTools: OwnTool[] = [
  {
    name: 'both',
    origin: 'test',
    descriptor: { name: 'both', inputSchema: { type: 'object' } },
    tags: [],
    run: (args, context) => context.call({ server: 'bound', tool: 'tell' }, args),
  },
  {
    name: 'patient',
    origin: 'test',
    descriptor: { name: 'patient', inputSchema: { type: 'object' } },
    tags: [],
    run: (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(errorResult('given up')))),
  },
]

let opened: TestStore
let parts: Awaited<ReturnType<typeof openParts>>
let asked: PermissionQuestion[]
let refused: (question: PermissionQuestion) => boolean
let events: HubEvent[]

beforeAll(async () => {
  opened = await openTestStore()
  parts = await openParts()
})
beforeEach(() => {
  asked = []
  events.length = 0
  refused = () => false
})
afterAll(async () => {
  await parts?.stop()
  await opened?.close()
})

async function openParts() {
  const sealer = await openKeyRing({ stateHome: opened.stateHome, db: opened.store.db })
  const redactor = new Redactor()
  const log = createLog('silent')
  const guard = createAddressGuard(() => ({ private: 'allow', allow: [] }))
  const watchdog = startProcessWatchdog()
  const bus = new Events()
  events = []
  bus.listen((event) => events.push(event))
  const catalog = new Catalog(() => {}, {
    check: ({ pinPolicy }, tools) =>
      tools.map(({ name }) => (pinPolicy === 'block' && name !== 'tell' ? 'not approved so far' : null)),
    adapt: (_, tool) => tool,
    onOverridden: () => {},
    onHiddenChange: () => {},
  })
  catalog.configure({ ...noRules, ownTools, hidden: [{ server: 'bound', tool: 'fail', origin: 'test' }] })
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
    environment: {
      watchdog,
      events: bus,
      log,
      guard,
      buffers: new BufferBudget(),
      signInLinks: new SignInLinks(() => 'http://localhost'),
      secretOf: (name: string) => name,
    },
    clients: new ClientRelay(),
    summarise: () => [],
  })
  connectors.changed.listen((entries) => feedCatalog(catalog, entries))
  await connectors.add(telling('bound', { options: { listed: false } }))
  await connectors.add(telling('listed'))
  await connectors.add(telling('strict', { options: { pinning: 'block' } }))
  await connectors.settled()
  const scopes = new Scopes({
    catalog,
    settingsOf: () => plainSettings,
    ownServer: () => undefined,
    modeTools: () => [],
    fallbacks: () => [],
  })
  scopes.setViews([{ name: 'few', include: [{ tool: 'listed__tell' }], exclude: [], for: { principals: ['key:few'] } }])
  const port = new ToolPort({
    catalog,
    scopes,
    events: bus,
    rulings: {
      isFree: () => false,
      check: (question) => {
        asked.push(question)
        const allowed = !refused(question)
        return { allowed, why: allowed ? '' : 'a rule says no', rule: allowed ? null : 'no', missingScope: null }
      },
      take: () => ({ release() {} }),
      stepUp: () => undefined,
    },
    connectors: () => connectors,
    boundDownstream: ({ sessionId, connector }) =>
      sessionId === 'one' ? (connectors.find(connector).downstream ?? undefined) : undefined,
    propagates: () => true,
  })
  return { port, stop: async () => [await connectors.stop(), await watchdog.stop()] }
}

const traceId = 'ab'.repeat(16)
const spanId = 'cd'.repeat(8)

function workContext(rest: Partial<WorkContext> = {}): WorkContext {
  return {
    principal: operator,
    caller: { ...modernCaller, server: 'session:coder' },
    isLocal: true,
    signal: new AbortController().signal,
    traceId,
    spanId,
    path: { requestId: 'r1', entries: ['hub/crew>coder'] },
    ask: null,
    progress: () => {},
    partial: () => {},
    ...rest,
  }
}

const place = { sessionId: 'one', connector: 'bound' }
const bound = (tool: string, rest: Partial<WorkContext> = {}, signal = new AbortController().signal) =>
  parts.port.callBound(place, { tool, arguments: { a: 1 }, workContext: workContext(rest), signal, thread: 't1' })
const listed = (tool: string, rest: Partial<WorkContext> = {}, signal = new AbortController().signal) =>
  parts.port.callCatalog({ tool, arguments: { a: 1 }, workContext: workContext(rest), signal })
const told = ({ content }: { content: readonly { [field: string]: unknown }[] }) =>
  JSON.parse(String(content[0]!['text'])) as Record<string, unknown>

test('a session lists what a bound connector has under its own names, hidden or unlisted, but nothing blocked', async () => {
  // What sessions want is what the gateway has.
  const port: SessionToolPort = parts.port
  const names = async (connector: string) =>
    (await port.boundTools({ sessionId: 'one', connector })).map(({ name }) => name)
  expect(await names('bound')).toEqual(['tell', 'ask', 'hang', 'cancelled', 'fail'])
  expect(await names('strict')).toEqual(['tell'])
  await expect(port.boundTools({ sessionId: 'two', connector: 'bound' })).rejects.toMatchObject({
    code: 'BINDING_NOT_FOUND',
  })
  expect([port.routeOf('bound'), port.routeOf('nobody')]).toEqual(['mcp:stdio', 'mcp:gone'])
})

test('a call carries its way and trace, asks the rules, and is recorded in the trace of the work', async () => {
  expect(told(await bound('tell'))).toMatchObject({
    name: 'tell',
    arguments: { a: 1 },
    _meta: {
      'herma/path': ['hub/crew>coder'],
      'herma/requestId': 'r1',
      traceparent: `00-${traceId}-${spanId}-01`,
    },
  })
  expect(asked).toMatchObject([
    {
      principal: operator,
      server: 'session:coder',
      connector: 'bound',
      original: 'tell',
      annotations: { readOnlyHint: true },
    },
  ])
  const step = events.find(({ kind }) => kind === 'step.finished')
  expect(step).toMatchObject({
    connector: 'bound',
    traceId,
    parentId: spanId,
    session: 'coder',
    thread: 't1',
    route: 'mcp:stdio',
    target: 'tell',
    outcome: 'ok',
  })
  expect(step!.spanId).not.toBe(spanId)
})

test('a rule that says no keeps the call from its server, and is told', async () => {
  refused = ({ connector }) => connector === 'bound'
  await expect(bound('tell')).rejects.toMatchObject({ code: 'FORBIDDEN', message: 'a rule says no' })
  // A composite is no way around it.
  await expect(listed('both')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect(events.filter(({ kind }) => kind === 'step.finished')).toEqual([])
  expect(events.find(({ kind }) => kind === 'access.refused')).toMatchObject({ traceId, data: { rule: 'no' } })
})

test('what is unknown, blocked or failing says so', async () => {
  await expect(bound('nothing')).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
  await expect(bound('fail')).rejects.toMatchObject({ code: 'DOWNSTREAM_FAILED', message: 'it failed on purpose' })
  const strict = { sessionId: 'one', connector: 'strict' }
  const call = { tool: 'ask', arguments: {}, workContext: workContext(), signal: new AbortController().signal }
  await expect(parts.port.callBound(strict, call)).rejects.toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringContaining('not approved'),
  })
})

test('a server asks whoever wants the work, and hears when nobody can be asked', async () => {
  const questions: string[] = []
  const ask: WorkContext['ask'] = async ({ method }) => {
    questions.push(method)
    return { result: { action: 'accept' } }
  }
  expect(told(await bound('ask', { ask }))).toEqual({ action: 'accept' })
  expect(questions).toEqual(['elicitation/create'])
  expect(told(await bound('ask'))).toMatchObject({ code: -32601 })
})

test.each(['the call', 'the errand'])('cancelling %s reaches the server', async (which) => {
  const [ofCall, ofInner] = [new AbortController(), new AbortController()]
  const before = told(await bound('cancelled')) as unknown as number[]
  const held = bound('hang', { signal: ofInner.signal }, ofCall.signal)
  // The server has the call when it answers the next one.
  await bound('tell')
  ;(which === 'the call' ? ofCall : ofInner).abort(new Error('enough'))
  await expect(held).rejects.toMatchObject({ name: 'HubError' })
  await expect.poll(async () => (told(await bound('cancelled')) as unknown as number[]).length).toBe(before.length + 1)
})

test('the catalog is that of the principal, with composites, and without what is hidden', async () => {
  const few: Principal = { ...operator, id: 'key:few', kind: 'key', name: 'few' }
  const names = (rest?: Partial<WorkContext>) => parts.port.catalogTools(workContext(rest)).map(({ name }) => name)
  expect(names()).toEqual(expect.arrayContaining(['both', 'listed__tell', 'strict__tell']))
  expect(names()).not.toContain('strict__ask')
  expect(names().some((name) => name.startsWith('bound'))).toBe(false)
  expect(names({ principal: few })).toEqual(['listed__tell'])
  expect(told(await listed('listed__tell', { principal: few }))).toMatchObject({ name: 'tell' })
  await expect(listed('both', { principal: few })).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
  await expect(listed('bound__tell')).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
})

test('a composite of the catalog runs with the way of the work, and ends with it', async () => {
  expect(told(await listed('both'))).toMatchObject({ name: 'tell', _meta: { 'herma/path': ['hub/crew>coder'] } })
  expect(events.filter(({ kind }) => kind === 'step.finished')).toMatchObject([
    { connector: 'bound', session: 'coder' },
  ])
  const leaving = new AbortController()
  const waiting = listed('patient', {}, leaving.signal)
  leaving.abort()
  expect(await waiting).toMatchObject({ isError: true })
})
