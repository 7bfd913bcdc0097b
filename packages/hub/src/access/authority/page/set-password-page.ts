import type { Login } from '../login.ts'
import { setPasswordPath, type Users } from '../user/users.ts'
import { html } from './html.ts'
import { describeWait, loginPath } from './login-page.ts'
import { newPasswordFields } from './new-password-fields.ts'
import { page, problemParagraph, type PageAnswer } from './page.ts'
import type { PageRequest } from './page-request.ts'

export interface SetPasswordOptions {
  readonly login: Login
  readonly users: Pick<Users, 'setPassword'>
}

/** A new user, or one whose password was reset, enters the code that was handed over. */
export async function setPasswordPage(request: PageRequest, options: SetPasswordOptions): Promise<PageAnswer> {
  if (request.method !== 'POST') return show(request)
  const field = (name: string) => request.form.get(name) ?? ''
  const problem = passwordProblem(field('name'), field('password'), field('again'))
  if (problem !== undefined) return show(request, { problem, status: 400 })
  const name = field('name').trim().toLowerCase()
  const outcome = await options.login.guard([name], request.address, async () => {
    const isSet = await options.users.setPassword(name, field('code'), () => hashPassword(field('password')))
    return isSet ? { kind: 'done', url: null, cookies: [] } : { kind: 'refused' }
  })
  if (outcome.kind === 'wait') {
    const text = `Too many attempts. Try again in ${describeWait(outcome.waitMs)}.`
    return show(request, { problem: text, status: 429 })
  }
  if (outcome.kind !== 'done')
    return show(request, {
      problem: 'Name or code is not right, or the code is too old. Ask for another.',
      status: 401,
    })
  const body = html`<p>Your password is set.</p>
    <p><a href="${loginPath}">Sign in</a></p>`
  return page({ title: 'Done', body })
}

/** What is wrong with a new password. */
export function passwordProblem(name: string, password: string, again: string): string | undefined {
  if (password !== again) return 'The two passwords differ.'
  if (password.length < 12) return 'The password needs at least 12 characters. Several words are easy to remember.'
  if (password.length > 256) return 'The password may have up to 256 characters.'
  if (name !== '' && password.toLowerCase().includes(name.trim().toLowerCase()) && password.length < name.length + 8)
    return 'The password is too close to the name.'
  if (new Set(password).size < 5) return 'The password has too few different characters.'
  return undefined
}

async function hashPassword(password: string): Promise<string> {
  const { hashPassword: hash } = await import('better-auth/crypto')
  return await hash(password)
}

function show(request: PageRequest, { problem, status = 200 }: { problem?: string; status?: number } = {}): PageAnswer {
  const name = request.form.get('name') ?? request.query.get('name') ?? ''
  const body = html`<p>Enter the code that you were given. It works once.</p>
    ${problemParagraph(problem)}
    <form method="post" action="${setPasswordPath}">
      ${request.formField}
      <label
        >Name
        <input name="name" autocomplete="username" autocapitalize="none" spellcheck="false" required value="${name}"
      /></label>
      <label>Code <input name="code" autocomplete="off" spellcheck="false" required /></label>
      ${newPasswordFields()}
      <button>Set password</button>
    </form>`
  return page({ title: 'Set a password', body, status, cookies: request.cookies })
}
