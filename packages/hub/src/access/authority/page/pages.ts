import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '@herma/contract'
import type { Events } from '../../../platform/events.ts'
import { cookiePrefixOf } from '../engine.ts'
import { authPath } from '../resource/metadata.ts'
import type { ServedResource } from '../resource/served-resource.ts'
import type { Login } from '../login.ts'
import type { AuthorityStore } from '../store.ts'
import { setPasswordPath, type Users } from '../user/users.ts'
import { accountPage, accountPath } from './account-page.ts'
import { consentPage, consentPath } from './consent-page.ts'
import { describeLoginFailure } from './describe-failure.ts'
import { leaveLogin, loginPage, loginPath } from './login-page.ts'
import type { LoginProofs } from './login-proofs.ts'
import { messagePage, pageHeaders, stylesheetPath, type PageAnswer } from './page.ts'
import { readPageRequest, type PageRequest } from './page-request.ts'
import { setPasswordPage } from './set-password-page.ts'
import { stylesheet } from './stylesheet.ts'

export interface PagesOptions {
  readonly login: Login
  readonly store: AuthorityStore
  readonly users: Users
  readonly events: Events
  publicUrl(): string
  resources(): readonly ServedResource[]
  providers(): readonly { readonly name: string; readonly label: string }[]
  secret(): Promise<string>
  userOf(cookie: string): Promise<Principal | null>
  forget(): Promise<void>
  readonly proofs: LoginProofs
  /** Goes on with the request of a client, in the name of whoever the cookie is of. */
  authorize(search: string, cookie: string): Promise<Response>
}

export const authorizePath = `${authPath}/oauth2/authorize`

/** Pages that show or do something in the name of whoever is signed in. */
const personal: ReadonlySet<string> = new Set([consentPath, accountPath, authorizePath])

type Handler = (request: PageRequest) => Promise<PageAnswer>

/** The pages for people, by path. */
export class LoginPages {
  readonly #options: PagesOptions
  readonly #handlers: ReadonlyMap<string, Handler>

  constructor(options: PagesOptions) {
    this.#options = options
    const { login, users, store, events, resources, userOf, forget, providers } = options
    const onGiven = (user: string, client: string, scopes: string) =>
      events.emit('grant.given', null, { user, client, scopes }, { principal: `user:${user}` })
    this.#handlers = new Map<string, Handler>([
      [loginPath, (request) => loginPage(request, { login, providers })],
      [consentPath, (request) => consentPage(request, { login, store, resources, userOf, onGiven })],
      [setPasswordPath, (request) => setPasswordPage(request, { login, users })],
      [accountPath, (request) => accountPage(request, { login, users, userOf, forget })],
      [authorizePath, ({ search, cookie }) => this.#authorize(search, cookie)],
      [
        `${authPath}/error`,
        async ({ query }) => messagePage('Not possible', describeLoginFailure(query.get('error') ?? ''), 400),
      ],
    ])
  }

  has(path: string): boolean {
    return this.#handlers.has(path)
  }

  async handle(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (path === stylesheetPath) return sendStylesheet(response)
    const handler = this.#handlers.get(path)
    if (handler === undefined) return send(response, messagePage('Not found', 'There is nothing here.', 404))
    if (!['GET', 'HEAD', 'POST'].includes(request.method ?? ''))
      return send(response, messagePage('Not possible', 'Use GET or POST.', 405))
    const publicUrl = this.#options.publicUrl()
    const parsed = await readPageRequest(request, {
      publicUrl,
      cookiePrefix: cookiePrefixOf(publicUrl),
      secret: await this.#options.secret(),
    })
    const stale = 'The page was open for too long, or cookies are off. Go back, load it again and repeat.'
    if (parsed === null) return send(response, messagePage('Not possible', stale, 403))
    const answer = personal.has(path) ? await this.#answerProven(path, parsed) : await handler(parsed)
    send(response, await this.#options.proofs.addTo(answer))
  }

  /** A cookie alone opens no page that is somebody's: every port of this host gets it. */
  async #answerProven(path: string, request: PageRequest): Promise<PageAnswer> {
    const { proofs } = this.#options
    const shown = await proofs.read(request)
    if (shown === 'proven') return await this.#handlers.get(path)!(proofs.proven(request))
    if (shown === null && request.method !== 'POST' && proofs.hasLogin(request.cookie)) return proofs.ask(request)
    const search = request.method === 'POST' ? (request.form.get('query') ?? '') : request.search
    if (path === authorizePath) return await this.#authorize(search, '')
    return { status: 303, location: search === '' ? loginPath : `${loginPath}?${search}`, cookies: request.cookies }
  }

  async #authorize(search: string, cookie: string): Promise<PageAnswer> {
    const answer = await this.#options.authorize(search, cookie)
    const { origin } = new URL(this.#options.publicUrl())
    const location = answer.headers.get('location')
    if (location === null) return messagePage('Not possible', 'Go back to the app and start again.', 400)
    return leaveLogin(
      location.startsWith(`${origin}/`) ? location.slice(origin.length) : location,
      answer.headers.getSetCookie(),
    )
  }
}

function send(response: ServerResponse, { status, body = '', location, cookies = [] }: PageAnswer): void {
  if (cookies.length > 0) response.setHeader('set-cookie', [...cookies])
  if (location !== undefined) response.setHeader('location', location)
  response.writeHead(status, pageHeaders).end(body)
}

function sendStylesheet(response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'text/css; charset=utf-8',
    'cache-control': 'public, max-age=3600',
    'x-content-type-options': 'nosniff',
  })
  response.end(stylesheet)
}
