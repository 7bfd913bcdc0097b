import type { ConnectorView, SignInStep } from '@herma/contract'
import { expect, test } from 'vitest'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { startOAuthServer } from '../fixtures/start-oauth-server.ts'
import { startProtectedServer } from '../fixtures/start-protected-server.ts'
import { operatorHeaders } from './operator-headers.ts'
import { startHubProcess, type HubProcess } from './start-hub-process.ts'
import { textOf, WireClient } from './wire-client.ts'

/** A hub in a process of its own that is spoken to as its operator. */
async function startHub(folder: string) {
  const hub = await startHubProcess(folder)
  const headers = { ...(await operatorHeaders(`${folder}/state`)), 'content-type': 'application/json' }
  const api = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(hub.url + path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    })
    return response.json()
  }
  return { hub, api }
}

async function signIn(api: (method: string, path: string) => Promise<unknown>): Promise<void> {
  const { url } = (await api('POST', '/api/connectors/vault/sign-in')) as SignInStep
  const page = await fetch(url!, { redirect: 'manual' })
  expect((await fetch(page.headers.get('location')!)).status).toBe(200)
}

function callEcho({ endpoint }: HubProcess) {
  return new WireClient(endpoint).requestModern('tools/call', { name: 'vault__echo', arguments: { text: 'hi' } })
}

test('a hub that is killed during a refresh loses nothing, or asks for a sign-in and nothing more', async () => {
  await using oauth = await startOAuthServer()
  await using server = await startProtectedServer(oauth, 'modern')
  const home = await createTemporaryHome()
  const refreshes = () => oauth.journal.filter((entry) => entry === 'token refresh_token').length
  const killAt = async (hub: HubProcess, moment: 'before' | 'after') => {
    oauth.expireTokens()
    const hold = oauth.holdTokens(moment)
    callEcho(hub).catch(() => undefined)
    await hold.reached
    await hub.kill()
    await hold.gone
    hold.release()
  }

  const first = await startHub(home.path)
  await first.api('POST', '/api/connectors', { name: 'vault', transport: 'stream', baseUrl: server.url })
  await signIn(first.api)
  expect(textOf(await callEcho(first.hub))).toBe('hi')

  // Its request had not been looked at: what was stored still holds.
  await killAt(first.hub, 'before')
  const second = await startHub(home.path)
  expect(textOf(await callEcho(second.hub))).toBe('hi')
  expect(refreshes()).toBe(2)

  // The new tokens were on their way and the old ones are void: only a person can go on, and is told so.
  await killAt(second.hub, 'after')
  const third = await startHub(home.path)
  for (let attempt = 0; attempt < 3; attempt++) {
    const { message } = await callEcho(third.hub)
    expect(message?.error?.message).toContain('Run: herma login vault')
  }
  const view = (await third.api('GET', '/api/connectors/vault')) as ConnectorView
  expect(view.signIn?.state).toBe('needed')
  // The one under which it died, and one that found out.
  expect(refreshes()).toBe(4)
  await signIn(third.api)
  expect(textOf(await callEcho(third.hub))).toBe('hi')
  expect(server.journal).toEqual(['echo', 'echo', 'echo'])
  await third.hub[Symbol.asyncDispose]()
  await home.remove()
})
