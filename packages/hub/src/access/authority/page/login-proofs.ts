import { createHmac } from 'node:crypto'
import { isSameProof, keepProof, showProof } from '../../proof/proof-page.ts'
import { html, Html } from './html.ts'
import { page, type PageAnswer } from './page.ts'
import { readCookie, type PageRequest } from './page-request.ts'

export interface LoginProofsOptions {
  secret(): Promise<string>
  /** Name of the cookie of a signed-in browser. */
  cookieName(): string
}

/** The name of the field in which a page shows its proof. */
const proofField = 'proof'

/**
 * What a signed-in browser shows besides its cookie, which it sends to every port of this host. The proof is given once,
 * in the answer that signs in, and kept in the storage of our own origin. It is made from the cookie, so that none is
 * stored here.
 */
export class LoginProofs {
  readonly #options: LoginProofsOptions

  constructor(options: LoginProofsOptions) {
    this.#options = options
  }

  hasLogin(cookieHeader: string): boolean {
    return readCookie(cookieHeader, this.#options.cookieName()) !== undefined
  }

  async proves(cookieHeader: string, proof: string): Promise<boolean> {
    const cookie = readCookie(cookieHeader, this.#options.cookieName())
    return cookie !== undefined && isSameProof(proof, await this.#proofOf(cookie))
  }

  /** Puts the proof into an answer that signs the browser in; leaves others as they are. */
  async addTo(answer: PageAnswer): Promise<PageAnswer> {
    const cookie = readCookie(
      (answer.cookies ?? []).map((line) => line.split(';', 1)[0]).join(';'),
      this.#options.cookieName(),
    )
    if (cookie === undefined || cookie === '') return answer
    const keep = keepProof(await this.#proofOf(cookie))
    const { location, body, status, cookies = [] } = answer
    if (location === undefined) return { ...answer, body: (body ?? '').replace('</main>', () => `${keep}</main>`) }
    const link = html`<p><a href="${location}">Continue</a></p>
      ${new Html(keep)}`
    return page({ title: 'Signing in', body: link, cookies, leaveFor: location, ...(status >= 400 && { status }) })
  }

  /** What a form of this page says of its proof; null for the first visit, by a link. */
  async read(request: PageRequest): Promise<'proven' | 'missing' | null> {
    const proof = request.form.get(proofField)
    if (request.method !== 'POST' || proof === null) return null
    return (await this.proves(request.cookie, proof)) ? 'proven' : 'missing'
  }

  /** A page that comes back at once with the proof. */
  ask({ path, formField, search, cookies }: PageRequest): PageAnswer {
    const body = html`<form id="prove" method="post" action="${path}">
        ${formField}
        <input type="hidden" name="query" value="${search}" />
        <input type="hidden" name="step" value="show" />
        <input type="hidden" name="${proofField}" value="" />
        <button>Continue</button>
      </form>
      ${new Html(showProof)}`
    return page({ title: 'One moment', body, cookies })
  }

  /** The request as it would have come by a link, or as the form was sent, with the proof in all further forms. */
  proven(request: PageRequest): PageRequest {
    const proof = request.form.get(proofField) ?? ''
    const formField = html`${request.formField}<input type="hidden" name="${proofField}" value="${proof}" />`
    if (request.form.get('step') !== 'show') return { ...request, formField }
    const search = request.form.get('query') ?? ''
    return { ...request, method: 'GET', search, query: new URLSearchParams(search), formField }
  }

  async #proofOf(cookie: string): Promise<string> {
    const secret = await this.#options.secret()
    return createHmac('sha256', secret).update(`proof ${cookie}`).digest('base64url')
  }
}
