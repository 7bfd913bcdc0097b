import type { IncomingMessage, ServerResponse } from 'node:http'
import { HubError, type Principal } from '@herma/contract'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { ValueSealer } from '../../secret/index.ts'
import type { Events } from '../../platform/events.ts'
import type { Log } from '../../platform/log.ts'
import type { Metric } from '../../platform/metric/metrics.ts'
import { storeFailure } from '../../platform/store/store-failure.ts'
import { challengeOf, type ChallengeError } from './resource/challenge.ts'
import { createClientDocuments } from './client/client-documents.ts'
import type { FetchPublic } from './client/fetch-document.ts'
import { Endpoints } from './endpoints.ts'
import { cookiePrefixOf, type Engine } from './engine.ts'
import { EngineSupervisor } from './engine-supervisor.ts'
import { authPath, isMetadataPath, issuerOf, metadataAt } from './resource/metadata.ts'
import { LoginProofs } from './page/login-proofs.ts'
import { authorizePath, LoginPages } from './page/pages.ts'
import { readCookie } from './page/page-request.ts'
import { IdentityProviders } from './provider/identity-providers.ts'
import { ProviderStore } from './provider/store.ts'
import { RememberedPrincipals } from './remembered-principals.ts'
import type { ServedResource } from './resource/served-resource.ts'
import { Login } from './login.ts'
import { AuthorityStore } from './store.ts'
import { ForeignTokens } from './token/foreign-tokens.ts'
import { OwnTokens } from './token/own-tokens.ts'
import { Revocations } from './user/revocations.ts'
import { AccessTokens, type TokenVerdict } from './token/access-tokens.ts'
import { UserStore } from './user/store.ts'
import { Users } from './user/users.ts'

export interface AuthorityOptions {
  readonly db: NodePgDatabase
  readonly sealer: ValueSealer
  readonly events: Events
  readonly log: Log
  readonly redactor: { set(owner: string, values: Iterable<string>): void; remove(owner: string): void }
  readonly fetchPublic: FetchPublic
  /** Whether other hubs work on the same store, so that their revocations have to be looked for. */
  readonly isStoreShared: boolean
  /** Where others find the hub: scheme, host and port. */
  publicUrl(): string
  /** Whether that is an address which people have set. */
  isPublic(): boolean
  /** Whether a served server lets this request in without a login; null = the management API. */
  isOpen(request: IncomingMessage, server: string | null): boolean
  /** URLs of served servers, the facade first. */
  servers(): readonly ServedResource[]
  settings(): { readonly registration: boolean }
}

const watchMs = 500
const sweepMs = 60 * 60_000

/**
 * Users, sign-in, and the OAuth 2.1 authorization server for MCP clients. better-auth is loaded when somebody signs in or
 * a client asks for a token, never before; tokens are verified without it.
 */
export class Authority {
  readonly users: Users
  readonly trust: IdentityProviders
  readonly metrics: readonly Metric[]
  /** Where sealed values stand, for the rotation of keys. */
  readonly sealedPlaces: readonly (AuthorityStore | ProviderStore)[]
  readonly #options: AuthorityOptions
  readonly #store: AuthorityStore
  readonly #revocations: Revocations
  readonly #foreign: ForeignTokens
  readonly #tokens: AccessTokens
  readonly #sessions = new RememberedPrincipals()
  readonly #engine: EngineSupervisor
  readonly #endpoints: Endpoints
  readonly #pages: LoginPages
  readonly #proofs: LoginProofs
  #revision = 0
  #timers: NodeJS.Timeout[] = []

  constructor(options: AuthorityOptions) {
    this.#options = options
    const { db, sealer, events, log, fetchPublic, redactor } = options
    const publicUrl = () => options.publicUrl()
    const issuer = () => this.#issuer()
    const resources = () => this.#resources()
    const revoke = (subject: string) => this.#revoke(subject)
    const forget = () => this.#forget()
    const store = new AuthorityStore(db, sealer)
    const providers = new ProviderStore(db, sealer)
    const users = new UserStore(db)
    this.#store = store
    this.sealedPlaces = [store, providers]
    this.#revocations = new Revocations(store)
    this.#foreign = new ForeignTokens(resources)
    this.#tokens = new AccessTokens({
      own: new OwnTokens({ store, users, revocations: this.#revocations, issuer, resources }),
      foreign: this.#foreign,
      issuer,
      challenge: (server, description) => this.challengeFor(server, { code: 'invalid_token', description }),
    })
    this.users = new Users({ store: users, events, publicUrl, resources, revoke, forget })
    this.trust = new IdentityProviders({
      store: providers,
      events,
      redactor,
      publicUrl,
      onLoad: (issuers) => this.#foreign.set(issuers),
      forget,
    })
    this.#engine = new EngineSupervisor({
      store,
      settings: () => ({
        db,
        users,
        log,
        documents,
        publicUrl: publicUrl(),
        issuer: issuer(),
        registration: options.settings().registration,
        resources: resources(),
        providers: this.trust.providers,
      }),
    })
    const documents = createClientDocuments({ store, fetchPublic, log })
    const engine = () => this.#engine.get()
    const login = new Login({ users, events, publicUrl, engine })
    const proofs = new LoginProofs({
      secret: () => this.#engine.secret(),
      cookieName: () => this.#sessionCookieName(),
    })
    const endpoints = new Endpoints({ store, login, events, publicUrl, resources, engine, revoke, proofs })
    this.#proofs = proofs
    this.#endpoints = endpoints
    this.#pages = new LoginPages({
      proofs,
      authorize: (search, cookie) => endpoints.authorize(search, cookie),
      login,
      store,
      users: this.users,
      events,
      publicUrl,
      resources,
      forget,
      secret: () => this.#engine.secret(),
      providers: () => this.trust.providers,
      userOf: (cookie) => this.userOf(cookie),
    })
    this.metrics = [
      {
        name: 'auth_sign_ins_total',
        help: 'Sign-ins of people, by how they ended.',
        kind: 'counter',
        read: () => Object.entries(login.counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
      },
      {
        name: 'auth_tokens_refused_total',
        help: 'Access tokens that were not valid.',
        kind: 'counter',
        read: () => this.#tokens.refusedCount,
      },
      {
        name: 'auth_tokens_remembered',
        help: 'Access tokens whose verdict is remembered.',
        kind: 'gauge',
        read: () => this.#tokens.rememberedCount,
      },
    ]
  }

  async start(): Promise<void> {
    await this.#revocations.load()
    await this.trust.load()
    this.#revision = await this.#store.readRevision()
    const repeat = (work: () => Promise<void>, ms: number, what: string) => {
      const run = () => void work().catch((error: unknown) => this.#options.log.warn(what, { error }))
      this.#timers.push(setInterval(run, ms).unref())
    }
    repeat(() => this.#store.sweep(), sweepMs, 'expired sign-ins could not be removed')
    if (this.#options.isStoreShared) repeat(() => this.#watch(), watchMs, 'revocations could not be read')
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.#options.redactor.remove('authority')
  }

  /** Whether requests for a path are to be handed to `handle`. They need no principal. */
  handles(path: string): boolean {
    return this.#pages.has(path) || path.startsWith(`${authPath}/`) || isMetadataPath(path)
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?', 1)[0]!
    try {
      if (isMetadataPath(path)) return this.#sendMetadata(path, request, response)
      // Whoever is signed in shows a proof first; all others are sent on at once.
      const isPersonal = path === authorizePath && (request.method === 'POST' || this.#isSignedIn(request))
      if (!isPersonal && (await this.#endpoints.handle(path, request, response))) return
      await this.#pages.handle(path, request, response)
    } catch (error) {
      // Somebody who went away needs no answer.
      if (request.destroyed && !request.complete) return
      const isTooLarge = error instanceof HubError && error.code === 'BODY_TOO_LARGE'
      if (!isTooLarge) this.#options.log.error('a sign-in request failed', { path, error })
      if (response.headersSent) return void response.destroy()
      response.setHeader('connection', 'close')
      const away = storeFailure(error)
      response.writeHead(isTooLarge ? 413 : away === null ? 500 : 503, { 'content-type': 'text/plain' })
      response.end(isTooLarge ? 'Too large.\n' : `${away?.message ?? 'Internal error. The log of the hub says why.'}\n`)
    }
  }

  /** Who has this access token, when that was found out a moment ago; the hot path. */
  remembered(token: string, server: string | null): Principal | undefined {
    return this.#tokens.remembered(token, server)
  }

  /** Who has this access token for a served server; null = the management API. */
  verify(token: string, server: string | null): Promise<TokenVerdict> {
    return this.#tokens.verify(token, server)
  }

  /** The user whose browser sends these cookies; null for somebody who is not signed in. */
  async userOf(cookieHeader: string): Promise<Principal | null> {
    const cookie = this.#sessionCookie(cookieHeader)
    if (cookie === undefined) return null
    const known = this.#sessions.get(cookie)
    if (known !== undefined) return known
    const { generation } = this.#sessions
    const engine: Engine = await this.#engine.get()
    const found = await engine.api.getSession({ headers: new Headers({ cookie: cookieHeader }) })
    if (found === null || found.user.disabled) return null
    const { name, role } = found.user
    const principal: Principal = {
      id: `user:${name}`,
      kind: 'user',
      name,
      role: role as Principal['role'],
      scopes: null,
      servers: null,
    }
    const expiresAt = new Date(found.session.expiresAt).getTime()
    this.#sessions.remember({ credential: cookie, principal, expiresAt, generation })
    return principal
  }

  /** The value of WWW-Authenticate for a served server; null = the management API. */
  challengeFor(server: string | null, error?: ChallengeError): string {
    const resource = this.#resources().find((candidate) => candidate.server === server)
    return challengeOf(resource ?? this.#managementResource(), error)
  }

  /** Whether a page shows what its sign-in left with our own origin. */
  proves(cookieHeader: string, proof: string): Promise<boolean> {
    return this.#proofs.proves(cookieHeader, proof)
  }

  #isSignedIn({ headers: { cookie = '' } }: IncomingMessage): boolean {
    return this.#proofs.hasLogin(cookie)
  }

  #sessionCookie(header: string): string | undefined {
    return readCookie(header, this.#sessionCookieName())
  }

  #sessionCookieName(): string {
    return `${cookiePrefixOf(this.#options.publicUrl())}.session_token`
  }

  #resources(): ServedResource[] {
    return [...this.#options.servers(), this.#managementResource()]
  }

  #issuer(): string {
    return issuerOf(this.#options.publicUrl(), this.#options.isPublic())
  }

  #managementResource(): ServedResource {
    return { server: null, url: `${this.#options.publicUrl()}/api` }
  }

  #sendMetadata(path: string, request: IncomingMessage, response: ServerResponse): void {
    const document = metadataAt(path, {
      publicUrl: this.#options.publicUrl(),
      issuer: this.#issuer(),
      asksLogin: (server) => !this.#options.isOpen(request, server),
      resources: this.#resources(),
      registration: this.#options.settings().registration,
      issuers: this.#foreign.issuers,
    })
    // Clients in browsers come from any origin, and the documents are the same for all of them.
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', '*')
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    const body = JSON.stringify(document ?? { error: 'There is no such resource, or none that asks for a login.' })
    response.writeHead(document === null ? 404 : 200, {
      'content-type': 'application/json',
      // A proxy may be asked next by somebody who has to sign in.
      'cache-control': document === null ? 'no-store' : 'public, max-age=60',
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  }

  async #revoke(subject: string): Promise<void> {
    const saved = this.#revocations.revoke(subject)
    this.#tokens.forget()
    await saved
  }

  /** Nothing that is remembered counts any more, here and on other hubs. */
  async #forget(): Promise<void> {
    this.#tokens.forget()
    this.#sessions.forget()
    await this.#store.raiseRevision()
  }

  /** Looks whether another hub changed something. */
  async #watch(): Promise<void> {
    const revision = await this.#store.readRevision()
    if (revision === this.#revision) return
    this.#revision = revision
    await this.#revocations.load()
    await this.trust.load()
    this.#tokens.forget()
    this.#sessions.forget()
  }
}
