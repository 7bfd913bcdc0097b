import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectorInput, ConnectorView, SignInStep } from '@herma/contract'
import { expect, test } from 'vitest'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { startWatchedHub } from '../fixtures/misbehaving/watched-hub.ts'
import { startOAuthServer } from '../fixtures/start-oauth-server.ts'
import { startProtectedServer } from '../fixtures/start-protected-server.ts'
import { startTestHub } from './start-test-hub.ts'
import { textOf, WireClient } from './wire-client.ts'

type Api = (method: string, path: string, body?: unknown) => Promise<unknown>

/** Signs in as a person does, and returns the addresses that only the browser of that person sees. */
async function signIn(api: Api, name: string): Promise<string> {
  const { url } = (await api('POST', `/api/connectors/${name}/sign-in`)) as SignInStep
  const page = await fetch(url!, { redirect: 'manual' })
  const back = await fetch(page.headers.get('location')!)
  return back.text()
}

function callEcho(endpoint: URL, name: string): Promise<string> {
  const params = { name: `${name}__echo`, arguments: { text: 'hi' } }
  return new WireClient(endpoint).requestModern('tools/call', params).then(textOf)
}

test('a hub that starts again elsewhere is still signed in, and registers anew for the next sign-in', async () => {
  await using oauth = await startOAuthServer()
  await using server = await startProtectedServer(oauth, 'modern')
  const home = await createTemporaryHome()
  const place = { configHome: home.path, stateHome: join(home.path, 'state') }
  {
    await using hub = await startTestHub({
      ...place,
      connectors: [{ name: 'vault', transport: 'stream', baseUrl: server.url }],
    })
    await signIn(async (...request) => (await hub.api(...request)).body, 'vault')
    expect(await callEcho(hub.endpoint, 'vault')).toBe('hi')
  }
  {
    await using again = await startTestHub(place)
    expect(await callEcho(again.endpoint, 'vault')).toBe('hi')
    oauth.expireTokens()
    expect(await callEcho(again.endpoint, 'vault')).toBe('hi')
    expect(oauth.journal.filter((entry) => entry === 'register')).toHaveLength(1)
    expect(oauth.journal.at(-1)).toBe('token refresh_token')
    await signIn(async (...request) => (await again.api(...request)).body, 'vault')
    expect(oauth.journal.filter((entry) => entry === 'register')).toHaveLength(2)
  }
  await home.remove()
})

test('no token, code, verifier, client secret or key is found anywhere', async () => {
  const clientSecret = 'canary-4f1c0a7be29d83c65512'
  await using oauth = await startOAuthServer({ clients: { robot: clientSecret } })
  await using server = await startProtectedServer(oauth, 'modern')
  await using hub = await startWatchedHub({ idleMs: 600_000 })
  const base = { transport: 'stream', baseUrl: server.url } as const
  const robot = { grant: 'client_credentials', clientId: 'robot', clientSecret } as const
  const privateKey = 'canary-private-key-0f9e8d7c6b5a'
  const connectors: ConnectorInput[] = [
    { ...base, name: 'vault' },
    { ...base, name: 'robot', oauth: robot },
    { ...base, name: 'key', oauth: { ...robot, privateKey, algorithm: 'ES256' } },
    { ...base, name: 'wrong', oauth: { ...robot, clientId: 'nobody' } },
  ]
  const answers: unknown[] = []
  const api: Api = async (...request) => {
    const answer = await hub.api(...request).catch(String)
    answers.push(answer)
    return answer
  }
  for (const connector of connectors) await api('POST', '/api/connectors', connector)
  answers.push(await signIn(hub.api, 'vault'))
  const endpoint = new URL(`${hub.url}/mcp`)
  await expect.poll(() => callEcho(endpoint, 'robot').catch(String)).toBe('hi')
  // Every way to fail, against a server that repeats what it was sent.
  oauth.expireTokens()
  expect(await callEcho(endpoint, 'vault')).toBe('hi')
  oauth.expireTokens()
  oauth.breakWith(500)
  const failing = { name: 'vault__echo', arguments: { text: 'x' } }
  answers.push(await new WireClient(endpoint).requestModern('tools/call', failing))
  oauth.breakWith(null)
  oauth.revokeRefreshTokens()
  answers.push(await new WireClient(endpoint).requestModern('tools/call', failing))
  const { url } = (await hub.api('POST', '/api/connectors/vault/sign-in')) as SignInStep
  const back = new URL((await fetch(url!, { redirect: 'manual' })).headers.get('location')!)
  oauth.forgetClients()
  answers.push(await (await fetch(back)).text())
  await api('POST', '/api/connectors/vault/sign-in')
  await api('PATCH', '/api/connectors/robot', { oauth: { scope: 'use' } })
  for (const { name } of connectors) {
    await api('POST', `/api/connectors/${name}/test`, {})
    for (const part of ['', '/health', '/logs?limit=1000']) await api('GET', `/api/connectors/${name}${part}`)
  }
  await api('POST', '/api/connector-test', { connector: { ...connectors[1], name: 'unstored' } })
  for (const path of ['connectors', 'events?limit=1000', 'status']) await api('GET', `/api/${path}`)

  const secrets = [clientSecret, privateKey, ...oauth.secrets].filter((secret) => secret !== 'none-sent')
  expect(secrets.length).toBeGreaterThan(10)
  const files = readdirSync(hub.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const places = [
    // The page of a sign-in is given to the one who asked for it; its state is no secret to that one.
    ['answers', JSON.stringify(answers)],
    ['the log', hub.log()],
    ['ps', execFileSync('ps', ['-eo', 'pid,args', '-ww'], { encoding: 'latin1' })],
    ...files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'latin1')]),
  ]
  for (const [where, text] of places) {
    for (const secret of secrets) {
      for (const trace of [secret.slice(0, 20), secret.slice(-10)]) {
        expect(text!.includes(trace), `${where} shows ${trace}`).toBe(false)
      }
    }
  }
  expect(JSON.stringify(answers) + hub.log()).toContain('••••')
  const views = answers.findLast((answer) => typeof answer === 'object' && answer !== null && 'connectors' in answer)
  const shown = (views as { connectors: ConnectorView[] }).connectors.find(({ name }) => name === 'robot')
  expect(shown?.oauth).toEqual({
    grant: 'client_credentials',
    clientId: 'robot',
    scope: 'use',
    hasClientSecret: true,
    hasPrivateKey: false,
  })
})
