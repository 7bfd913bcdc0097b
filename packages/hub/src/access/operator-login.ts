import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TokenSealer } from '../secret/index.ts'

export interface OperatorLoginOptions {
  readonly token: string
  readonly sealer: Pick<TokenSealer, 'seal' | 'open'>
  now?(): number
}

const ticketMs = 60_000
const maxTickets = 100
const cookieName = 'herma_operator'
/** Where a link of the operator leads. */
export const ticketPath = '/open'

/**
 * How the operator gets in: with the token itself, or in a browser with a cookie that a link gave, which works once and
 * for a minute. The token never stands in a URL or a page.
 */
export class OperatorLogin {
  readonly #token: Buffer
  /** Binds cookies to this token, so that another token ends them all. */
  readonly #print: string
  readonly #sealer: Pick<TokenSealer, 'seal' | 'open'>
  readonly #now: () => number
  readonly #tickets = new Map<string, number>()

  constructor(options: OperatorLoginOptions) {
    this.#token = digest(options.token)
    this.#print = this.#token.toString('hex').slice(0, 16)
    this.#sealer = options.sealer
    this.#now = options.now ?? Date.now
  }

  isToken(token: string): boolean {
    return timingSafeEqual(digest(token), this.#token)
  }

  hasCookie({ headers: { cookie } }: IncomingMessage): boolean {
    if (cookie === undefined || !cookie.includes(cookieName)) return false
    const values = cookie.split(';').flatMap((part) => {
      const [name, value] = part.trim().split('=', 2)
      return name === cookieName && value !== undefined ? [value] : []
    })
    return values.some((value) => this.#sealer.open(value) === this.#print)
  }

  /** The path of a link that signs a browser in, once. */
  createTicket(): { path: string; expiresAt: Date } {
    const now = this.#now()
    for (const [ticket, expiry] of this.#tickets) if (expiry <= now) this.#tickets.delete(ticket)
    const [oldest] = this.#tickets.keys()
    if (this.#tickets.size >= maxTickets && oldest !== undefined) this.#tickets.delete(oldest)
    const ticket = randomBytes(24).toString('base64url')
    this.#tickets.set(digest(ticket).toString('hex'), now + ticketMs)
    return { path: `${ticketPath}?ticket=${ticket}`, expiresAt: new Date(now + ticketMs) }
  }

  /** Answers the link: with the cookie, or with the way to another link. */
  redeem(request: IncomingMessage, response: ServerResponse): void {
    const ticket = new URL(request.url ?? '/', 'http://localhost').searchParams.get('ticket') ?? ''
    const key = digest(ticket).toString('hex')
    const expiry = this.#tickets.get(key)
    // Pages that merely load a link, such as previews, must not use it up.
    if (request.method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end()
    this.#tickets.delete(key)
    if (expiry === undefined || expiry <= this.#now()) {
      response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      return void response.end('This link was used, or is older than a minute. Get another with: herma open\n')
    }
    response.setHeader('set-cookie', this.#cookie())
    response.writeHead(303, { location: '/', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).end()
  }

  #cookie(): string {
    return `${cookieName}=${this.#sealer.seal(this.#print)}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000`
  }
}

// Digests have one length, so that comparing them takes the same time whatever was sent.
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
