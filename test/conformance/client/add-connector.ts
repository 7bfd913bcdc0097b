import type { ConnectorInput, ConnectorView, SignInStep } from '@herma/contract'
import { operatorHeaders } from '../../e2e/operator-headers.ts'
import type { TestedHub } from '../runner/start-hub.ts'

/** Makes a server the only downstream of a hub; returns where the hub serves it, and how to remove it again. */
export async function addConnector(hub: TestedHub, serverUrl: string, oauth?: ConnectorInput['oauth']) {
  const headers = { ...(await operatorHeaders(hub.stateHome)), 'content-type': 'application/json' }
  const request = (url: string, init: RequestInit) => ask(url, { ...init, headers })
  const { origin, pathname } = new URL(serverUrl)
  const connector = {
    name: 'suite',
    transport: 'stream',
    baseUrl: origin,
    endpointPath: pathname,
    options: { prefix: '', era: 'auto' },
    ...(oauth && { oauth }),
  }
  const connectors = new URL('/api/connectors', hub.url).href
  await request(connectors, { method: 'POST', body: JSON.stringify(connector) })
  return {
    url: new URL('/mcp', hub.url).href,
    signIn: () => signIn(`${connectors}/suite`, request),
    remove: () => request(`${connectors}/suite`, { method: 'DELETE' }),
  }
}

/** Does what a person does with `herma login`, and once more when the server is not content with it. */
async function signIn(connector: string, request: Ask): Promise<void> {
  await visit(connector, request)
  const { signIn: view } = JSON.parse(await request(connector, { method: 'GET' })) as ConnectorView
  if (view?.state === 'needed') await visit(connector, request)
}

/** Opens the page of a sign-in, and is sent back to the hub. */
async function visit(connector: string, request: Ask): Promise<void> {
  const step = JSON.parse(await request(`${connector}/sign-in`, { method: 'POST' })) as SignInStep
  if (step.url === null) return
  const { status, headers: answered } = await fetch(step.url, { redirect: 'manual' })
  const back = answered.get('location')
  if (!back) throw new Error(`The sign-in page answered ${status} and sent nobody back.`)
  await ask(back, { method: 'GET' })
}

type Ask = (url: string, init: RequestInit) => Promise<string>

async function ask(url: string, init: RequestInit): Promise<string> {
  const response = await fetch(url, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`The hub refused ${init.method} ${url} with ${response.status}: ${text}`)
  return text
}
