import {
  HubError,
  IdentityProviderInput,
  TrustedIssuerInput,
  type IdentityProviderView,
  type Principal,
  type TrustedIssuerView,
} from '@herma/contract'
import type { Events } from '../../../platform/events.ts'
import { authPath } from '../resource/metadata.ts'
import { discoverProvider } from './discover-provider.ts'
import type { ProviderStore, StoredIssuer, StoredProvider } from './store.ts'

export interface IdentityProvidersOptions {
  readonly store: ProviderStore
  readonly events: Events
  readonly redactor: { set(owner: string, values: Iterable<string>): void; remove(owner: string): void }
  publicUrl(): string
  /** Called with what there is, before anybody is told that it changed. */
  onLoad(issuers: readonly StoredIssuer[]): void
  /** Nothing that is remembered counts any more, here and on other hubs. */
  forget(): Promise<void>
}

const maxEntries = 50

/** Whom we trust to say who somebody is: identity providers for people, issuers for tokens. Owners decide. */
export class IdentityProviders {
  readonly #options: IdentityProvidersOptions
  #providers: readonly StoredProvider[] = []
  #issuers: readonly StoredIssuer[] = []

  constructor(options: IdentityProvidersOptions) {
    this.#options = options
  }

  /** Those that can be used. */
  get providers(): readonly StoredProvider[] {
    return this.#providers.filter(({ problem }) => problem === null)
  }

  async load(): Promise<void> {
    const { store, redactor } = this.#options
    this.#providers = await store.loadProviders()
    this.#issuers = await store.loadIssuers()
    const secrets = [
      ...this.#providers.map(({ clientSecret }) => clientSecret),
      ...this.#issuers.flatMap(({ introspection }) => introspection?.clientSecret ?? []),
    ]
    redactor.set('authority', secrets)
    this.#options.onLoad(this.#issuers.filter(({ problem }) => problem === null))
  }

  async #reload(): Promise<void> {
    await this.load()
    await this.#options.forget()
  }

  listProviders(): IdentityProviderView[] {
    return this.#providers.map((provider) => this.#viewOf(provider))
  }

  /** Asks the provider for its endpoints first, so that what is stored has worked once. */
  async addProvider(input: IdentityProviderInput, principal: Principal): Promise<IdentityProviderView> {
    requireOwner(principal)
    this.#requireRoom(this.#providers)
    const parsed = IdentityProviderInput.parse(input)
    const provider = {
      ...parsed,
      endpoints: await discoverProvider(parsed.issuer),
      createdAt: new Date(),
      problem: null,
    }
    await this.#options.store.insertProvider(provider)
    await this.#reload()
    this.#options.events.emit('provider.added', null, { provider: provider.name, issuer: provider.issuer })
    return this.#viewOf(provider)
  }

  async removeProvider(name: string, principal: Principal): Promise<void> {
    requireOwner(principal)
    await this.#options.store.removeProvider(name)
    await this.#reload()
    this.#options.events.emit('provider.removed', null, { provider: name })
  }

  listIssuers(): TrustedIssuerView[] {
    return this.#issuers.map(issuerView)
  }

  async addIssuer(input: TrustedIssuerInput, principal: Principal): Promise<TrustedIssuerView> {
    requireOwner(principal)
    this.#requireRoom(this.#issuers)
    const issuer = { ...TrustedIssuerInput.parse(input), createdAt: new Date(), problem: null }
    if ([this.#options.publicUrl(), this.#options.publicUrl() + authPath].includes(issuer.issuer))
      throw new HubError('INVALID_PARAMS', 'issuer: This is the hub itself, whose tokens count anyway.')
    await this.#options.store.insertIssuer(issuer)
    await this.#reload()
    this.#options.events.emit('issuer.added', null, { name: issuer.name, issuer: issuer.issuer, role: issuer.role })
    return issuerView(issuer)
  }

  async removeIssuer(name: string, principal: Principal): Promise<void> {
    requireOwner(principal)
    await this.#options.store.removeIssuer(name)
    await this.#reload()
    this.#options.events.emit('issuer.removed', null, { name })
  }

  #requireRoom(entries: readonly unknown[]): void {
    if (entries.length >= maxEntries)
      throw new HubError('OVERLOADED', `There are ${maxEntries}, the limit. Remove one first.`)
  }

  #viewOf({ clientSecret: _, endpoints: __, createdAt, ...provider }: StoredProvider): IdentityProviderView {
    const callbackUrl = this.#options.publicUrl() + callbackPathOf(provider.name)
    return { ...provider, callbackUrl, createdAt: createdAt.toISOString() }
  }
}

/** The path under `/auth` where identity providers send people back to. */
function callbackPathOf(provider: string): string {
  return `${authPath}/callback/${provider}`
}

function issuerView({ introspection, createdAt, ...issuer }: StoredIssuer): TrustedIssuerView {
  return { ...issuer, introspectionClientId: introspection?.clientId ?? null, createdAt: createdAt.toISOString() }
}

function requireOwner({ role }: Principal): void {
  if (role !== 'owner')
    throw new HubError('FORBIDDEN', `You are ${role}; only an owner decides whom the hub trusts. Ask one.`)
}
