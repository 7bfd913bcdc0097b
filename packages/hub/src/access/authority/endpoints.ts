import type { IncomingMessage, ServerResponse } from 'node:http'
import { clientAddress, readTextBody } from '../../platform/http/index.ts'
import { decodeJwt } from 'jose'
import type { Events } from '../../platform/events.ts'
import { AttemptLimit } from './attempt-limit.ts'
import type { LoginProofs } from './page/login-proofs.ts'
import { pageHeaders } from './page/page.ts'
import { completeAuthorization, completeRegistration } from './client/complete-request.ts'
import { maxClients } from './client/client-documents.ts'
import { hashToken, type Engine } from './engine.ts'
import { authPath } from './resource/metadata.ts'
import type { ServedResource } from './resource/served-resource.ts'
import type { Login } from './login.ts'
import type { AuthorityStore } from './store.ts'
import { subjectOfGrant, subjectOfToken } from './user/revocations.ts'

export interface EndpointsOptions {
  readonly store: AuthorityStore
  readonly login: Login
  readonly events: Events
  publicUrl(): string
  resources(): readonly ServedResource[]
  engine(): Promise<Engine>
  /** Refuses the access tokens of a subject from now on. */
  revoke(subject: string): Promise<void>
  readonly proofs: LoginProofs
}

const maxBodyBytes = 65_536
const hourMs = 60 * 60_000

/** What OAuth clients call, and where browsers come back to. Everything else of better-auth stays closed. */
export class Endpoints {
  readonly #options: EndpointsOptions
  // Every registration counts, not only one that fails.
  readonly #registrations = new AttemptLimit({ free: 60, waitMs: 30_000, maxWaitMs: hourMs, memoryMs: hourMs })

  constructor(options: EndpointsOptions) {
    this.#options = options
  }

  /** False when there is nothing at the path. */
  async handle(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    if (path === `${authPath}/oauth2/authorize`) await this.#authorize(request, response)
    else if (/^\/auth\/callback\/[a-z0-9-]+$/.test(path)) await this.#callBack(path, request, response)
    else {
      const endpoint = this.#forClients(path)
      if (endpoint === undefined) return false
      await this.#answerClient(endpoint, request, response)
    }
    return true
  }

  async #authorize(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET') return sendError(response, 405, 'invalid_request', 'Use GET.')
    await send(response, await this.authorize(new URL(request.url ?? '', this.#options.publicUrl()).search, ''))
  }

  /** Answers the request of a client in the name of whoever the cookie is of; empty = nobody is signed in. */
  authorize(search: string, cookie: string): Promise<Response> {
    const url = this.#urlOf(`${authPath}/oauth2/authorize`)
    url.search = search
    completeAuthorization(url.searchParams, this.#options.resources())
    return this.#forward(url, { cookie, accept: 'text/html' })
  }

  /** An identity provider sends somebody back. */
  async #callBack(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET') return sendError(response, 405, 'invalid_request', 'Use GET.')
    const { search } = new URL(request.url ?? '', this.#options.publicUrl())
    const url = new URL(path + search, this.#options.publicUrl())
    const answer = await this.#forward(url, { cookie: request.headers.cookie ?? '', accept: 'text/html' })
    const cookies = answer.headers.getSetCookie()
    await this.#options.login.record(cookies)
    const location = answer.headers.get('location')
    if (location === null) return await send(response, answer)
    const page = await this.#options.proofs.addTo({ status: answer.status, location, cookies })
    if (page.body === undefined) return await send(response, answer)
    response.setHeader('set-cookie', cookies)
    response.writeHead(page.status, pageHeaders).end(page.body)
  }

  #forClients(path: string): ClientEndpoint | undefined {
    switch (path) {
      case `${authPath}/jwks`:
        return { method: 'GET', answer: () => this.#forward(this.#urlOf(path), {}) }
      case `${authPath}/oauth2/token`:
        return { method: 'POST', answer: (request) => this.#token(request) }
      case `${authPath}/oauth2/revoke`:
        return { method: 'POST', answer: (request) => this.#revoke(request) }
      case `${authPath}/oauth2/register`:
        return { method: 'POST', answer: (request) => this.#register(request) }
      default:
        return undefined
    }
  }

  /** Clients in browsers come from any origin; none of these looks at cookies. */
  async #answerClient(endpoint: ClientEndpoint, request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('access-control-allow-origin', '*')
    if (request.method === 'OPTIONS') {
      response.setHeader('access-control-allow-methods', `${endpoint.method}, OPTIONS`)
      response.setHeader('access-control-allow-headers', 'authorization, content-type, mcp-protocol-version')
      response.setHeader('access-control-max-age', '86400')
      response.writeHead(204).end()
    } else if (request.method === endpoint.method) await send(response, await endpoint.answer(request))
    else sendError(response, 405, 'invalid_request', `Use ${endpoint.method}.`)
  }

  async #token(request: IncomingMessage): Promise<Response> {
    const body = await readTextBody(request, maxBodyBytes)
    return await this.#forward(this.#urlOf(`${authPath}/oauth2/token`), headersOf(request), body)
  }

  /** https://www.rfc-editor.org/rfc/rfc7009 */
  async #revoke(request: IncomingMessage): Promise<Response> {
    const body = await readTextBody(request, maxBodyBytes)
    const answer = await this.#forward(this.#urlOf(`${authPath}/oauth2/revoke`), headersOf(request), body)
    const form = new URLSearchParams(body)
    const token = form.get('token') ?? ''
    if (answer.status === 200) {
      const owner = await this.#options.store.ownerOfRefreshToken(hashToken(token))
      if (owner !== null) await this.#options.revoke(subjectOfGrant(owner.userId, owner.clientId))
      return answer
    }
    const { error } = (await answer
      .clone()
      .json()
      .catch(() => ({}))) as { error?: string }
    if (error !== 'unsupported_token_type') return answer
    // better-auth knows the client and the signature, and cannot take back a JWT; we can.
    const { jti, client_id: owner } = decodeJwt(token)
    if (jti !== undefined && owner === clientIdOf(request, form)) await this.#options.revoke(subjectOfToken(jti))
    return Response.json({}, { headers: { 'cache-control': 'no-store' } })
  }

  async #register(request: IncomingMessage): Promise<Response> {
    const address = clientAddress(request)
    if (this.#registrations.waitMs(address) > 0)
      return problem(429, 'temporarily_unavailable', 'Too many registrations.')
    if ((await this.#options.store.countClients()) >= maxClients)
      return problem(503, 'temporarily_unavailable', 'There are too many clients. Ask the owner of this hub.')
    this.#registrations.fail(address)
    const body = completeRegistration(await readTextBody(request, maxBodyBytes))
    if (body === null) return problem(400, 'invalid_client_metadata', 'The body is not a JSON object.')
    const headers = { 'content-type': 'application/json' }
    const answer = await this.#forward(this.#urlOf(`${authPath}/oauth2/register`), headers, JSON.stringify(body))
    if (answer.status === 201) this.#options.events.emit('client.registered', null, { name: body.client_name ?? null })
    return answer
  }

  #urlOf(path: string): URL {
    return new URL(path, this.#options.publicUrl())
  }

  async #forward(url: URL, headers: Record<string, string>, body?: string): Promise<Response> {
    const engine = await this.#options.engine()
    const method = body === undefined ? 'GET' : 'POST'
    return await engine.handler(new Request(url, { method, headers, ...(body === undefined ? {} : { body }) }))
  }
}

interface ClientEndpoint {
  readonly method: 'GET' | 'POST'
  readonly answer: (request: IncomingMessage) => Promise<Response>
}

/** Only what the endpoints of OAuth read: no cookie, no proof of possession. */
function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return {
    'content-type': headers['content-type'] ?? '',
    ...(headers.authorization === undefined ? {} : { authorization: headers.authorization }),
  }
}

function clientIdOf({ headers }: IncomingMessage, form: URLSearchParams): string | null {
  const basic = /^basic +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (basic === undefined) return form.get('client_id')
  const [id = ''] = Buffer.from(basic, 'base64').toString('utf8').split(':')
  return new URLSearchParams(`id=${id}`).get('id')
}

async function send(response: ServerResponse, answer: Response): Promise<void> {
  for (const name of ['content-type', 'location', 'www-authenticate']) {
    const value = answer.headers.get(name)
    if (value !== null) response.setHeader(name, value)
  }
  const cookies = answer.headers.getSetCookie()
  if (cookies.length > 0) response.setHeader('set-cookie', cookies)
  response.setHeader('cache-control', 'no-store')
  response.setHeader('referrer-policy', 'no-referrer')
  response.setHeader('x-content-type-options', 'nosniff')
  response.writeHead(answer.status).end(await answer.text())
}

function problem(status: number, error: string, description: string): Response {
  return Response.json({ error, error_description: description }, { status })
}

function sendError(response: ServerResponse, status: number, error: string, description: string): void {
  const body = JSON.stringify({ error, error_description: description })
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(body)
}
