import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorCodes, type AccessSettings, type OperatorLink, type Principal } from '@herma/contract'
import type { TokenSealer } from '../secret/index.ts'
import type { BufferBudget } from '@herma/framework/wire'
import type { HttpRequest } from '../platform/fast-http/index.ts'
import type { Events } from '../platform/events.ts'
import type { Log } from '../platform/log.ts'
import type { Metric } from '../platform/metric/metrics.ts'
import type { ApiAnswer, Route } from '../platform/http/index.ts'
import { problem } from '../platform/http/index.ts'
import type { Store } from '../platform/store/store.ts'
import {
  admit,
  isLocal,
  isOpen,
  type Admission,
  type AdmissionOptions,
  type Entrance,
  type TokenAuthority,
} from './admission.ts'
import { HostGuard } from './host-guard.ts'
import { ApiKeys } from './key/api-keys.ts'
import { KeyStore } from './key/store.ts'
import { OperatorLogin, ticketPath } from './operator-login.ts'
import { Passes } from './passes.ts'
import { ReachCheck } from './reach-check.ts'
import { AccessSettingsRegistry } from './setting/access-settings-registry.ts'

/** Signs people and OAuth clients in, with pages and documents of its own. */
export interface SignInAuthority extends TokenAuthority {
  handles(path: string): boolean
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
}

export interface AccessOptions {
  readonly store: Pick<Store, 'db' | 'kind'>
  readonly events: Events
  readonly log: Log
  readonly operatorToken: string
  /** Seals the cookie of the operator's browser. */
  readonly sealer: Pick<TokenSealer, 'seal' | 'open'>
  readonly authority: SignInAuthority
  /** What a principal may do at the management API: the reason of a refusal, or null. */
  mayManage(principal: Principal, route: Route): string | null
  /** Names of the served servers. */
  servers(): readonly string[]
  /** The address of the hub for this machine. */
  origin(): string
  /** Counts what waits in memory; its limits are settings. */
  readonly buffers: Pick<BufferBudget, 'limits'>
}

const mebibyte = 1024 * 1024

const managementEntrance: Entrance = {
  server: null,
  opens: 'never',
  keyHeader: 'authorization',
  takesCookies: 'proven',
  // Which scope an operation needs is up to `mayManage`.
  scopes: [],
}

/** For what anybody may ask, such as the page where an authorization server sends people back to. */
const nobody: Principal = { id: 'nobody', kind: 'client', name: 'nobody', role: 'viewer', scopes: [], servers: [] }

/** Who may ask: names of the hub, the operator, keys, users and tokens, in one place for the gateway and the API. */
export class Access {
  readonly keys: ApiKeys
  readonly settings: AccessSettingsRegistry
  readonly passes = new Passes()
  readonly reach = new ReachCheck()
  readonly #options: AccessOptions
  readonly #guard = new HostGuard()
  readonly #operatorLogin: OperatorLogin
  readonly metrics: readonly Metric[] = [
    {
      name: 'access_refusals_total',
      help: 'Requests that were not let in, for want of a key or token that opens the place.',
      kind: 'counter',
      read: () => this.#refusals,
    },
  ]
  #refusals = 0
  #parts: AdmissionOptions
  /** The request that was last found to come from this machine: whoever asks next mostly asks about the same one. */
  #lastLocal: HttpRequest | null = null

  constructor(options: AccessOptions) {
    const { store, events, log } = options
    this.#options = options
    this.#operatorLogin = new OperatorLogin({ token: options.operatorToken, sealer: options.sealer })
    this.keys = new ApiKeys({
      store: new KeyStore(store.db),
      events,
      log,
      isStoreShared: store.kind === 'external',
      servers: options.servers,
    })
    this.settings = new AccessSettingsRegistry(store.db, events, log)
    this.settings.onChange = (settings) => this.#configure(settings)
    this.#parts = this.#partsFor(this.settings.get())
  }

  async start(): Promise<void> {
    await Promise.all([this.keys.start(), this.settings.start()])
  }

  stop(): Promise<void> {
    return this.keys.stop()
  }

  checkHost(request: HttpRequest, ownOrigin: string | null): string | null {
    return this.#guard.check(request.headers, ownOrigin, request.socket)
  }

  admit(request: HttpRequest, entrance: Entrance): Admission | Promise<Admission> {
    const admission = admit(request, entrance, this.#parts)
    if (admission instanceof Promise) return admission.then((settled) => this.#note(settled, request, entrance))
    return this.#note(admission, request, entrance)
  }

  /** Whether whoever shows nothing comes in there. */
  isOpen(request: HttpRequest, entrance: Entrance): boolean {
    return isOpen(request, entrance, this.#parts)
  }

  isLocal(request: HttpRequest): boolean {
    if (request === this.#lastLocal) return true
    if (!isLocal(request)) return false
    this.#lastLocal = request
    return true
  }

  /** Whoever shows a credential and is not let in is worth a line; who shows none is only finding out how. */
  #note(admission: Admission, { headers }: HttpRequest, { server, keyHeader }: Entrance): Admission {
    if (!('refused' in admission)) return admission
    this.#refusals++
    if (headers.authorization === undefined && headers[keyHeader] === undefined) return admission
    const { code, message } = admission.refused
    this.#options.events.emit('access.refused', null, { why: message }, { errorCode: code, ...(server && { server }) })
    return admission
  }

  handles(path: string): boolean {
    return path === ticketPath || this.#options.authority.handles(path)
  }

  handle(request: IncomingMessage, response: ServerResponse): void | Promise<void> {
    if (request.url?.startsWith(ticketPath) === true) return this.#operatorLogin.redeem(request, response)
    return this.#options.authority.handle(request, response)
  }

  /** Who is at the management API, or the answer that keeps them out. */
  async authorize(request: IncomingMessage, route: Route): Promise<Principal | ApiAnswer> {
    if (route.role === 'public') {
      const visitor = await this.admit(request, {
        ...managementEntrance,
        opens: 'unless-public',
        takesCookies: 'alone',
      })
      return 'refused' in visitor ? nobody : visitor
    }
    const admission = await this.admit(request, managementEntrance)
    if ('refused' in admission) {
      const { refused, challenge } = admission
      const answer = problem(errorCodes[refused.code].http, refused.code, refused.message)
      return challenge === undefined ? answer : { ...answer, headers: { 'www-authenticate': challenge } }
    }
    const why = this.#options.mayManage(admission, route)
    if (why === null) return admission
    this.#options.events.emit('access.refused', null, { route: route.id, why }, { principal: admission.id })
    return problem(403, 'FORBIDDEN', why)
  }

  createLink(): OperatorLink {
    const { path, expiresAt } = this.#operatorLogin.createTicket()
    return { url: this.#options.origin() + path, expiresAt: expiresAt.toISOString() }
  }

  /** Where clients find the hub: the public address, or that of this machine. */
  get publicUrl(): string {
    return this.settings.get().publicUrl ?? this.#options.origin()
  }

  #configure(settings: AccessSettings): void {
    const { publicUrl, allowedHosts, allowedOrigins, memory } = settings
    const publicOrigin = publicUrl === null ? null : new URL(publicUrl).origin
    this.#guard.configure({ publicOrigin, hosts: allowedHosts, origins: allowedOrigins })
    this.#parts = this.#partsFor(settings)
    const { client, principal, hub } = memory
    this.#options.buffers.limits = { client: client * mebibyte, principal: principal * mebibyte, hub: hub * mebibyte }
  }

  #partsFor({ publicUrl }: AccessSettings): AdmissionOptions {
    return {
      operatorLogin: this.#operatorLogin,
      keys: { principalOf: (credential) => this.passes.principalOf(credential) ?? this.keys.principalOf(credential) },
      authority: this.#options.authority,
      isPublic: publicUrl !== null,
      isLocal: (request) => this.isLocal(request),
    }
  }
}
