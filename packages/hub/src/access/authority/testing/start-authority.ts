import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loginProof, type Principal } from '@herma/contract'
import { Events, type HubEvent } from '../../../platform/events.ts'
import { createLog } from '../../../platform/log.ts'
import type { Store } from '../../../platform/store/store.ts'
import { openTestStore } from '../../../platform/testing/test-store.ts'
import { operator } from '../../../wire/index.ts'
import { Authority } from '../authority.ts'
import type { FetchPublic } from '../client/fetch-document.ts'
import { TestBrowser } from './test-browser.ts'

export interface TestAuthority extends AsyncDisposable {
  readonly url: string
  readonly authority: Authority
  readonly store: Store
  readonly events: HubEvent[]
  readonly settings: { registration: boolean; publicUrl: string | null }
  /** Documents that the outside offers, by address. */
  readonly documents: Map<string, () => Response>
  browser(): TestBrowser
  /** Adds a user who has set a password. */
  addUser(name: string, role?: Principal['role'], password?: string): Promise<void>
}

export const testPassword = 'correct horse battery'

/** An authority behind a small server whose `/mcp` says who has the token; on the store of `other`, or on its own. */
export async function startAuthority(other?: TestAuthority): Promise<TestAuthority> {
  const store = other ?? (await openTestStore())
  const events = new Events()
  const heard: HubEvent[] = []
  events.listen((event) => heard.push(event))
  const settings: TestAuthority['settings'] = { registration: true, publicUrl: null }
  const documents = new Map<string, () => Response>()
  const fetchPublic: FetchPublic = async (url) => {
    const document = documents.get(url)
    if (document === undefined) throw new Error('There is nothing at this address.')
    return document()
  }
  let url = ''
  const publicUrl = () => settings.publicUrl ?? url
  const authority = new Authority({
    db: store.store.db,
    // Sealing is tested where it lives; here it must only come back with the same context.
    sealer: {
      seal: (text, context) => Buffer.from(`${context} ${text}`).toString('base64'),
      open: (sealed, context) =>
        Buffer.from(sealed, 'base64')
          .toString()
          .slice(context.length + 1),
    },
    events,
    log: createLog('silent'),
    redactor: { set: () => {}, remove: () => {} },
    fetchPublic,
    isStoreShared: true,
    publicUrl,
    isPublic: () => true,
    isOpen: () => false,
    servers: () => [
      { server: 'facade', url: `${publicUrl()}/mcp` },
      { server: 'reader', url: `${publicUrl()}/api/mcp/servers/reader/stream` },
    ],
    settings: () => settings,
  })
  await authority.start()
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0]!
    if (authority.handles(path)) void authority.handle(request, response)
    else void whoAmI(authority, path, { request, response })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const browser = () => new TestBrowser(url)
  return {
    url,
    authority,
    store: store.store,
    events: heard,
    settings,
    documents,
    browser,
    async addUser(name, role = 'member', password = testPassword) {
      const { setup } = await authority.users.add({ name, role }, operator)
      const visitor = browser()
      await visitor.open(setup.url)
      const page = await visitor.submit({ code: setup.code, password, again: password })
      if (page.status !== 200) throw new Error(page.text)
    },
    async [Symbol.asyncDispose]() {
      authority.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      if ('close' in store) await store.close()
    },
  }
}

async function provenUser(authority: Authority, { headers }: IncomingMessage): Promise<Principal | null> {
  const { cookie = '', [loginProof.header]: proof = '' } = headers
  return (await authority.proves(cookie, String(proof))) ? await authority.userOf(cookie) : null
}

async function whoAmI(
  authority: Authority,
  path: string,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const server = path === '/mcp' ? 'facade' : path === '/api' ? null : 'reader'
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  const principal =
    token === undefined
      ? await provenUser(authority, request)
      : (authority.remembered(token, server) ?? (await authority.verify(token, server)))
  if (principal !== null && !('refused' in principal)) return void response.end(JSON.stringify(principal))
  const challenge = principal?.challenge ?? authority.challengeFor(server)
  response.writeHead(401, { 'www-authenticate': challenge }).end(principal?.refused.message)
}
