import type { AccessSettings } from '@herma/contract'
import { isLoopbackName, type OpenAccess } from '../access/index.ts'
import type { OpenCatalog } from '../catalog/index.ts'
import { callbackPath } from '../downstream/authorization/sign-in/api.ts'
import {
  Authorizations,
  AuthorizationStore,
  ClientRelay,
  Connectors,
  ConnectorStore,
  CredentialRegistry,
  OwnHub,
  SignInLinks,
  SignIns,
} from '../downstream/index.ts'
import { createAddressGuard, toAddressPolicy } from '../platform/network/index.ts'
import { AdvisoryLocks } from '../platform/store/advisory-locks.ts'
import { readHubId } from '../session/index.ts'
import type { AgentDirectory } from './agent/agent-directory.ts'
import { feedCatalog } from './feed-catalog.ts'
import type { Foundation } from './open-foundation.ts'
import { serverFacts } from './server-facts.ts'

interface ConnectorOptions extends Foundation {
  /** Where the hub listens. */
  readonly host: string
  readonly curated: OpenCatalog
  readonly access: OpenAccess['access']
  readonly hostPolicy: OpenAccess['hostPolicy']
  readonly agents: AgentDirectory
}

export type OpenConnectors = Awaited<ReturnType<typeof openConnectors>>

/** The servers that we call, and how the hub signs in to them. The catalog learns from here what they offer. */
export async function openConnectors(options: ConnectorOptions) {
  const {
    store,
    sealer,
    redactor,
    events,
    log,
    secrets,
    servers,
    watchdog,
    isolator,
    buffers,
    isHttpFast,
    lifecycle,
    curated,
    access,
  } = options
  const [connectorStore, authorizationStore] = [
    new ConnectorStore(store.db, sealer),
    new AuthorizationStore(store.db, sealer),
  ]
  const guard = createAddressGuard(() => toAddressPolicy(access.settings.get(), isLoopbackName(options.host)))
  const ownHub = new OwnHub({
    id: await readHubId(store.db),
    origin: () => options.address.url,
    knownAs: () => knownAs(access.settings.get()),
    isApart: (server) => ['team', 'session'].includes(servers.kindOf(server)),
  })
  const signInLinks = new SignInLinks(() => access.publicUrl)
  const authorizations = new Authorizations({
    guard,
    redactor,
    log,
    store: authorizationStore,
    locks: new AdvisoryLocks(store.pool),
    redirectUrl: () => access.publicUrl + callbackPath,
  })
  const clients = new ClientRelay()
  const secretOf = (name: string) => secrets.valueOf(name)
  const connectors = new Connectors({
    store: connectorStore,
    redactor,
    secrets,
    authorizations,
    clients,
    environment: {
      watchdog,
      isolator,
      events,
      log,
      guard,
      buffers,
      isHttpFast,
      ownHub,
      hostPolicy: options.hostPolicy,
      signInLinks,
      secretOf,
      approvals: curated.approvals,
    },
    summarise: (id) => curated.catalog.tools(id),
    hostOf: (id) => servers.hosting(id),
  })
  servers.learn(serverFacts({ connectors, scopes: curated.scopes, agents: options.agents }))
  connectors.changed.listen((entries) => {
    feedCatalog(curated.catalog, entries)
    events.touch('catalog')
  })
  connectors.removed.listen(({ stored }) => {
    curated.catalog.remove(stored.id)
    curated.forget(stored.id)
  })
  curated.approved.listen((id) => connectors.byId(id)?.reconsiderTools())
  secrets.addUsers((name) => connectors.usersOf(name))
  secrets.changed.listen((name) => void connectors.renewUsersOf(name))
  servers.changed.listen(() => void connectors.reviewHosts())
  await connectors.load()
  const usesContainers = connectors.entries().some(({ stored }) => stored.connector.isolation?.type === 'container')
  if (usesContainers) void isolator.removeLeftovers()
  lifecycle.add(connectors)
  const lookups = {
    find: (name: string) => connectors.find(name),
    byId: (id: string) => connectors.entryOf(id),
    entries: () => connectors.entries(),
    lookAgain: (downstream: Parameters<Connectors['lookAgain']>[0]) => connectors.lookAgain(downstream),
  }
  const credentials = new CredentialRegistry({ events, ...lookups })
  lifecycle.add(credentials.start())
  const notify: ClientRelay['onNotification'] = (...told) => clients.onNotification(...told)
  const signIns = new SignIns({ authorizations, events, links: signInLinks, notify, ...lookups })
  options.metrics.add(...signInLinks.metrics)
  return {
    connectors,
    clients,
    guard,
    ownHub,
    signInLinks,
    credentials,
    signIns,
    sealedPlaces: [connectorStore, authorizationStore],
  }
}

function knownAs({ publicUrl, allowedHosts }: AccessSettings): string[] {
  return publicUrl === null ? allowedHosts : [publicUrl, ...allowedHosts]
}
