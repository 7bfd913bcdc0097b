import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { loginProof } from '@herma/contract'
import type { TokenSealer } from '../secret/index.ts'
import { isSameProof, keepProof, proofScripts } from './proof/proof-page.ts'

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
 * for a minute. The token never stands in a URL or a page. Browsers send the cookie to all ports of this machine, so that
 * it counts only with the proof that the link left in the storage of our own pages.
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

  /** Whether a browser of the operator asks, and shows that one of our own pages does. */
  hasProof({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
    const given = headers[loginProof.header]
    return typeof given === 'string' && this.#logins(headers.cookie).some((print) => isSameProof(printOf(given), print))
  }

  /** Whether a browser of the operator asks, perhaps in the name of another page: for links that know by themselves. */
  hasCookie({ headers: { cookie } }: Pick<IncomingMessage, 'headers'>): boolean {
    return this.#logins(cookie).length > 0
  }

  /** The prints of the proofs that belong to the cookies. */
  #logins(cookie: string | undefined): string[] {
    if (cookie === undefined || !cookie.includes(cookieName)) return []
    return cookie.split(';').flatMap((part) => {
      const [name, value] = part.trim().split('=', 2)
      if (name !== cookieName || value === undefined) return []
      const [token, proof] = this.#sealer.open(value)?.split(' ') ?? []
      return token === this.#print && proof !== undefined ? [proof] : []
    })
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

  /** Answers the link: with the cookie and its proof, or with the way to another link. */
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
    const proof = randomBytes(32).toString('base64url')
    response.setHeader('set-cookie', this.#cookie(proof))
    response.writeHead(200, pageHeaders).end(openedPage(proof))
  }

  #cookie(proof: string): string {
    const login = this.#sealer.seal(`${this.#print} ${printOf(proof)}`)
    return `${cookieName}=${login}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000`
  }
}

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src ${proofScripts}; frame-ancestors 'none'; base-uri 'none'`,
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
}

/** Keeps the proof and goes on to the start page. */
function openedPage(proof: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/"><title>Signing in · Herma</title></head>
<body><p><a href="/">Open Herma</a></p>${keepProof(proof)}</body>
</html>
`
}

function printOf(proof: string): string {
  return digest(proof).toString('hex')
}

// Digests have one length, so that comparing them takes the same time whatever was sent.
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
