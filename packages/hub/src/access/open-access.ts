import type { Principal, PrincipalLimits } from '@herma/contract'
import type { Sealer } from '../secret/index.ts'
import type { BufferBudget } from '@herma/framework/wire'
import { createAddressFetch, createAddressGuard } from '../platform/network/index.ts'
import type { Events } from '../platform/events.ts'
import type { Log } from '../platform/log.ts'
import type { Metric } from '../platform/metric/metrics.ts'
import type { Store } from '../platform/store/store.ts'
import { operator } from '../wire/index.ts'
import { Access } from './access.ts'
import type { Entrance } from './admission.ts'
import { Authority, type AuthorityOptions } from './authority/index.ts'
import { AddressLimiter, PrincipalLimiter } from './limit/index.ts'
import {
  mayManage,
  OwnerGuard,
  Policy,
  AccessRules,
  RuleStore,
  type Action,
  type PolicyEnvironment,
} from './policy/index.ts'

/** The served servers, as far as access has to know them; the gateway has them. */
interface ServedServers {
  /** The facade first. */
  list(): readonly { readonly name: string; readonly kind: string; readonly path: string }[]
  /** What a client of a served server has to show. */
  entranceOf(server: string): Entrance | undefined
}

export interface OpenAccessOptions extends Pick<PolicyEnvironment, 'findTarget' | 'recentCalls'> {
  readonly store: Pick<Store, 'db' | 'kind'>
  readonly events: Events
  readonly log: Log
  readonly operatorToken: string
  readonly sealer: Sealer
  readonly redactor: AuthorityOptions['redactor']
  readonly servers: ServedServers
  readonly buffers: BufferBudget
  /** The address of the hub for this machine. */
  origin(): string
}

/** How long a browser of the operator stays signed in. */
const operatorCookieMs = 30 * 24 * 60 * 60_000

export type OpenAccess = Awaited<ReturnType<typeof openAccess>>

/** Wires who may come in, and what they may do. */
export async function openAccess(options: OpenAccessOptions) {
  const { store, events, log, sealer, redactor, servers } = options
  // Whoever asks for a token may name a document, so that nothing private is reached for it.
  const outside = createAddressFetch(
    createAddressGuard(() => ({ private: 'deny', allow: access.settings.get().reachable })),
  )
  const authority: Authority = new Authority({
    db: store.db,
    sealer,
    events,
    log,
    redactor,
    fetchPublic: outside.fetch,
    isStoreShared: store.kind === 'external',
    publicUrl: () => access.publicUrl,
    isPublic: () => access.settings.get().publicUrl !== null,
    isOpen: (request, server) => {
      const entrance = server === null ? undefined : servers.entranceOf(server)
      return entrance !== undefined && access.isOpen(request, entrance)
    },
    servers: () =>
      servers.list().map(({ name, kind, path }) => ({
        server: name,
        url: access.publicUrl + path,
        isManagement: kind === 'management',
      })),
    settings: () => access.settings.get(),
  })
  const access: Access = new Access({
    store,
    events,
    log,
    operatorToken: options.operatorToken,
    sealer: sealer.tokens('operator-cookie', operatorCookieMs),
    authority,
    mayManage: (principal, route) => {
      const { allowed, why } = mayManage(principal, route)
      return allowed ? null : why
    },
    servers: () => servers.list().map(({ name }) => name),
    origin: options.origin,
    buffers: options.buffers,
  })
  const rules = new AccessRules({
    store: new RuleStore(store.db),
    events,
    log,
    isStoreShared: store.kind === 'external',
  })
  const limiter = new PrincipalLimiter({ limitsOf: (principal) => limitsOf(principal, access) })
  const addresses = new AddressLimiter({ limits: () => access.settings.get().perAddress })
  const policy = new Policy(rules, {
    findTarget: options.findTarget,
    recentCalls: options.recentCalls,
    findPrincipal: (id) => findPrincipal(id, access, authority),
  })
  const hostPolicy = new OwnerGuard({ events, lists: () => access.settings.get() })
  await Promise.all([access.start(), authority.start(), rules.start()])
  const metrics: Metric[] = [
    ...access.metrics,
    ...authority.metrics,
    ...limiter.metrics(),
    ...addresses.metrics(),
    ...rules.metrics(),
  ]
  return {
    access,
    authority,
    policy,
    /** What each address holds at the listener. */
    addresses,
    /** What connectors, sessions and teams ask before they take a command or folder. */
    hostPolicy,
    metrics,
    /** What the gateway asks before it lets a call pass. */
    rulings: {
      isFree: (principal: Principal) => rules.isFree(principal),
      check: (action: Action) => rules.check(action),
      take: (principal: Principal, method: string, isInside?: boolean) => limiter.take(principal, method, isInside),
      stepUp: (server: string, scope: string, description: string) =>
        authority.challengeFor(server, { code: 'insufficient_scope', description, scopes: [scope] }),
    },
    async stop(): Promise<void> {
      await rules.stop()
      authority.stop()
      void outside.close()
      await access.stop()
    },
  }
}

function limitsOf({ kind, id }: Principal, { keys, settings }: Access): PrincipalLimits | null {
  if (kind === 'operator') return null
  return (kind === 'key' ? keys.limitsOf(id) : null) ?? settings.get().limits
}

async function findPrincipal(id: string, access: Access, authority: Authority): Promise<Principal | undefined> {
  if (id === operator.id) return operator
  const [kind, name] = [id.slice(0, id.indexOf(':')), id.slice(id.indexOf(':') + 1)]
  if (kind === 'key') return access.keys.named(name)
  if (kind !== 'user') return undefined
  const user = (await authority.users.list()).find((each) => each.name === name)
  return user && { id, kind: 'user', name, role: user.role, scopes: null, servers: null }
}
