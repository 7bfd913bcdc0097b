import { HubError, type GrantView, type Principal, type UserView } from '@herma/contract'
import { authPath } from '../resource/metadata.ts'
import type { Login } from '../login.ts'
import type { Users } from '../user/users.ts'
import { html, type Html } from './html.ts'
import { loginPath } from './login-page.ts'
import { newPasswordFields } from './new-password-fields.ts'
import { page, problemParagraph, type PageAnswer } from './page.ts'
import type { PageRequest } from './page-request.ts'
import { passwordProblem } from './set-password-page.ts'

export interface AccountPageOptions {
  readonly login: Login
  readonly users: Pick<Users, 'get' | 'listGrants' | 'revokeGrant'>
  userOf(cookie: string): Promise<Principal | null>
  /** Something about signed-in browsers changed. */
  forget(): Promise<void>
}

export const accountPath = `${authPath}/account`

/** Where a user changes the password, sets up a second step, takes back what clients may do, and signs out. */
export async function accountPage(request: PageRequest, options: AccountPageOptions): Promise<PageAnswer> {
  const user = await options.userOf(request.cookie)
  if (user === null) return { status: 303, location: loginPath }
  if (request.method !== 'POST') return await show(request, user, options)
  const action = actions[request.form.get('action') ?? '']
  return action === undefined
    ? await show(request, user, options, { problem: 'This is not known here.', status: 400 })
    : await action(request, user, options)
}

type Action = (request: PageRequest, user: Principal, options: AccountPageOptions) => Promise<PageAnswer>

const actions: Readonly<Record<string, Action>> = Object.assign(Object.create(null) as Record<string, Action>, {
  'sign-out': signOut,
  password: changePassword,
  'enable-code': enableCode,
  'confirm-code': confirmCode,
  'disable-code': disableCode,
  revoke: revokeGrant,
})

async function signOut({ cookie }: PageRequest, _user: Principal, { login, forget }: AccountPageOptions) {
  const { cookies } = await login.call('/sign-out', {}, cookie)
  await forget()
  return { status: 303, location: loginPath, cookies }
}

async function changePassword(request: PageRequest, user: Principal, options: AccountPageOptions): Promise<PageAnswer> {
  const field = (name: string) => request.form.get(name) ?? ''
  const problem = passwordProblem(user.name, field('password'), field('again'))
  if (problem !== undefined) return await show(request, user, options, { problem, status: 400 })
  const body = { currentPassword: field('current'), newPassword: field('password'), revokeOtherSessions: true }
  return await act(request, user, options, { path: '/change-password', body })
}

async function enableCode(request: PageRequest, user: Principal, options: AccountPageOptions): Promise<PageAnswer> {
  let started: Readonly<Record<string, unknown>> = {}
  const outcome = await options.login.guard([user.name], request.address, async () => {
    const body = { password: request.form.get('current') ?? '' }
    const answer = await options.login.call('/two-factor/enable', body, request.cookie)
    started = answer.body
    return answer.status === 200 ? { kind: 'done', url: null, cookies: answer.cookies } : { kind: 'refused' }
  })
  if (outcome.kind !== 'done') return await show(request, user, options, wrongPassword)
  const { totpURI, backupCodes } = started as { totpURI: string; backupCodes: string[] }
  const body = html`<p>Enter this key in your authenticator app, or <a href="${totpURI}">open it there</a>.</p>
    <p><code>${new URL(totpURI).searchParams.get('secret')}</code></p>
    <p>
      Keep these backup codes in a safe place. Each works once, when the app is not at hand. They are not shown again.
    </p>
    <ul class="codes">
      ${backupCodes.map((code) => html`<li>${code}</li>`)}
    </ul>
    <form method="post" action="${accountPath}">
      ${request.formField}
      <label
        >Code that the app shows <input name="code" inputmode="numeric" autocomplete="one-time-code" required autofocus
      /></label>
      <button name="action" value="confirm-code">Turn on</button>
    </form>`
  return page({ title: 'Second step', body, cookies: outcome.cookies })
}

async function confirmCode(request: PageRequest, user: Principal, options: AccountPageOptions): Promise<PageAnswer> {
  const code = (request.form.get('code') ?? '').replaceAll(/\s/g, '')
  return await act(request, user, options, { path: '/two-factor/verify-totp', body: { code } })
}

async function disableCode(request: PageRequest, user: Principal, options: AccountPageOptions): Promise<PageAnswer> {
  const body = { password: request.form.get('current') ?? '' }
  return await act(request, user, options, { path: '/two-factor/disable', body })
}

async function revokeGrant(request: PageRequest, user: Principal, options: AccountPageOptions): Promise<PageAnswer> {
  try {
    await options.users.revokeGrant(request.form.get('grant') ?? '', ownOnly(user))
  } catch (error) {
    // Somebody else was faster.
    if (!(error instanceof HubError)) throw error
  }
  return { status: 303, location: accountPath }
}

/** Changes something that needs the password or a code, and slows down who guesses it. */
async function act(
  request: PageRequest,
  user: Principal,
  options: AccountPageOptions,
  { path, body }: { path: string; body: Record<string, unknown> },
): Promise<PageAnswer> {
  const outcome = await options.login.guard([user.name], request.address, async () => {
    const { status, cookies } = await options.login.call(path, body, request.cookie)
    return status === 200 ? { kind: 'done', url: null, cookies } : { kind: 'refused' }
  })
  if (outcome.kind !== 'done') return await show(request, user, options, wrongPassword)
  await options.forget()
  return { status: 303, location: accountPath, cookies: outcome.cookies }
}

const wrongPassword = { problem: 'Password or code is not right, or there were too many attempts.', status: 401 }

/** On this page an admin, too, manages only what is theirs. */
function ownOnly(user: Principal): Principal {
  return { ...user, role: 'viewer' }
}

async function show(
  request: PageRequest,
  principal: Principal,
  { users }: AccountPageOptions,
  { problem, status = 200 }: { problem?: string; status?: number } = {},
): Promise<PageAnswer> {
  const [user, grants] = await Promise.all([users.get(principal.name), users.listGrants(ownOnly(principal))])
  const body = html`<p>Signed in as <strong>${user.name}</strong> (${user.role}). <a href="/">Open Herma</a></p>
    ${problemParagraph(problem)}
    <form method="post" action="${accountPath}">
      ${request.formField} <button class="quiet" name="action" value="sign-out">Sign out</button>
    </form>
    ${
      grants.length > 0 &&
      html`<h2>Apps with access</h2>
        ${grants.map((grant) => describeGrant(grant, request.formField))}`
    }
    ${user.hasPassword && describePassword(user, request.formField)}`
  return page({ title: 'Your account', body, status, cookies: request.cookies })
}

function describeGrant({ id, clientName, servers, updatedAt }: GrantView, formField: Html): Html {
  return html`<form method="post" action="${accountPath}">
    ${formField}<input type="hidden" name="grant" value="${id}" />
    <dl>
      <dt>${clientName}</dt>
      <dd>${servers.join(', ')} · since ${updatedAt.slice(0, 10)}</dd>
    </dl>
    <button class="quiet" name="action" value="revoke">Take back</button>
  </form>`
}

function describePassword({ twoFactor }: UserView, formField: Html): Html {
  const current = html`<label
    >Current password <input name="current" type="password" autocomplete="current-password" required
  /></label>`
  return html`<h2>Second step</h2>
    <form method="post" action="${accountPath}">
      ${formField}
      <p>
        ${twoFactor ? 'A code of your authenticator app is asked for.' : 'Ask for a code of an authenticator app, too.'}
      </p>
      ${current}
      <button class="quiet" name="action" value="${twoFactor ? 'disable-code' : 'enable-code'}">
        ${twoFactor ? 'Turn off' : 'Turn on'}
      </button>
    </form>
    <h2>Password</h2>
    <form method="post" action="${accountPath}">
      ${formField} ${current} ${newPasswordFields()}
      <button class="quiet" name="action" value="password">Change password</button>
    </form>`
}
