import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from 'drizzle-orm'
import { OAuthClient, redirectUri } from '../testing/oauth-client.ts'
import { startAuthority, testPassword, type TestAuthority } from '../testing/start-authority.ts'
import { isDocumentUrl } from './client-document.ts'

let hub: TestAuthority

beforeAll(async () => {
  hub = await startAuthority()
  await hub.addUser('ada')
})
afterAll(() => hub[Symbol.asyncDispose]())

let count = 0

/** Publishes a document and returns a client that goes by it. */
function publish(changes: Record<string, unknown> = {}, respond?: (body: string) => Response): OAuthClient {
  const id = `https://app.example/client-${++count}.json`
  const document = { client_id: id, client_name: 'Document app', redirect_uris: [redirectUri], ...changes }
  const body = JSON.stringify(document)
  hub.documents.set(
    id,
    () => respond?.(body) ?? new Response(body, { headers: { 'content-type': 'application/json' } }),
  )
  return new OAuthClient(hub.url, id)
}

test('a client is known by the document at its id, which is read once while it is fresh', async () => {
  let reads = 0
  const client = publish(
    {},
    (body) => (reads++, new Response(body, { headers: { 'content-type': 'application/json' } })),
  )
  const browser = hub.browser()
  await browser.open(client.authorizeUrl())
  const { text } = await browser.submit({ name: 'ada', password: testPassword })
  expect(text).toContain('Document app')
  expect(text).toContain(client.clientId)
  const page = await browser.submit({}, { button: 'decision=allow' })
  const answer = await client.redeem(page.url.searchParams.get('code')!)
  expect(answer.status).toBe(200)
  const { refresh_token: refreshToken } = (await answer.json()) as { refresh_token: string }
  expect(reads).toBe(1)
  await hub.store.db.execute(sql`update auth_client set fresh_until = now() - interval '1 s'`)
  const { origin } = new URL(client.clientId)
  expect(origin).toBe('https://app.example')
  // Its server is away for a moment: what is known still counts.
  hub.documents.delete(client.clientId)
  expect((await client.refresh(refreshToken)).status).toBe(200)
})

const json = { headers: { 'content-type': 'application/json' } }

test.each<[string, Record<string, unknown>, ((body: string) => Response)?]>([
  ['names another id', { client_id: 'https://other.example/client.json' }],
  ['has no name', { client_name: undefined }],
  ['has no redirect URI', { redirect_uris: [] }],
  ['has a redirect URI that is a script', { redirect_uris: ['javascript:alert(1)', redirectUri] }],
  ['holds a secret', { client_secret: 'x' }],
  ['wants to use a secret', { token_endpoint_auth_method: 'client_secret_post' }],
  ['redirects', {}, (body) => new Response(body, { ...json, status: 302 })],
  ['is gone', {}, (body) => new Response(body, { ...json, status: 404 })],
  ['is no JSON', {}, () => new Response('<html>', json)],
  ['is sent as a page', {}, (body) => new Response(body, { headers: { 'content-type': 'text/html' } })],
  ['is endless', {}, (body) => new Response(body + ' '.repeat(70_000), json)],
])('a document that %s makes no client', async (_case, changes, respond) => {
  const page = await hub.browser().open(publish(changes, respond).authorizeUrl())
  expect([page.url.pathname, page.status]).toEqual(['/auth/error', 400])
})

test('a redirect URI that the document does not name is not used', async () => {
  const page = await hub.browser().open(publish().authorizeUrl({ redirect_uri: 'https://evil.example/callback' }))
  expect(page.url.pathname).toBe('/auth/error')
})

test.each([
  ['https://app.example/client.json', true],
  ['https://app.example/a?b=c', true],
  ['http://app.example/client.json', false],
  ['https://app.example/', false],
  ['https://app.example', false],
  ['https://app.example/client.json#x', false],
  ['https://user@app.example/client.json', false],
  ['https://app.example/a/../client.json', false],
  ['https://APP.example/client.json', false],
  ['https://app.example:443/client.json', false],
  ['not a url', false],
])('%s is the address of a document: %s', (id, expected) => {
  expect(isDocumentUrl(id)).toBe(expected)
})
