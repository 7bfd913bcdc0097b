import type { Login, SignInOutcome, Visitor } from '../login.ts'
import { html } from './html.ts'
import { leavePage, messagePage, page, problemParagraph, type PageAnswer } from './page.ts'
import type { PageRequest } from './page-request.ts'

export interface LoginPageOptions {
  readonly login: Login
  providers(): readonly { readonly name: string; readonly label: string }[]
}

export const loginPath = '/login'

/** Password, then a second step for who has one, or the button of an identity provider. */
export async function loginPage(request: PageRequest, options: LoginPageOptions): Promise<PageAnswer> {
  if (request.method !== 'POST') return showLogin(request, options)
  const { form } = request
  const from = visitorOf(request)
  const provider = form.get('provider')
  if (provider !== null) return await goToProvider(provider, from, options)
  const code = form.get('code')
  const outcome =
    code === null
      ? await options.login.signIn(form.get('name') ?? '', form.get('password') ?? '', from)
      : await options.login.enterCode(code, from)
  return answerOutcome(outcome, request, options)
}

function answerOutcome(outcome: SignInOutcome, request: PageRequest, options: LoginPageOptions): PageAnswer {
  const isCode = request.form.get('code') !== null
  switch (outcome.kind) {
    case 'done':
      return leaveLogin(outcome.url, outcome.cookies)
    case 'code':
      return showCode(request, { cookies: outcome.cookies })
    case 'expired':
      return messagePage('This took too long', 'Go back to the app and start again.', 400)
    case 'wait': {
      const problem = `Too many attempts. Try again in ${describeWait(outcome.waitMs)}.`
      return isCode
        ? showCode(request, { problem, status: 429 })
        : showLogin(request, options, { problem, status: 429 })
    }
    case 'refused':
      return isCode
        ? showCode(request, { problem: 'This code is not right, or it is too old.', status: 401 })
        : showLogin(request, options, { problem: 'Name or password is not right.', status: 401 })
  }
}

/** Where somebody goes who is signed in: on with the request of a client, or to the start page. */
export function leaveLogin(url: string | null, cookies: readonly string[]): PageAnswer {
  if (url === null) return { status: 303, location: '/', cookies }
  return url.startsWith('/') ? { status: 303, location: url, cookies } : leavePage(url, cookies)
}

interface Shown {
  readonly problem?: string
  readonly status?: number
  readonly cookies?: readonly string[]
}

function showLogin(request: PageRequest, options: LoginPageOptions, { problem, status = 200 }: Shown = {}): PageAnswer {
  const hidden = html`${request.formField}<input type="hidden" name="query" value="${queryOf(request)}" />`
  const buttons = options
    .providers()
    .map(
      ({ name, label }) =>
        html`<form method="post" action="${loginPath}">
          ${hidden} <button class="quiet" name="provider" value="${name}">Sign in with ${label}</button>
        </form>`,
    )
  const body = html`${problemParagraph(problem)}
    <form method="post" action="${loginPath}">
      ${hidden}
      <label
        >Name or e-mail
        <input
          name="name"
          autocomplete="username"
          autocapitalize="none"
          spellcheck="false"
          required
          autofocus
          value="${request.form.get('name') ?? ''}"
      /></label>
      <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>
      <button>Sign in</button>
    </form>
    ${buttons}`
  return page({ title: 'Sign in', body, status, cookies: request.cookies })
}

function showCode(request: PageRequest, { problem, status = 200, cookies = [] }: Shown): PageAnswer {
  const body = html`<p>Enter the code of your authenticator app, or one of your backup codes.</p>
    ${problemParagraph(problem)}
    <form method="post" action="${loginPath}">
      ${request.formField}
      <input type="hidden" name="query" value="${queryOf(request)}" />
      <label
        >Code
        <input name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required autofocus
      /></label>
      <button>Continue</button>
    </form>`
  return page({ title: 'Second step', body, status, cookies: [...request.cookies, ...cookies] })
}

async function goToProvider(
  provider: string,
  from: Visitor,
  { login, providers }: LoginPageOptions,
): Promise<PageAnswer> {
  if (!providers().some(({ name }) => name === provider))
    return messagePage('Not possible', 'This identity provider is not set up any more. Sign in another way.', 404)
  const query = from.query === '' ? {} : { oauth_query: from.query }
  const { status, body, cookies } = await login.call(
    '/sign-in/social',
    { provider, callbackURL: '/', ...query },
    from.cookie,
  )
  return status === 200 && typeof body.url === 'string'
    ? leavePage(body.url, cookies)
    : messagePage('Not possible', 'The sign-in could not be started. Go back and try again.', 502)
}

/** The signed request of a client: in the address at first, then in a field of the form. */
function queryOf({ method, search, form }: PageRequest): string {
  return method === 'POST' ? (form.get('query') ?? '') : search
}

function visitorOf(request: PageRequest): Visitor {
  return { address: request.address, cookie: request.cookie, query: queryOf(request) }
}

export function describeWait(waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1000)
  return seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
}
