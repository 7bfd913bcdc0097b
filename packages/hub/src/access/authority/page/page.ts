import { proofScripts } from '../../proof/proof-page.ts'
import { authPath } from '../resource/metadata.ts'
import { html, type Html } from './html.ts'

/** What a page handler answers: a page, or where the browser goes next. */
export interface PageAnswer {
  readonly status: number
  readonly body?: string
  /** A path of ours. */
  readonly location?: string
  /** Values of Set-Cookie. */
  readonly cookies?: readonly string[]
}

export interface PageOptions {
  readonly title: string
  readonly body: Html
  readonly status?: number
  readonly cookies?: readonly string[]
  /** Another site to go to at once. */
  readonly leaveFor?: string
}

export const stylesheetPath = `${authPath}/style.css`

/** No script but those for the proof of a login, and nobody may frame the page or send its forms elsewhere. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src ${proofScripts}; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  // The address holds the request of a client. With `no-referrer` browsers would send forms with the origin null.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
}

export function page({ title, body, status = 200, cookies = [], leaveFor }: PageOptions): PageAnswer {
  const { text } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        ${leaveFor !== undefined && html`<meta http-equiv="refresh" content="0; url=${leaveFor}" />`}
        <title>${title} · Herma</title>
        <link rel="stylesheet" href="${stylesheetPath}" />
      </head>
      <body>
        <div class="brand">Herma</div>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `
  return { status, body: text, cookies }
}

/**
 * Sends the browser to another site after a form. A redirect would be stopped: Chromium holds the target of a form's
 * redirect to `form-action` too. A link stands by for schemes that browsers open only by hand.
 */
export function leavePage(url: string, cookies: readonly string[]): PageAnswer {
  const { protocol, host } = new URL(url)
  const where = host === '' ? protocol.replace(':', '') : host
  return page({
    title: 'Going back',
    body: html`<p>You are being sent to <strong>${where}</strong>.</p>
      <p><a href="${url}">Continue</a></p>`,
    cookies,
    leaveFor: url,
  })
}

/** A page that only says something. */
export function messagePage(title: string, text: string, status = 200): PageAnswer {
  return page({ title, body: html`<p>${text}</p>`, status })
}

export function problemParagraph(text: string | undefined): Html | false {
  return text !== undefined && html`<p class="problem" role="alert">${text}</p>`
}
