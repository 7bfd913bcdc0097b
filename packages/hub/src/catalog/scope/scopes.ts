import { compileGlob, type Mode, type View } from '@herma/contract'
import { facadeName, isObject, localOperator, type Caller } from '../../wire/index.ts'
import type { Catalog } from '../core/catalog.ts'
import type { OwnServer, OwnTool } from '../core/own-tool.ts'
import { isPlainClient, isStrictClient } from '../schema/adapted-clients.ts'
import { Scope, type ScopeSettings } from './scope.ts'
import { ToolSearch } from './tool-search.ts'

/** What a person set about a served server. */
export interface ServedSettings {
  readonly mode: Mode
  /** Name of a view; null = whichever is for the client. */
  readonly view: string | null
  readonly metadata: boolean
  /** How schemas are given: auto = rewritten for clients known to refuse them. */
  readonly schemas: 'auto' | 'original' | 'strict'
  /** Whether `search` and `fetch` are offered: auto = to ChatGPT, which wants them. */
  readonly fallbacks: 'auto' | 'on' | 'off'
  /** Id of the connector that the server hosts alone. */
  readonly host?: string | undefined
}

interface ScopesOptions {
  readonly catalog: Catalog
  settingsOf(server: string): ServedSettings | undefined
  /** A team or session that is served under this name. */
  ownServer(server: string): OwnServer | undefined
  modeTools(mode: Mode, scope: Scope): OwnTool[]
  /** The search and the fetch of resources, as the clients of these scopes may see them. */
  fallbacks(scopes: Scopes): readonly OwnTool[]
}

/** The client that compares the catalog with what it should be. A mode would show it three tools of all. */
export const observerName = 'herma-catalog'
/** Kinds of clients are few; somebody who invents names must not fill the memory. */
const maxKinds = 1000
const maxScopes = 64
/** Clients whose connectors need a search and a fetch. */
const researchClients = ['openai*', 'chatgpt*'].map(compileGlob)

type Asker = Pick<Caller, 'server' | 'principal' | 'clientInfo'>

/** Knows which scope a client has: by the server that it talks to, its name and its principal. */
export class Scopes {
  readonly #parts: ScopesOptions
  readonly #search: ToolSearch
  readonly #fallbacks: readonly OwnTool[]
  #views: readonly View[] = []
  readonly #kinds = new Map<string, Scope>()
  readonly #scopes = new Map<string, Scope>()
  /** What the operator has at the facade, by the name of the client as it came. */
  readonly #atFacade = new Map<unknown, Scope>()

  constructor(parts: ScopesOptions) {
    this.#parts = parts
    this.#search = new ToolSearch(parts.catalog)
    this.#fallbacks = parts.fallbacks(this)
  }

  get views(): readonly View[] {
    return this.#views
  }

  setViews(views: readonly View[]): void {
    this.#views = views
    this.forget()
  }

  /** Settings of a server changed. */
  forget(): void {
    this.#kinds.clear()
    this.#scopes.clear()
    this.#atFacade.clear()
  }

  for(asker: Asker): Scope {
    // This is on the path of every call, and mostly it is the operator at the facade: one lookup has to do.
    const isOperator = asker.server === facadeName && asker.principal === localOperator
    const name = isObject(asker.clientInfo) ? asker.clientInfo['name'] : undefined
    return (isOperator ? this.#atFacade.get(name) : undefined) ?? this.#find(asker, isOperator ? name : null)
  }

  #find(asker: Asker, nameAtFacade: unknown): Scope {
    const scope = this.#findKind(asker)
    // A long name is not worth keeping.
    if (typeof nameAtFacade !== 'string' || nameAtFacade.length > 100) return scope
    if (this.#atFacade.size >= maxKinds) this.#atFacade.clear()
    this.#atFacade.set(nameAtFacade, scope)
    return scope
  }

  #findKind(asker: Asker): Scope {
    const client = clientName(asker.clientInfo)
    const kind = `${asker.server}\n${asker.principal}\n${client}`
    const known = this.#kinds.get(kind)
    if (known !== undefined) return known
    const scope = this.#open(this.#settingsFor(asker, client))
    if (this.#kinds.size >= maxKinds) this.#kinds.clear()
    this.#kinds.set(kind, scope)
    return scope
  }

  /** What a client of the facade pays for definitions at the start, in tokens. */
  costOf(mode: Mode): number {
    const scope = this.#open({ view: null, mode, hasMetadata: false, schemas: 'original', hasFallbacks: false })
    return scope.listedTokens()
  }

  #settingsFor({ server, principal }: Asker, client: string): ScopeSettings {
    const served = this.#parts.settingsOf(server) ?? plainSettings
    const own = this.#parts.ownServer(server)
    const schemas = served.schemas === 'auto' ? schemasFor(client) : served.schemas
    if (own !== undefined) return { view: null, mode: 'full', hasMetadata: false, schemas, hasFallbacks: false, own }
    const view =
      served.view === null
        ? this.#views.find((candidate) => isFor(candidate, { server, principal, client }))
        : (this.#views.find(({ name }) => name === served.view) ?? emptyView(served.view))
    const hasFallbacks =
      served.fallbacks === 'on' || (served.fallbacks === 'auto' && researchClients.some((fits) => fits(client)))
    const { host, metadata: hasMetadata } = served
    // A hosted server is as it is: neither modes nor tools of ours take the place of its own.
    if (host !== undefined) return { view: view ?? null, mode: 'full', hasMetadata, schemas, hasFallbacks: false, host }
    const mode = client === observerName ? 'full' : (view?.mode ?? served.mode)
    return { view: view ?? null, mode, hasMetadata, schemas, hasFallbacks }
  }

  #open(settings: ScopeSettings): Scope {
    const key = JSON.stringify({ ...settings, view: settings.view?.name ?? null, own: settings.own?.name ?? null })
    const known = this.#scopes.get(key)
    if (known !== undefined) return known
    const scope = new Scope(settings, { ...this.#parts, search: this.#search, fallbacks: this.#fallbacks })
    if (this.#scopes.size >= maxScopes) this.#scopes.clear()
    this.#scopes.set(key, scope)
    return scope
  }
}

export const plainSettings: ServedSettings = {
  mode: 'full',
  view: null,
  metadata: true,
  schemas: 'auto',
  fallbacks: 'auto',
}

/** A server whose view is missing shows nothing: better than showing what somebody meant to hide. */
function emptyView(name: string): View {
  return { name, include: [], exclude: [{}] }
}

function isFor(
  view: View,
  { server, principal, client }: { server: string; principal: string; client: string },
): boolean {
  if (view.for === undefined) return false
  const { servers, clients, principals } = view.for
  const fits = (globs: string[] | undefined, name: string) =>
    globs === undefined || globs.some((glob) => compileGlob(glob.toLowerCase())(name.toLowerCase()))
  return fits(servers, server) && fits(clients, client) && fits(principals, principal)
}

function schemasFor(client: string): ScopeSettings['schemas'] {
  if (isStrictClient(client)) return 'strict'
  return isPlainClient(client) ? 'plain' : 'original'
}

/** The name that a client gives itself; it is no proof of anything. */
function clientName(clientInfo: unknown): string {
  const name = isObject(clientInfo) ? clientInfo['name'] : undefined
  return typeof name === 'string' ? name.slice(0, 100).toLowerCase() : ''
}
