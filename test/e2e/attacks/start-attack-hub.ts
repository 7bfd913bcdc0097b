import { once } from 'node:events'
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { ApiKeyInput, NewApiKey, Role, UserSetup } from '@herma/contract'
import { OAuthClient } from '../../../packages/hub/src/access/authority/testing/oauth-client.ts'
import { TestBrowser } from '../../../packages/hub/src/access/authority/testing/test-browser.ts'
import { createLog } from '../../../packages/hub/src/platform/log.ts'
import { startTestHub, type TestHub, type TestHubOptions } from '../start-test-hub.ts'

export interface AttackHub extends TestHub {
  /** Every line that it logged, debug too. */
  readonly log: readonly string[]
  /** Sends a request whose path and headers go out as they are. */
  ask(path: string, request?: Asked): Promise<Answer>
  /** Sends bytes as they are, and returns all that comes until the hub closes the socket. */
  raw(text: string): Promise<string>
  /** Makes an API key and returns the headers that show it. */
  key(input: ApiKeyInput): Promise<Credential>
  /** Adds a user with a password, and returns the browser in which the user is signed in. */
  user(name: string, role: Role): Promise<TestBrowser>
  /** An OAuth client that registered itself. */
  client(): Promise<OAuthClient>
}

export interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** Text and bytes go out as they are, anything else as JSON. */
  readonly body?: unknown
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface Credential {
  readonly authorization: string
}

export const password = 'correct horse battery staple'

/** A hub with an attacker's tools beside it. */
export async function startAttackHub(options: TestHubOptions = {}): Promise<AttackHub> {
  const log: string[] = []
  const hub = await startTestHub({ log: createLog('debug', (line) => void log.push(line)), ...options })
  await hub.api('PATCH', '/api/access/settings', { registration: true })
  return {
    ...hub,
    log,
    ask: (path, asked) => ask(hub.url, path, asked),
    raw: (text) => sendRaw(hub.endpoint, text),
    async key(input) {
      const { status, body } = await hub.api('POST', '/api/access/keys', input)
      if (status !== 201) throw new Error(JSON.stringify(body))
      return { authorization: `Bearer ${(body as NewApiKey).key}` }
    },
    async user(name, role) {
      const { setup } = (await hub.api('POST', '/api/access/users', { name, role })).body as UserSetup
      const browser = new TestBrowser(hub.url)
      await browser.open(setup.url)
      await browser.submit({ code: setup.code, password, again: password })
      return signIn(browser, name)
    },
    async client() {
      const client = new OAuthClient(hub.url)
      await client.register()
      return client
    },
  }
}

export async function signIn(browser: TestBrowser, name: string): Promise<TestBrowser> {
  await browser.open('/login')
  await browser.submit({ name, password })
  return browser
}

/** What a page of ours sends from this browser: the cookies, and the proof of the login. */
export function cookiesOf({ apiHeaders }: TestBrowser): Record<string, string> {
  return apiHeaders
}

async function ask(url: string, path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answer> {
  const bytes = Buffer.isBuffer(body) || typeof body === 'string' ? Buffer.from(body) : Buffer.from(toJson(body))
  const usual = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': bytes.length }
  const sent = request(url, { method, path, headers: { ...usual, ...headers }, agent: false })
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  // Who is refused before all was sent may see the socket break behind the answer.
  sent.on('error', () => {})
  sent.end(bytes)
  const [response] = await answered
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  return { status: response.statusCode!, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') }
}

function toJson(body: unknown): string {
  return body === undefined ? '' : JSON.stringify(body)
}

async function sendRaw({ hostname, port }: URL, text: string): Promise<string> {
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
  // Being cut off is an answer too; the limit is only there so that a broken test ends.
  socket.on('error', () => {}).setTimeout(10_000, () => socket.destroy())
  // A socket that is half closed would be given up before an answer that takes a moment.
  socket.write(text, 'latin1')
  if (!socket.closed) await once(socket, 'close')
  return answer
}
