import type { Events } from '../../platform/events.ts'
import { AttemptLimit } from './attempt-limit.ts'
import { ExpiringMap } from '@herma/framework/wire'
import type { Engine } from './engine.ts'
import { authPath } from './resource/metadata.ts'
import type { StoredUser, UserStore } from './user/store.ts'

export interface LoginOptions {
  readonly users: Pick<UserStore, 'find' | 'findById' | 'markSignIn'>
  readonly events: Events
  publicUrl(): string
  engine(): Promise<Engine>
}

/** Whoever is at the sign-in page. */
export interface Visitor {
  readonly address: string
  readonly cookie: string
  /** The signed request of an OAuth client that goes on afterwards, or empty. */
  readonly query: string
}

/** How far a sign-in has come. */
export type SignInOutcome =
  | { readonly kind: 'done'; readonly url: string | null; readonly cookies: readonly string[] }
  | { readonly kind: 'code'; readonly cookies: readonly string[] }
  | { readonly kind: 'refused' | 'expired' }
  | { readonly kind: 'wait'; readonly waitMs: number }

interface EngineAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly cookies: readonly string[]
}

const hourMs = 60 * 60_000
/** Nobody has this address, so a sign-in with it takes as long as one with a wrong password. */
const nobody = 'nobody@herma.invalid'

/** How long a code of an authenticator app may be right, with clocks that differ. */
const codeMs = 3 * 60_000

/** Signs people in, and slows down who guesses. Unknown names and wrong passwords get the same answer in the same time. */
export class Login {
  readonly #options: LoginOptions
  readonly #byName = new AttemptLimit({ free: 5, waitMs: 5000, maxWaitMs: hourMs / 4, memoryMs: hourMs })
  readonly #byAddress = new AttemptLimit({ free: 50, waitMs: 5000, maxWaitMs: hourMs / 4, memoryMs: hourMs })
  readonly counts = { done: 0, refused: 0, slowed: 0 }

  readonly #usedCodes = new ExpiringMap<true>(10_000)

  constructor(options: LoginOptions) {
    this.#options = options
  }

  async signIn(login: string, password: string, from: Visitor): Promise<SignInOutcome> {
    const name = login.trim().toLowerCase().slice(0, 254)
    return await this.guard([name], from.address, async () => {
      const user = await this.#options.users.find(name)
      const body = { email: user?.email ?? nobody, password, ...oauthQuery(from.query) }
      const outcome = await this.#finish(await this.call('/sign-in/email', body, from.cookie))
      // A name that nobody has may be a password in the wrong field, so only known ones are recorded.
      if (outcome.kind === 'refused' && user !== null) this.#emit('user.sign-in-failed', user)
      return outcome
    })
  }

  /** The second step: a code of an authenticator app, or one of the backup codes. */
  async enterCode(code: string, from: Visitor): Promise<SignInOutcome> {
    const text = code.replaceAll(/\s/g, '')
    const path = /^\d{6}$/.test(text) ? '/two-factor/verify-totp' : '/two-factor/verify-backup-code'
    return await this.guard([], from.address, async () => {
      const answer = await this.call(path, { code: text, ...oauthQuery(from.query) }, from.cookie)
      if (answer.status === 200 && (await this.#isUsed(text, answer.cookies))) return { kind: 'refused' }
      return await this.#finish(answer)
    })
  }

  /** A code counts once, though it is right for a while: https://www.rfc-editor.org/rfc/rfc6238#section-5.2 */
  async #isUsed(code: string, cookies: readonly string[]): Promise<boolean> {
    const user = await this.#userOf(cookies)
    if (user === null) return false
    const use = `${user.id} ${code}`
    const isUsed = this.#usedCodes.get(use) === true
    this.#usedCodes.set(use, true, Date.now() + codeMs)
    if (isUsed) await this.call('/sign-out', {}, cookieHeader(cookies))
    return isUsed
  }

  /** Lets an attempt through when neither its names nor its address have to wait, and counts how it ended. */
  async guard(
    names: readonly string[],
    address: string,
    attempt: () => Promise<SignInOutcome>,
  ): Promise<SignInOutcome> {
    const waitMs = Math.max(this.#byAddress.waitMs(address), ...names.map((name) => this.#byName.waitMs(name)))
    if (waitMs > 0) {
      this.counts.slowed++
      return { kind: 'wait', waitMs }
    }
    // It counts as failed while it runs, so that many at once are not free.
    for (const name of names) this.#byName.fail(name)
    this.#byAddress.fail(address)
    const outcome = await attempt()
    if (outcome.kind === 'refused') this.counts.refused++
    else {
      for (const name of names) this.#byName.forget(name)
      // Only this one: whoever has an account of their own must not buy further guesses with it.
      this.#byAddress.undo(address)
    }
    return outcome
  }

  /** Calls better-auth in the name of a browser. */
  async call(path: string, body: Record<string, unknown>, cookie: string): Promise<EngineAnswer> {
    const publicUrl = this.#options.publicUrl()
    const engine = await this.#options.engine()
    const response = await engine.handler(
      new Request(`${publicUrl}${authPath}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          origin: new URL(publicUrl).origin,
          ...(cookie === '' ? {} : { cookie }),
        },
        body: JSON.stringify(body),
      }),
    )
    const text = await response.text()
    const parsed: unknown = text === '' ? {} : JSON.parse(text)
    const cookies = response.headers.getSetCookie()
    return { status: response.status, body: (parsed ?? {}) as EngineAnswer['body'], cookies }
  }

  /** Records who is signed in by cookies that are about to be set. */
  async record(cookies: readonly string[]): Promise<void> {
    const user = await this.#userOf(cookies)
    if (user === null) return
    this.counts.done++
    await this.#options.users.markSignIn(user.id)
    this.#emit('user.signed-in', user)
  }

  async #userOf(cookies: readonly string[]): Promise<StoredUser | null> {
    const engine = await this.#options.engine()
    const session = await engine.api.getSession({ headers: new Headers({ cookie: cookieHeader(cookies) }) })
    return session === null ? null : await this.#options.users.findById(session.user.id)
  }

  async #finish({ status, body, cookies }: EngineAnswer): Promise<SignInOutcome> {
    if (body.error === 'invalid_signature') return { kind: 'expired' }
    if (status !== 200) return { kind: 'refused' }
    if (body.twoFactorRedirect === true) return { kind: 'code', cookies }
    await this.record(cookies)
    return { kind: 'done', url: typeof body.url === 'string' ? body.url : null, cookies }
  }

  #emit(kind: string, { name }: StoredUser): void {
    this.#options.events.emit(kind, null, { user: name }, { principal: `user:${name}` })
  }
}

function cookieHeader(cookies: readonly string[]): string {
  return cookies.map((value) => value.split(';', 1)[0]).join('; ')
}

function oauthQuery(query: string): { oauth_query?: string } {
  return query === '' ? {} : { oauth_query: query }
}
