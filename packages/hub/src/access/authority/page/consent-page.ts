import { isDocumentUrl } from '../client/client-document.ts'
import { adminScope, offlineScope, serversOf, type ServedResource } from '../resource/served-resource.ts'
import type { Login } from '../login.ts'
import type { AuthorityStore } from '../store.ts'
import { html, type Html } from './html.ts'
import { leaveLogin, loginPath } from './login-page.ts'
import { messagePage, page, type PageAnswer } from './page.ts'
import type { PageRequest } from './page-request.ts'

export interface ConsentPageOptions {
  readonly login: Login
  readonly store: Pick<AuthorityStore, 'findClient'>
  resources(): readonly ServedResource[]
  /** Name of the user who is signed in. */
  userOf(cookie: string): Promise<{ readonly name: string } | null>
  onGiven(user: string, clientId: string, scopes: string): void
}

export const consentPath = '/consent'

/** Asks whether a client may act in the name of the user. What is shown is signed; tampering makes the answer fail. */
export async function consentPage(request: PageRequest, options: ConsentPageOptions): Promise<PageAnswer> {
  const user = await options.userOf(request.cookie)
  const search = request.method === 'POST' ? (request.form.get('query') ?? '') : request.search
  if (user === null) return { status: 303, location: `${loginPath}?${search}` }
  return request.method === 'POST'
    ? await decide(request, { user: user.name, search }, options)
    : await ask(request, { user: user.name, search }, options)
}

interface Pending {
  readonly user: string
  readonly search: string
}

async function decide(
  request: PageRequest,
  { user, search }: Pending,
  options: ConsentPageOptions,
): Promise<PageAnswer> {
  const accept = request.form.get('decision') === 'allow'
  const body = { accept, oauth_query: search }
  const answer = await options.login.call('/oauth2/consent', body, request.cookie)
  if (answer.status !== 200 || typeof answer.body.url !== 'string')
    return messagePage('This took too long', 'Go back to the app and start again.', 400)
  const query = new URLSearchParams(search)
  if (accept) options.onGiven(user, query.get('client_id') ?? '', query.get('scope') ?? '')
  return leaveLogin(answer.body.url, answer.cookies)
}

async function ask(request: PageRequest, { user, search }: Pending, options: ConsentPageOptions): Promise<PageAnswer> {
  const { query } = request
  const client = await options.store.findClient(query.get('client_id') ?? '')
  const redirect = query.get('redirect_uri') ?? ''
  if (client === null || !URL.canParse(redirect))
    return messagePage('Not possible', 'The app is not known here. Go back to it and start again.', 400)
  const name = client.name ?? client.clientId
  const scopes = (query.get('scope') ?? '').split(' ')
  const body = html`<p><strong>${name}</strong> asks for access in your name, <strong>${user}</strong>.</p>
    <p>It will be able to:</p>
    <ul>
      ${describeScopes(scopes)}
    </ul>
    <dl>
      <dt>With</dt>
      <dd>${describeServers(query.getAll('resource'), options.resources())}</dd>
      <dt>You will be sent to</dt>
      <dd>${describeRedirect(redirect)}</dd>
      ${describeClient(client.clientId)}
    </dl>
    ${
      isThisMachine(redirect) &&
      html`<p class="warning">
        It runs on the machine of whoever opened this page. Any program there can pretend to be it, so go on only if you
        have just started it yourself.
      </p>`
    }
    <form method="post" action="${consentPath}">
      ${request.formField}
      <input type="hidden" name="query" value="${search}" />
      <div class="row">
        <button class="quiet" name="decision" value="deny">Cancel</button>
        <button name="decision" value="allow">Allow</button>
      </div>
    </form>
    <p class="hint">
      Not ${user}? <a href="${loginPath}?${search}">Sign in as somebody else</a>. You can take this back at any time
      under <a href="/auth/account">your account</a>.
    </p>`
  return page({ title: `Allow ${name}?`, body, cookies: request.cookies })
}

/** What is known of a client besides the name that it gave itself. */
function describeClient(clientId: string): Html {
  return isDocumentUrl(clientId)
    ? html`<dt>The app is described at</dt>
        <dd>${clientId}</dd>`
    : html`<dt>Its name</dt>
        <dd>was chosen by the app; nobody has checked it</dd>`
}

function describeScopes(scopes: readonly string[]): Html[] {
  return scopes.flatMap((scope) => {
    const text = scopeTexts[scope]
    return text === undefined ? [] : [html`<li>${text}</li>`]
  })
}

const scopeTexts: Readonly<Record<string, string>> = {
  mcp: 'use the tools, prompts and resources that you may use',
  'mcp:read': 'list tools and read resources, without calling tools',
  [adminScope]: 'manage this hub, as far as your role allows',
  [offlineScope]: 'stay signed in for up to 30 days after its last use',
}

function describeServers(urls: readonly string[], resources: readonly ServedResource[]): string {
  const names = serversOf(urls, resources).map((name) => `the server “${name}”`)
  const isManagement = resources.some(({ server, url }) => server === null && urls.includes(url))
  return [...names, ...(isManagement ? ['the management of this hub'] : [])].join(', ') || 'nothing'
}

function describeRedirect(redirect: string): string {
  const { protocol, host } = new URL(redirect)
  return /^https?:$/.test(protocol) ? host : `an app on this device (${protocol.replace(':', '')})`
}

function isThisMachine(redirect: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(redirect).hostname)
}
