import { ConnectorInput, type Connector } from '@herma/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startOAuthServer, type OAuthServer } from '../fixtures/start-oauth-server.ts'
import { startProtectedServer, type ProtectedServer } from '../fixtures/start-protected-server.ts'
import { AdvisoryLocks } from '../../packages/hub/src/platform/store/advisory-locks.ts'
import { createLog } from '../../packages/hub/src/platform/log.ts'
import { createAddressGuard } from '../../packages/hub/src/platform/network/index.ts'
import { openTestStore, type TestStore } from '../../packages/hub/src/platform/testing/test-store.ts'
import { openKeyRing, Redactor, type Sealer } from '../../packages/hub/src/secret/index.ts'
import { ConnectorStore } from '../../packages/hub/src/downstream/connector/store.ts'
import { Authorizations } from '../../packages/hub/src/downstream/authorization/authorizations.ts'
import type { Authorization } from '../../packages/hub/src/downstream/authorization/authorization.ts'
import { AuthorizationStore } from '../../packages/hub/src/downstream/authorization/store.ts'

let opened: TestStore
let sealer: Sealer
let oauth: OAuthServer
let server: ProtectedServer
let id: string

beforeAll(async () => {
  opened = await openTestStore()
  sealer = await openKeyRing({ stateHome: opened.stateHome, db: opened.store.db })
})
afterAll(() => opened.close())

beforeEach(async () => {
  await opened.store.pool.query('delete from connector')
  oauth = await startOAuthServer()
  server = await startProtectedServer(oauth, 'modern')
  id = (await new ConnectorStore(opened.store.db, sealer).insert(connectorOf())).id
  return async () => {
    await server[Symbol.asyncDispose]()
    await oauth[Symbol.asyncDispose]()
  }
})

function connectorOf(options: Partial<ConnectorInput['options']> = {}): Connector {
  return ConnectorInput.parse({ name: 'vault', transport: 'stream', baseUrl: server.url, options })
}

/** The authorizations of one hub on the store. */
async function startAuthorizations(): Promise<Authorizations> {
  const authorizations = new Authorizations({
    store: new AuthorizationStore(opened.store.db, sealer),
    redactor: new Redactor(),
    log: createLog('silent'),
    guard: createAddressGuard(() => ({ private: 'allow', allow: [] })),
    locks: new AdvisoryLocks(opened.store.pool),
    redirectUrl: () => 'http://127.0.0.1:9/api/oauth/callback',
  })
  await authorizations.start()
  return authorizations
}

async function signIn(authorization: Authorization, authorizations: Authorizations): Promise<void> {
  const { url } = await authorization.signIn('operator')
  const back = new URL((await fetch(url!, { redirect: 'manual' })).headers.get('location')!)
  const [state, code, iss] = ['state', 'code', 'iss'].map((name) => back.searchParams.get(name)!)
  await authorizations.waitingFor(state!).authorization.finish({ code, iss })
}

const refreshes = () => oauth.journal.filter((entry) => entry === 'token refresh_token').length
const refusal = (sent: string | null) => ({ status: 401, header: null, sent })

test('of two hubs one refreshes, and the other takes what it got', async () => {
  const one = await startAuthorizations()
  const first = one.of(id, connectorOf(), new URL(server.url)).for('operator').authorization!
  await signIn(first, one)
  const two = await startAuthorizations()
  const second = two.of(id, connectorOf(), new URL(server.url)).for('operator').authorization!
  const before = first.header()
  expect(second.header()).toBe(before)
  for (let round = 1; round <= 3; round++) {
    const sent = first.header()
    await Promise.all([first, second, first, second].map((each) => each.renew(refusal(sent))))
    expect(refreshes()).toBe(round)
    expect(first.header()).toBe(second.header())
    expect(first.header()).not.toBe(sent)
  }
  // What one hub signed out of, the other does not bring back.
  await first.signOut()
  await expect(second.renew(refusal(second.header()))).rejects.toMatchObject({ code: 'SIGN_IN_REQUIRED' })
  expect(refreshes()).toBe(3)
  await signIn(first, one)
  await second.renew(refusal(second.header()))
  expect(second.header()).toBe(first.header())
})

test('what principals have of their own is theirs, also after a restart', async () => {
  const authorizations = await startAuthorizations()
  const personal = connectorOf({ credentials: 'personal' })
  const credentials = authorizations.of(id, personal, new URL(server.url))
  await signIn(credentials.for('user:ann').authorization!, authorizations)
  await credentials.for('user:bob').records.set('values', '', { headers: { 'X-Key': 'bob-secret' }, env: {} })
  expect(credentials.for('user:bob').authorization!.header()).toBeNull()
  expect(credentials.reader).toBe('user:ann')

  const again = (await startAuthorizations()).of(id, personal, new URL(server.url))
  expect(again.holders()).toEqual(['user:ann', 'user:bob'])
  expect(again.for('user:ann').authorization!.header()).toBe(credentials.for('user:ann').authorization!.header())
  expect(again.valuesOf('user:bob').headers).toEqual({ 'X-Key': 'bob-secret' })
  expect(again.valuesOf('user:ann').headers).toEqual({})
  await again.remove('user:ann')
  expect((await startAuthorizations()).of(id, personal, new URL(server.url)).holders()).toEqual(['user:bob'])
})

test('a record of one principal does not open as that of another', async () => {
  const authorizations = await startAuthorizations()
  const personal = connectorOf({ credentials: 'personal' })
  const values = { headers: { 'X-Key': 'ann-secret' }, env: {} }
  await authorizations.of(id, personal, new URL(server.url)).for('user:ann').records.set('values', '', values)
  await opened.store.pool.query(`update downstream_authorization set principal = 'user:eve'`)
  const moved = (await startAuthorizations()).of(id, personal, new URL(server.url))
  expect(moved.holders()).toEqual([])
})

test('nothing goes along when the connector leads to another server', async () => {
  const authorizations = await startAuthorizations()
  const personal = connectorOf({ credentials: 'personal' })
  const values = { headers: { 'X-Key': 'ann-secret' }, env: {} }
  await authorizations.of(id, personal, new URL(server.url)).for('user:ann').records.set('values', '', values)
  const elsewhere = new URL('http://127.0.0.1:9/mcp')
  expect(authorizations.of(id, personal, elsewhere).valuesOf('user:ann').headers).toEqual({})
  expect((await startAuthorizations()).of(id, personal, elsewhere).holders()).toEqual([])
})
