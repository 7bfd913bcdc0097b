import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConnectorInput, EventView, NewApiKey, OperatorLink, UserSetup } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OAuthClient } from '../../packages/hub/src/access/authority/testing/oauth-client.ts'
import { startIdentityProvider } from '../../packages/hub/src/access/authority/testing/start-identity-provider.ts'
import { TestBrowser } from '../../packages/hub/src/access/authority/testing/test-browser.ts'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { RawClient } from '../fixtures/misbehaving/raw-client.ts'
import { startWatchedHub, type WatchedHub } from '../fixtures/misbehaving/watched-hub.ts'
import { dumpDatabase } from './canary/dump-database.ts'
import { findInFiles } from './canary/find-in-files.ts'
import { tracesOf } from './canary/secret-traces.ts'
import { startParrot, type Parrot } from './canary/start-parrot.ts'
import { stdioConnector, waitFor } from './start-test-hub.ts'

const program = fileURLToPath(new URL('canary/parrot-stdio.mjs', import.meta.url))
const formats = ['json', 'codex', 'claude', 'gemini', 'openai', 'openai-responses', 'otlp', 'har']

/** Every secret, by where it was put. */
const secrets = new Map<string, string>()
/** Signs that are spelt differently in URLs, JSON and base64 stand around the random part. */
const invent = (place: string) => remember(place, `c/"${randomBytes(12).toString('hex')}"+&`)
const remember = (place: string, value: string) => {
  secrets.set(place, value)
  return value
}

let hub: WatchedHub
let parrot: Parrot
let provider: Awaited<ReturnType<typeof startIdentityProvider>>
let tail = ''
let callers: RawClient[]
const connectors: ConnectorInput[] = []

beforeAll(async () => {
  ;[parrot, provider, hub] = await Promise.all([
    startParrot(),
    startIdentityProvider(),
    startWatchedHub({ idleMs: 600_000 }),
  ])
  await hub.api('PATCH', '/api/traces/capture/facade', { level: 'bodies', sample: 1, maxBodyBytes: 1_048_576 })
  await hub.api('PATCH', '/api/access/settings', { registration: true })
  void followTail()
  await tellHub()
  await tellConnectors()
  await signIn()
  callers = [new RawClient(`${hub.url}/mcp`)]
  await useEverything()
}, 240_000)

afterAll(async () => {
  await hub?.[Symbol.asyncDispose]()
  await parrot?.[Symbol.asyncDispose]()
  await provider?.[Symbol.asyncDispose]()
})

/** Secrets of the hub itself. */
async function tellHub(): Promise<void> {
  remember('the token of the operator', hub.operator.authorization.slice('Bearer '.length))
  for (const name of ['IN_URL', 'IN_HEADER', 'IN_ARGS', 'IN_ENV'])
    await hub.api('PUT', `/api/secrets/${name}`, { value: invent(`the secret ${name}`), description: 'a canary' })
  await hub.api('PUT', '/api/secrets/REPLACED', { value: invent('a secret that was replaced') })
  await hub.api('PUT', '/api/secrets/REPLACED', { value: invent('the secret that replaced it') })
  const { value } = (await hub.api('POST', '/api/secrets/MADE/generate', {})) as { value: string }
  remember('a generated secret', value)
  const headers = { authorization: `Bearer ${invent('a header of the collector')}` }
  await hub.api('PATCH', '/api/traces/settings', { otlp: { endpoint: parrot.url, headers, intervalMs: 1000 } })
  await hub.api('POST', '/api/access/providers', {
    name: 'idp',
    label: 'IdP',
    issuer: provider.url,
    clientId: 'herma',
    clientSecret: invent('the client secret for an identity provider'),
  })
  const introspection = { clientId: 'herma', clientSecret: invent('the client secret for an issuer') }
  await hub.api('POST', '/api/access/issuers', { name: 'other', issuer: parrot.url, introspection })
}

/** One connector for every transport, and every field that takes a secret. */
async function tellConnectors(): Promise<void> {
  const options = { maxRestarts: 1, handshakeTimeoutMs: 5000, requestTimeoutMs: 3000, era: 'legacy' } as const
  const headersOf = (name: string) => [
    { name: 'Authorization', value: `Bearer ${invent(`the Authorization header of ${name}`)}` },
    { name: 'X-Api-Key', value: invent(`another header of ${name}`), secret: true },
  ]
  const over = (transport: 'stream' | 'http' | 'sse', name: string = transport): ConnectorInput => ({
    name,
    transport,
    baseUrl: `${parrot.url}/${transport}`,
    headers: headersOf(name),
    options,
  })
  connectors.push(
    over('stream'),
    over('http'),
    over('sse'),
    { ...over('stream', 'refused'), baseUrl: `${parrot.url}/nothing` },
    { ...over('stream', 'unreachable'), baseUrl: 'http://127.0.0.1:9/' },
    {
      name: 'referring',
      transport: 'stream',
      baseUrl: parrot.url,
      endpointPath: '/stream?key={secret:IN_URL}',
      headers: [{ name: 'Authorization', value: 'Bearer {secret:IN_HEADER}' }],
      options,
    },
    {
      name: 'robot',
      transport: 'stream',
      baseUrl: `${parrot.url}/robot`,
      oauth: { grant: 'client_credentials', clientId: 'robot', clientSecret: invent('the secret of an OAuth client') },
      options,
    },
    stdioConnector('stdio', [program], {
      env: [{ name: 'PARROT_TOKEN', value: invent('a variable') }],
      options,
    }),
    stdioConnector('arguments', [program, '{secret:IN_ARGS}'], {
      env: [{ name: 'PARROT_TOKEN', value: '{secret:IN_ENV}' }],
      options,
    }),
    stdioConnector('absent', [], {
      cmd: '/no/such/command',
      env: [{ name: 'A_KEY', value: invent('a lost variable') }],
    }),
    stdioConnector('personal', [program], {
      env: [{ name: 'PARROT_PERSONAL', personal: true }],
      options: { ...options, credentials: 'personal' },
    }),
  )
  for (const connector of connectors) await hub.api('POST', '/api/connectors', connector)
  await hub.api('PUT', '/api/connectors/personal/credentials', { env: { PARROT_PERSONAL: invent('a personal value') } })
}

/** Everything that lets somebody in. */
async function signIn(): Promise<void> {
  const password = remember('a password', `correct ${randomBytes(12).toString('hex')} battery`)
  const { setup } = (await hub.api('POST', '/api/access/users', { name: 'ann', role: 'owner' })) as UserSetup
  remember('the code for a password', setup.code)
  const browser = new TestBrowser(hub.url)
  await browser.open(setup.url)
  await browser.submit({ code: setup.code, password, again: password })
  await browser.open('/login')
  // People type it into the wrong field, and into the right one wrongly.
  await browser.submit({ name: password, password: 'x' })
  await browser.submit({ name: 'ann', password: `${password}!` })
  await browser.submit({ name: 'ann', password })
  remember('the cookie of a user', signatureOf(browser))
  const client = new OAuthClient(hub.url)
  const registered = await client.register({ token_endpoint_auth_method: 'client_secret_post' })
  const { client_secret: clientSecret } = (await registered.json()) as { client_secret: string }
  remember('the secret of a client that registered itself', clientSecret)
  const publicClient = new OAuthClient(hub.url)
  await publicClient.register()
  const tokens = await publicClient.signIn(browser, 'ann', password)
  remember('an access token', tokens.access_token.split('.')[2]!)
  remember('a refresh token', tokens.refresh_token)
  const next = (await (await publicClient.refresh(tokens.refresh_token)).json()) as { refresh_token: string }
  remember('the next refresh token', next.refresh_token)
  const caller = new RawClient(`${hub.url}/mcp`)
  await caller.callTool('stream__say', {}, { authorization: `Bearer ${tokens.access_token}` })
  await caller.callTool('stream__say', {}, { authorization: `Bearer ${tokens.access_token}x` })
  await browser.open('/auth/account')
  const { text } = await browser.submit({ current: password }, { button: 'action=enable-code', form: 1 })
  remember('the key of an authenticator app', /<code>([A-Z2-7]+)<\/code>/.exec(text)![1]!)
  remember('a backup code', /<li>([^<]+)<\/li>/.exec(text)![1]!)
  const { key } = (await hub.api('POST', '/api/access/keys', { name: 'ci' })) as NewApiKey
  remember('an API key', key)
  await caller.callTool('stream__say', {}, { authorization: `Bearer ${key}` })
  await fetch(`${hub.url}/mcp?api_key=${key}`)
  await fetch(`${hub.url}/api/status?anything=${key}`)
  const { url } = (await hub.api('POST', '/api/access/link')) as OperatorLink
  remember('a link of the operator', new URL(url).searchParams.get('ticket')!)
  const opened = await fetch(url, { redirect: 'manual' })
  // It begins with the name of its key, which is none.
  remember('the cookie of the operator', opened.headers.getSetCookie()[0]!.split(';')[0]!.slice(-40))
}

/** The store has the first part of the cookie, which opens nothing without the signature behind it. */
function signatureOf({ cookies }: TestBrowser): string {
  const [, cookie = ''] = [...cookies].find(([name]) => name.endsWith('.session_token')) ?? []
  return decodeURIComponent(cookie).split('.')[1]!
}

/** Every tool of every connector in both eras, with all secrets of connectors as arguments too; and what goes wrong. */
async function useEverything(): Promise<void> {
  const [client] = callers as [RawClient]
  const known = [...secrets].filter(([, value]) => value.startsWith('c/"')).map(([, value]) => value)
  const connection = await client.connect()
  await connection.request('logging/setLevel', { level: 'debug' })
  const args = { note: known.join(' '), password: 'p', [known[0]!]: 1 }
  const use = async ({ name }: ConnectorInput) => {
    for (const tool of ['say', 'fail', 'complain', 'report']) {
      await client.callTool(`${name}__${tool}`, args)
      const params = { name: `${name}__${tool}`, arguments: args, _meta: { progressToken: name } }
      await connection.request('tools/call', params)
    }
    await hub.api('POST', `/api/connectors/${name}/test`, {})
  }
  await Promise.all(connectors.map(use))
  for (const uri of ['parrot://one', `parrot://${encodeURIComponent(known[0]!)}`])
    await connection.request('resources/read', { uri })
  await connection.request(`vendor/${known[0]}`, { known })
  await client.send(`{"jsonrpc":"2.0","broken ${known[1]}`)
  const tell = (method: string, path: string, body: unknown) =>
    fetch(hub.url + path, {
      method,
      headers: { ...hub.operator, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  await tell('POST', '/api/connectors', `{"name":"x","headers":[{"name":"A","value":"${known[2]}`)
  await tell('POST', '/api/connectors', { name: 'bad name', transport: 'stream', headers: known })
  await tell('PATCH', '/api/connectors/stream', { headers: [{ name: 'Authorization', secret: false }] })
  await tell('POST', '/api/connector-test', { connector: connectors[0] })
  await tell('DELETE', '/api/connectors/absent', '')
  await tell('POST', '/api/secret-keys/rotate', {})
}

/** The live tail, as long as the hub runs. */
async function followTail(): Promise<void> {
  const response = await fetch(`${hub.url}/api/traces/tail`, { headers: hub.operator }).catch(() => null)
  if (response?.body == null) return
  try {
    for await (const chunk of response.body) tail += Buffer.from(chunk).toString('utf8')
  } catch {
    // The hub was stopped.
  }
}

function expectClean(text: string | Buffer, where: string, except: readonly string[] = []): void {
  for (const [place, secret] of secrets) {
    if (except.includes(place)) continue
    for (const trace of tracesOf(secret)) expect(text.includes(trace), `${where} shows ${place}`).toBe(false)
  }
}

const get = async (path: string) => (await fetch(hub.url + path, { headers: hub.operator })).text()

test('the secrets have been where they are used', async () => {
  for (const place of ['the Authorization header of stream', 'another header of sse', 'the secret IN_URL'])
    expect(parrot.heard, place).toContain(secrets.get(place))
  const { message } = await callers[0]!.callTool('stdio__say')
  // A client gets what its server says.
  expect(message.result?.content?.[0]?.text).toContain(secrets.get('a variable'))
  const personal = await callers[0]!.callTool('personal__say')
  expect(personal.text).toContain(JSON.stringify(secrets.get('a personal value')).slice(1, -1))
  expect(secrets.size).toBeGreaterThan(30)
})

describe('a secret appears', () => {
  test('in no recorded event, though bodies are recorded', async () => {
    const events = await waitFor(async () => {
      const { events: found } = JSON.parse(await get('/api/events?limit=1000')) as { events: EventView[] }
      return found.some(({ kind }) => kind === 'message.sent') ? found : undefined
    })
    expect(JSON.stringify(events)).toContain('••••')
    expectClean(await get('/api/events?limit=1000'), 'events')
    expectClean(await get('/api/traces?limit=1000'), 'traces')
    expectClean(await get('/api/audit?limit=1000'), 'the audit log')
    expect(tail).toContain('call.finished')
    expectClean(tail, 'the live tail')
    for (const { target } of events) expectClean(target ?? '', 'a target')
  })

  test.each(formats)('in no export as %s', async (format) => {
    expectClean(await get(`/api/traces/download?format=${format}&limit=1000`), format)
    const { events } = JSON.parse(await get('/api/traces?kind=call.finished&limit=60')) as { events: EventView[] }
    for (const { traceId } of events)
      expectClean(await get(`/api/traces/${traceId}/download?format=${format}`), `${format} of ${traceId}`)
  })

  test('in no answer of the management API', async () => {
    const { paths } = JSON.parse(await get('/api/openapi.json')) as { paths: Record<string, object> }
    const values: Record<string, string[]> = {
      '/api/connectors': connectors.map(({ name }) => name),
      '/api/servers': ['facade', 'herma'],
      '/api/access/keys': ['ci'],
      '/api/access/users': ['ann'],
      '/api/catalog/tools': ['stream__say', 'stdio__say'],
    }
    let count = 0
    for (const [path, methods] of Object.entries(paths)) {
      // They do not end.
      if (!('get' in methods) || path === '/api/traces/tail' || path === '/api/changes') continue
      const names = Object.entries(values).find(([prefix]) => path.startsWith(`${prefix}/`))?.[1] ?? ['x']
      for (const name of names) {
        expectClean(await get(path.replaceAll(/\{\w+\}/g, name)), path)
        count++
      }
    }
    expect(count).toBeGreaterThan(50)
  })

  test('in no page, figure or document for others', async () => {
    for (const path of ['/metrics', '/mcp/manifest.json', '/', '/login', '/auth/jwks', '/healthz', '/mcp'])
      expectClean(await get(path), path)
    const { message } = await callers[0]!.modern('tools/list')
    expectClean(JSON.stringify(message), 'tools/list')
  })

  test.each([
    'status',
    'list',
    ...['stream', 'stdio', 'sse', 'refused', 'robot', 'personal'].flatMap((name) => [`show ${name}`, `logs ${name}`]),
    'tools stream',
    'test refused',
    'credentials show personal',
    'server',
    'access',
    'user list',
    'user grants',
    'user provider list',
    'user issuer list',
    'key list',
    'policy list',
    'secret list',
    'secret keys',
    'traces list',
    'traces stats',
    'traces latency',
    'traces settings',
    'traces capture',
    'audit',
    'catalog list',
    'catalog show stream__say',
    'catalog scan',
    'catalog pins',
    'catalog history',
  ])('in no line of: herma %s', async (words) => {
    for (const more of [[], ['--json']]) {
      const env = { HERMA_CONFIG_HOME: hub.folder, HERMA_STATE_HOME: join(hub.folder, 'state') }
      const { terminal, written } = captureTerminal({ env })
      await runCli([...words.split(' '), ...more], terminal)
      expect(written.error).not.toContain('unknown command')
      expectClean(written.out + written.error, words)
    }
  })

  test('in no list of processes but that of a server which takes one as an argument', () => {
    // Whoever puts a secret into an argument shows it to everybody on the machine, and is told so.
    expectClean(execFileSync('ps', ['-eo', 'pid,args', '-ww']), 'ps', ['the secret IN_ARGS'])
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      if (!isOfHub(pid)) continue
      expectClean(readFileSync(`/proc/${pid}/comm`), `the name of ${pid}`)
      expectClean(readFileSync(`/proc/${pid}/environ`), `the environment of ${pid}`, ownEnvironment)
    }
  })

  test('in no line of the log', () => {
    expectClean(hub.log(), 'the log')
  })

  test('in no table, and in no file of the hub, not even in those of its database', async () => {
    const tables = await dumpDatabase(join(hub.folder, 'state'))
    expect(tables.size).toBeGreaterThan(20)
    for (const [name, text] of tables) expectClean(text, `the table ${name}`)
    expect(findInFiles(hub.folder, ['call.finished']).length).toBeGreaterThan(0)
    const traces = [...secrets.values()].flatMap(tracesOf)
    expect(findInFiles(hub.folder, traces, ['operator-token'])).toEqual([])
  })
})

/** What servers have in their environment is what they need. */
const ownEnvironment = ['a variable', 'the secret IN_ENV', 'a personal value']

function isOfHub(pid: string): boolean {
  try {
    const parent = /^\d+ \(.*\) \w (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
    return Number(pid) === hub.pid || Number(parent) === hub.pid
  } catch {
    // It ended between the listing and the look.
    return false
  }
}
