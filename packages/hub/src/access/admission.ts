import { HubError, loginProof, type Principal } from '@herma/contract'
import type { HttpRequest } from '../platform/fast-http/index.ts'
import { operator } from '../wire/index.ts'
import { isLoopbackHost } from './host-guard.ts'
import type { ApiKeys } from './key/api-keys.ts'
import type { OperatorLogin } from './operator-login.ts'

/** What a request wants to enter. */
export interface Entrance {
  /** The served server; null for the management API and the figures. */
  readonly server: string | null
  /** Whether programs of this machine come in without a key: perhaps only while nobody else can reach the hub. */
  readonly opens: 'locally' | 'unless-public' | 'never'
  /** The header of API keys, in lower case. */
  readonly keyHeader: string
  /**
   * Whether a browser may be known by its cookie: only where our own pages ask, and then with their proof. `alone` is for
   * links that nobody else knows, to which a browser comes without a header.
   */
  readonly takesCookies: false | 'proven' | 'alone'
  /** The least that a principal must be let do there. */
  readonly scopes: readonly string[]
  /** The least role, where not everybody who has the scope may enter. */
  readonly role?: 'admin' | undefined
}

/** Why somebody stays outside. */
export interface Refusal {
  readonly refused: HubError
  /** Value of WWW-Authenticate, when signing in would help. */
  readonly challenge?: string
}

export type Admission = Principal | Refusal

/** Who else knows principals: users in browsers and access tokens of OAuth. */
export interface TokenAuthority {
  /** What is remembered of a token; undefined when it has to be looked at. */
  remembered(token: string, server: string | null): Principal | undefined
  verify(token: string, server: string | null): Promise<Admission>
  userOf(cookie: string): Promise<Principal | null>
  /** Whether this is what the sign-in behind the cookie left with our own pages. */
  proves(cookie: string, proof: string): Promise<boolean>
  /** Value of WWW-Authenticate for this server; undefined while nobody could sign in. */
  challengeFor(server: string | null, error?: ScopeError): string | undefined
}

/** The scopes that would have been needed. */
export interface ScopeError {
  readonly code: 'insufficient_scope'
  readonly description: string
  readonly scopes: readonly string[]
}

export interface AdmissionOptions {
  readonly operatorLogin: OperatorLogin
  readonly keys: Pick<ApiKeys, 'principalOf'>
  readonly authority: TokenAuthority
  /** Whether the hub has a public URL. What passes bytes on from there looks like a program of this machine. */
  readonly isPublic: boolean
  isLocal(request: HttpRequest): boolean
}

/** Finds out who is asking: the first of these that knows decides. Nothing is awaited for who is known already. */
export function admit(
  request: HttpRequest,
  entrance: Entrance,
  options: AdmissionOptions,
): Admission | Promise<Admission> {
  if (isOfForeignPage(request)) return refuse(foreignPage)
  if (hasSecretInQuery(request.url)) return refuse(secretInQuery)
  const credential = readCredential(request, entrance)
  if (credential === null) return admitWithout(request, entrance, options)
  if (credential === '') return challenge('The Authorization header holds no bearer token.', entrance, options)
  const { operatorLogin, keys, authority } = options
  if (credential.startsWith('ho_') && operatorLogin.isToken(credential)) return operator
  const known = keys.principalOf(credential) ?? authority.remembered(credential, entrance.server)
  if (known !== undefined && known !== null) return enter(known, entrance, options)
  // Whoever shows a bad key is not let in as somebody else.
  if (/^h[kop]_/.test(credential)) return challenge('This key is not known, or not any more.', entrance, options)
  return authority
    .verify(credential, entrance.server)
    .then((admission) => ('refused' in admission ? admission : enter(admission, entrance, options)))
}

/** The request comes from this machine itself, not through a proxy or tunnel that runs here. */
export function isLocal({ socket, headers }: HttpRequest): boolean {
  const address = socket.remoteAddress
  const isLoopback =
    address === '127.0.0.1' || address === '::1' || address === '::ffff:127.0.0.1' || isLoopbackV4(address)
  if (!isLoopback || !isLoopbackHost(headers.host ?? '')) return false
  return !proxyHeaders.some((name) => headers[name] !== undefined)
}

/** What proxies and tunnels add. One that adds nothing cannot be told from a program of this machine. */
const proxyHeaders = [
  'x-forwarded-for',
  'forwarded',
  'via',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-server',
  'x-forwarded-prefix',
  'x-forwarded-uri',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'cf-ray',
  'fly-client-ip',
  'x-envoy-external-address',
] as const

function isLoopbackV4(address: string | undefined): boolean {
  return address !== undefined && /^(::ffff:)?127\./.test(address)
}

/** Whether whoever shows nothing comes in. */
export function isOpen(
  request: HttpRequest,
  { opens }: Entrance,
  { isPublic, isLocal: comesFromHere }: Pick<AdmissionOptions, 'isPublic' | 'isLocal'>,
): boolean {
  return (opens === 'locally' || (opens === 'unless-public' && !isPublic)) && comesFromHere(request)
}

function admitWithout(
  request: HttpRequest,
  entrance: Entrance,
  options: AdmissionOptions,
): Admission | Promise<Admission> {
  if (isOpen(request, entrance, options)) return operator
  if (!entrance.takesCookies) return challenge('Send an API key or an access token.', entrance, options)
  const isAlone = entrance.takesCookies === 'alone'
  const { operatorLogin, authority } = options
  if (isAlone ? operatorLogin.hasCookie(request) : operatorLogin.hasProof(request)) return operator
  const { cookie, [loginProof.header]: proof } = request.headers
  const signIn = () =>
    challenge(
      'Sign in first: herma open on its machine, or elsewhere a key with the scope admin (--token-file).',
      entrance,
      options,
    )
  if (cookie === undefined || !(isAlone || typeof proof === 'string')) return signIn()
  const user = isAlone ? authority.userOf(cookie) : provenUser(cookie, String(proof), authority)
  return user.then((found) => (found === null ? signIn() : enter(found, entrance, options)))
}

async function provenUser(cookie: string, proof: string, authority: TokenAuthority): Promise<Principal | null> {
  return (await authority.proves(cookie, proof)) ? authority.userOf(cookie) : null
}

/** A principal that is known may still not be for this place. */
function enter(principal: Principal, { server, scopes, role }: Entrance, { authority }: AdmissionOptions): Admission {
  if (server !== null && principal.servers !== null && !principal.servers.includes(server))
    return refuse(new HubError('FORBIDDEN', `'${principal.name}' is not for the server '${server}'.`))
  if (role !== undefined && principal.role !== 'admin' && principal.role !== 'owner')
    return refuse(new HubError('FORBIDDEN', `'${server}' needs the role ${role}, and yours is ${principal.role}.`))
  const granted = principal.scopes
  if (granted !== null && scopes.length > 0 && !scopes.some((scope) => granted.includes(scope)))
    return lacking(principal, scopes, (error) => authority.challengeFor(server, error))
  return principal
}

/** A client that signed in for less can ask for more. */
function lacking(
  { name, kind }: Principal,
  scopes: readonly string[],
  challengeFor: (error: ScopeError) => string | undefined,
): Refusal {
  const description = `'${name}' lacks the scope ${scopes.join(' or ')}.`
  const refused = new HubError('FORBIDDEN', description)
  const value =
    kind === 'key' ? undefined : challengeFor({ code: 'insufficient_scope', description, scopes: [scopes[0]!] })
  return value === undefined ? { refused } : { refused, challenge: value }
}

/** Null when nothing was sent, empty when it is not a key or token. */
function readCredential({ headers }: HttpRequest, { keyHeader }: Entrance): string | null {
  if (keyHeader !== 'authorization') {
    const own = headers[keyHeader]
    if (typeof own === 'string' && own !== '') return own
  }
  const { authorization } = headers
  if (authorization === undefined) return null
  const match = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization)
  return match === null ? '' : match[1]!
}

const foreignPage = new HubError('FORBIDDEN', 'Pages of other sites get nothing here. Open it in a tab of its own.')

// Browsers send no Origin with an image or a script, yet they send cookies and say where the page is from:
// https://www.w3.org/TR/fetch-metadata
function isOfForeignPage({ headers }: HttpRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site === undefined || headers.origin !== undefined || headers['sec-fetch-mode'] === 'navigate') return false
  return site === 'cross-site' || site === 'same-site'
}

const secretInQuery = new HubError(
  'INVALID_REQUEST',
  'Keys and tokens do not belong into a URL, where logs and histories keep them. Send a header instead, and replace this one.',
)

// https://www.rfc-editor.org/rfc/rfc6750#section-2.3 warns of it, and MCP forbids it.
function hasSecretInQuery(url = ''): boolean {
  const start = url.indexOf('?')
  return start >= 0 && secretParameter.test(url.slice(start))
}

/** By the name of the parameter, or because the value is plainly one of our keys. */
const secretParameter = /[?&](access_token|token|(x-)?api[_-]?key|key|authorization|bearer)=|=h[ko]_[\w-]{43}/i

function challenge(text: string, { server }: Entrance, { authority }: AdmissionOptions): Refusal {
  const value = authority.challengeFor(server)
  return { refused: new HubError('UNAUTHENTICATED', text), challenge: value ?? 'Bearer' }
}

function refuse(refused: HubError): Refusal {
  return { refused }
}
