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
import { loginPage, loginPath } from './login-page.ts'
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
}

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
    send(response, parsed === null ? messagePage('Not possible', stale, 403) : await handler(parsed))
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
