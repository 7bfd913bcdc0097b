import { loginProof } from '@herma/contract'

export interface Page {
  readonly status: number
  readonly url: URL
  readonly text: string
  readonly headers: Headers
}

/**
 * A browser without a screen: keeps cookies, follows redirects, sends forms as they stand in the page, and does what the
 * two scripts of the pages do: keep the proof of a login, and show it.
 */
export class TestBrowser {
  readonly cookies = new Map<string, string>()
  readonly #origin: string
  page: Page | null = null
  /** What the storage of the origin holds. */
  proof = ''

  constructor(origin: string) {
    this.#origin = origin
  }

  /** What a script of our own page sends with a request to the management API. */
  get apiHeaders(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return this.proof === '' ? { cookie } : { cookie, [loginProof.header]: this.proof }
  }

  /** Follows redirects within the origin; the last one may lead away, and is then the answer. */
  async open(address: string | URL): Promise<Page> {
    return await this.#go(new URL(address, this.#origin), { method: 'GET' })
  }

  /** Sends a form of the page with these fields; `button` names the one that is pressed, as `name=value`. */
  async submit(fields: Record<string, string>, { button = '', form = 0 } = {}): Promise<Page> {
    const page = this.page
    if (page === null) throw new Error('No page is open.')
    const forms = [...page.text.matchAll(/<form[^>]*?\smethod="post"\s+action="([^"]*)"\s*>(.*?)<\/form>/gs)]
    const [, action = '', content = ''] = forms[form] ?? []
    const body = new URLSearchParams()
    for (const [tag] of content.matchAll(/<input[^>]*>/g)) {
      const name = attribute(tag, 'name')
      if (name !== '') body.set(name, fields[name] ?? attribute(tag, 'value'))
    }
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    const [name, value] = button.split('=')
    if (name && value !== undefined) body.set(name, value)
    return await this.post(action, body)
  }

  async post(address: string, body: URLSearchParams, headers: Record<string, string> = {}): Promise<Page> {
    const url = new URL(address, this.#origin)
    return await this.#go(url, { method: 'POST', body, headers: { origin: this.#origin, ...headers } })
  }

  async #go(url: URL, init: RequestInit, depth = 0): Promise<Page> {
    const { cookie } = this.apiHeaders
    const isScript = url.pathname === '/whoami' || url.pathname.startsWith('/api/')
    const known = isScript ? this.apiHeaders : cookie === '' ? {} : { cookie }
    const headers = { ...(init.headers as Record<string, string>), ...known } as Record<string, string>
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    const text = await response.text()
    this.proof = /data-proof="([^"]*)"/.exec(text)?.[1] ?? this.proof
    const leave = /<meta\s+http-equiv="refresh"\s+content="0; url=([^"]*)"/.exec(text)?.[1]
    const location = response.headers.get('location') ?? (leave === undefined ? null : decodeEntities(leave))
    const next = location === null ? null : new URL(location, url)
    if (next === null || depth > 10) {
      this.page = { status: response.status, url, text, headers: response.headers }
      if (text.includes('<form id="prove"')) return await this.submit({ proof: this.proof })
    } else if (next.origin === this.#origin) {
      return await this.#go(next, { method: 'GET' }, depth + 1)
    } else {
      this.page = { status: response.status, url: next, text, headers: response.headers }
    }
    return this.page
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';')
    const at = pair.indexOf('=')
    const isGone = attributes.some((attribute_) => /^\s*max-age=0$/i.test(attribute_))
    if (isGone) this.cookies.delete(pair.slice(0, at))
    else this.cookies.set(pair.slice(0, at), pair.slice(at + 1))
  }
}

function attribute(tag: string, name: string): string {
  return decodeEntities(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
}

function decodeEntities(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
