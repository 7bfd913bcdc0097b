import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { clientAddress, readTextBody } from '../../../platform/http/index.ts'
import type { IncomingMessage } from 'node:http'
import { html, type Html } from './html.ts'

/** A request for one of our pages. */
export interface PageRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** The query as it came, for what is signed. */
  readonly search: string
  readonly form: URLSearchParams
  readonly cookie: string
  readonly address: string
  /** The hidden field that every form of the page carries. */
  readonly formField: Html
  /** Values of Set-Cookie that the answer must carry. */
  readonly cookies: readonly string[]
}

export interface PageRequestOptions {
  readonly publicUrl: string
  readonly cookiePrefix: string
  readonly secret: string
}

const maxFormBytes = 32_768
const fieldName = 'form'

/**
 * Reads a request for a page. A form counts only when our own page sent it: its origin is ours, and it carries a token
 * that belongs to a cookie of the same browser. Null = it did not.
 */
export async function readPageRequest(
  request: IncomingMessage,
  { publicUrl, cookiePrefix, secret }: PageRequestOptions,
): Promise<PageRequest | null> {
  const { pathname, search, searchParams } = new URL(request.url ?? '/', publicUrl)
  const cookie = request.headers.cookie ?? ''
  const cookieName = `${cookiePrefix}.form`
  const known = readCookie(cookie, cookieName)
  const nonce = known ?? randomBytes(18).toString('base64url')
  const token = createHmac('sha256', secret).update(`form ${nonce}`).digest('base64url')
  const method = request.method ?? 'GET'
  const form = new URLSearchParams(method === 'POST' ? await readTextBody(request, maxFormBytes) : '')
  if (method === 'POST') {
    const isGenuine =
      known !== undefined && isSameText(form.get(fieldName) ?? '', token) && isFromUs(request.headers, publicUrl)
    if (!isGenuine) return null
  }
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  return {
    method,
    path: pathname,
    query: searchParams,
    search: search.slice(1),
    form,
    cookie,
    address: clientAddress(request),
    formField: html`<input type="hidden" name="${fieldName}" value="${token}" />`,
    cookies: known === undefined ? [`${cookieName}=${nonce}; Path=/; HttpOnly; SameSite=Lax${secure}`] : [],
  }
}

export function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const [key, ...value] = pair.trim().split('=')
    if (key === name) return value.join('=')
  }
  return undefined
}

function isFromUs({ origin, host, 'sec-fetch-site': site }: IncomingMessage['headers'], publicUrl: string): boolean {
  if (site !== undefined && site !== 'same-origin') return false
  // The page may have been opened under another name of this machine; that the Host is ours has been checked.
  return origin === undefined || origin === new URL(publicUrl).origin || origin === `http://${host}`
}

function isSameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
