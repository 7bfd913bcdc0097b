import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import type { AccessSettings, Principal } from '@herma/contract'
import { openAccess, isLoopbackName } from './access/index.ts'
import { openOperatorToken } from './access/operator-token.ts'
import { findTarget, recentCalls } from './wiring/policy-environment.ts'
import { managementRoutes } from './wiring/management-api.ts'
import { ChangeFeed } from './change/index.ts'
import { describeHub } from './wiring/describe-hub.ts'
import { feedCatalog } from './wiring/feed-catalog.ts'
import { openBackups } from './backup/open-backups.ts'
import { announce, findWebFolder } from './wiring/hub-files.ts'
import { hubMetrics } from './wiring/hub-metrics.ts'
import type { Hub, HubOptions } from './hub-options.ts'
import { openAgents, type OpenAgents } from './wiring/open-agents.ts'
import { catalogKinds, openCatalog, type OpenCatalog } from './catalog/index.ts'
import { Discoveries } from './discovery/index.ts'
import { callbackPath } from './downstream/authorization/sign-in/api.ts'
import {
  Authorizations,
  AuthorizationStore,
  ClientRelay,
  Connectors,
  ConnectorStore,
  CredentialRegistry,
  hubInfo,
  OwnHub,
  SignIns,
  SignInLinks,
} from './downstream/index.ts'
import { connectionIdLifeMs, createGateway, createWebFiles, Servers, type Gateway } from './gateway/index.ts'
import { managementName, serveManagement } from './management/index.ts'
import { pageServices } from './wiring/page-services.ts'
import { AdvisoryLocks } from './platform/store/advisory-locks.ts'
import { actAs, Events, type Actor } from './platform/events.ts'
import { startProcessWatchdog } from './platform/process/process-watchdog.ts'
import { ensureStateHome } from './platform/file/homes.ts'
import { createApi } from './platform/http/index.ts'
import { createAddressGuard, toAddressPolicy } from './platform/network/index.ts'
import { renderMetrics, type Metric } from './platform/metric/metrics.ts'
import { acquireStateLock } from './platform/file/state-lock.ts'
import { openStore } from './platform/store/store.ts'
import { serverFacts } from './wiring/server-facts.ts'
import { serverInsight } from './wiring/server-insight.ts'
import {
  isSecretName,
  KeyRotation,
  openKeyRing,
  redactLog,
  Redactor,
  Secrets,
  secretMetrics,
  SecretStore,
} from './secret/index.ts'
import { readHubId } from './session/index.ts'
import { openTrace } from './trace/index.ts'

export type { Hub, HubOptions } from './hub-options.ts'

/** A `requestState` that a client holds for longer than this may not open any more. */
const stateRotationMs = 24 * 60 * 60_000

type Stop = () => void | Promise<unknown>

/** Builds the hub, starts its parts in order, and stops them in reverse. */
export async function startHub(options: HubOptions): Promise<Hub> {
  const { stateHome } = options
  const redactor = new Redactor()
  const log = redactLog(options.log, redactor)
  const stops: Stop[] = []
  const stopAll = async () => {
    for (const stop of stops.toReversed()) {
      await Promise.resolve(stop()).catch((error: unknown) => log.error('a part did not stop cleanly', { error }))
    }
  }
  try {
    await ensureStateHome(stateHome)
    const lock = await acquireStateLock(stateHome)
    stops.push(() => lock.release())
    const [operatorToken, store] = await Promise.all([
      openOperatorToken(stateHome),
      openStore({ stateHome, databaseUrl: options.databaseUrl, log }),
    ])
    stops.push(() => store.stop())
    redactor.set('hub', [operatorToken, passwordOf(options.databaseUrl)])
    const sealer = await openKeyRing({ ...options, db: store.db })
    const events = new Events()
    let url = ''
    const secretStore = new SecretStore(store.db, sealer)
    const secrets = new Secrets({ store: secretStore, redactor, events })
    await secrets.start()
    let allMetrics = (): Metric[] => []
    const trace = await openTrace({
      store,
      events,
      log,
      version: hubInfo.version,
      masks: { redact: (text) => redactor.redact(text), redactValue: (value) => redactor.redactValue(value) },
      seals: sealer,
      servers: () => servers.list().map(({ name }) => name),
      connectors: () => connectors.entries().map(({ stored }) => stored.connector.name),
      onSecrets: (values) => redactor.set('trace settings', values),
      resolveSecrets: (text) => secrets.resolve(text),
      metrics: () => allMetrics(),
    })
    stops.push(() => trace.stop())
    const servers = new Servers(store.db, events, [managementName])
    await servers.start()
    const opened = await openAccess({
      store,
      events,
      log,
      operatorToken,
      sealer,
      redactor,
      servers: () => servers.list(),
      entranceOf: (server) => servers.entranceOf(server),
      origin: () => url,
      findTarget: (question) => findTarget(question, curated),
      recentCalls: (limit) => recentCalls(trace.service.traces, limit),
    })
    stops.push(() => opened.stop())
    const { access } = opened
    const watchdog = startProcessWatchdog()
    stops.push(() => watchdog.stop())

    const startedAt = new Date()
    let finish: () => void = () => {}
    const stopped = new Promise<void>((resolve) => {
      finish = resolve
    })
    let stopping: Promise<void> | null = null
    let graceMs: number | undefined
    const stop = (limitMs?: number) => {
      if (limitMs !== undefined) graceMs = Math.min(graceMs ?? limitMs, limitMs)
      // Once the gateway waits for calls, it is told to wait no longer than this.
      if (stopping !== null && limitMs !== undefined) void gateway?.stop(limitMs)
      return (stopping ??= stopAll().finally(finish))
    }

    let gateway: Gateway | null = null
    let agents: OpenAgents | null = null
    const curated: OpenCatalog = await openCatalog({
      ...options,
      log,
      store,
      events,
      watchdog,
      redact: (text) => redactor.redact(text),
      onCustomTools: (tools) =>
        redactor.set(
          'custom_tools.json',
          tools.flatMap(({ env }) =>
            Object.entries(env).flatMap(([name, value]) => (isSecretName(name) ? [value] : [])),
          ),
        ),
      settingsOf: (server) => servers.settingsOf(server),
      ownServer: (server) => agents?.serverOf(server),
      endpoint: () => `${url}/mcp`,
    })
    stops.push(() => curated.stop())
    const { catalog } = curated
    servers.changed.listen(() => curated.scopes.forget())
    const authorizationStore = new AuthorizationStore(store.db, sealer)
    const connectorStore = new ConnectorStore(store.db, sealer)
    const guard = createAddressGuard(() => toAddressPolicy(access.settings.get(), isLoopbackName(options.host)))
    const ownHub = new OwnHub({
      id: await readHubId(store.db),
      origin: () => url,
      knownAs: () => knownAs(access.settings.get()),
      isApart: (server) => ['team', 'session'].includes(servers.kindOf(server)),
    })
    const signInLinks = new SignInLinks(() => access.publicUrl)
    const authorizations = new Authorizations({
      guard,
      locks: new AdvisoryLocks(store.pool),
      store: authorizationStore,
      redactor,
      log,
      redirectUrl: () => access.publicUrl + callbackPath,
    })
    const clients = new ClientRelay()
    const connectors = new Connectors({
      store: connectorStore,
      redactor,
      authorizations,
      outside: {
        watchdog,
        events,
        log,
        guard,
        ownHub,
        signInLinks,
        secretOf: (name) => secrets.valueOf(name),
      },
      clients,
      summarise: (id) => catalog.tools(id),
      hostOf: (id) => servers.hosting(id),
    })
    servers.facts = serverFacts({ connectors, scopes: curated.scopes, own: (server) => agents?.factsOf(server) })
    connectors.changed.listen((entries) => {
      feedCatalog(catalog, entries)
      events.touch('catalog')
    })
    connectors.removed.listen(({ stored }) => {
      catalog.remove(stored.id)
      curated.forget(stored.id)
    })
    secrets.addUsers((name) => connectors.usersOf(name))
    secrets.changed.listen((name) => void connectors.renewUsersOf(name))
    servers.changed.listen(() => void connectors.reviewHosts())
    await connectors.load()
    stops.push(() => connectors.stop())
    const shared = { store, stateHome, sealer, redactor, servers, events, log, watchdog, guard, ownHub }
    const working = await openAgents({
      ...curated,
      ...shared,
      connectors,
      secrets,
      signInLinks,
      configHome: options.configHome,
      rulings: opened.rulings,
      propagates: () => trace.propagates(),
    })
    agents = working
    connectors.changed.listen(() => working.onConnectors())
    connectors.removed.listen(({ stored }) => working.onConnectorRemoved(stored.id))
    secrets.addUsers((name) => working.usersOf(name))
    secrets.changed.listen((name) => working.onSecret(name))
    stops.push(() => working.stop())
    const places = [
      connectorStore,
      authorizationStore,
      secretStore,
      ...opened.authority.sealedPlaces,
      ...trace.sealedPlaces,
      ...working.sealedPlaces,
    ]
    const rotation = new KeyRotation({ ring: sealer, places, events, log })
    const status = () =>
      describeHub({ startedAt, publicUrl: access.publicUrl, stateHome, store, connectors, catalog, gateway: gateway! })
    const find: typeof connectors.find = (name) => connectors.find(name)
    const lookAgain: typeof connectors.lookAgain = (downstream) => connectors.lookAgain(downstream)
    const credentials = new CredentialRegistry({ events, find, entries: () => connectors.entries(), lookAgain })
    stops.push(credentials.start())
    const discovery = new Discoveries({
      ...shared,
      db: store.db,
      configHome: options.configHome,
      connectors: connectors,
      secrets,
      isHerma: (input) => ownHub.find(input) !== null,
    })
    await discovery.start()
    stops.push(() => discovery.stop())
    const changes = new ChangeFeed(events)
    const hidden = [stateHome, ...(options.keyFile === undefined ? [] : [options.keyFile])]
    const pages = pageServices({
      access,
      connectors,
      servers,
      trace,
      redactor,
      hidden,
      agents: working,
      catalog: curated,
      origin: () => url,
    })
    const api = {
      ...pages,
      changes,
      serverInsight: serverInsight({
        servers,
        scopes: curated.scopes,
        healthOf: (server) => gateway!.healthOf(server),
        listTools: pages.listTools,
      }),
      discovery,
      connectors: connectors,
      signIns: new SignIns({
        authorizations,
        events,
        find,
        byId: (id) => connectors.entryOf(id),
        lookAgain,
        links: signInLinks,
        notify: (...notification) => clients.onNotification(...notification),
      }),
      credentials,
      servers,
      ...working,
      catalog: curated.manager,
      traces: trace.service,
      access,
      policy: opened.policy,
      authority: opened.authority,
      secrets,
      keys: rotation,
      hub: { status, stop: (limitMs?: number) => void stop(limitMs) },
    }
    const routes = managementRoutes({ ...api, backups: openBackups(api, redactor) })
    const management = serveManagement(
      { version: hubInfo.version, connectors: connectors, discovery, status, servers: () => servers.list() },
      servers.get(managementName).path,
    )
    stops.push(() => management.stop())
    const opening = createGateway({
      ...curated,
      own: new Map([
        [
          managementName,
          (request, response, principal) =>
            actAs(actorOf(principal), () => management.handle(request, response, principal.id)),
        ],
      ]),
      gatekeeper: access,
      events,
      captureOf: (server) => trace.captureOf(server),
      propagates: () => trace.propagates(),
      rulings: opened.rulings,
      openai: working.openai,
      masks: redactor,
      redact: (error) => redactor.redactValue(error, { byName: false }) as typeof error,
      connectors: () => connectors,
      servers,
      api: createApi(routes, {
        log,
        redact: (text) => redactor.redact(text),
        authorize: (request, route) => access.authorize(request, route),
      }),
      web: createWebFiles(options.webFolder ?? findWebFolder()),
      log,
      isReady: () => store.isHealthy(),
      graceMs: options.graceMs ?? 30_000,
      ...(options.onDrain !== undefined && { onDrain: options.onDrain }),
      metrics: () => renderMetrics(allMetrics()),
      announce: (server) => ownHub.announce(server),
      sealer: sealer.tokens('request-state', stateRotationMs),
      connectionSealer: sealer.tokens('connection', connectionIdLifeMs),
      db: store.db,
      limits: {
        maxConnections: options.maxConnections ?? 10_000,
        idleMs: options.connectionIdleMs ?? 30 * 60_000,
        maxBodyBytes: options.maxBodyBytes ?? 16 * 1024 * 1024,
        maxParked: options.maxParked ?? 1000,
        questionMs: options.questionMs ?? 10 * 60_000,
      },
    })
    gateway = opening
    clients.connect(opening.listener)
    curated.listsChanged.listen((kinds) => opening.onListsChanged(kinds))
    servers.changed.listen(() => opening.onListsChanged(catalogKinds))
    allMetrics = () => [
      ...hubMetrics(gateway, () => connectors.entries()),
      ...curated.metrics,
      ...trace.metrics,
      ...signInLinks.metrics,
      ...opened.metrics,
      ...working.metrics,
      ...changes.metrics,
      ...secretMetrics(
        () => secrets.size,
        () => rotation.unopened,
      ),
    ]
    connectors.start()
    url = await gateway.start(options.host, options.port)
    const { stop: stopGateway } = gateway
    stops.push(() => stopGateway(graceMs))
    changes.start()
    stops.push(() => changes.stop())
    rotation.start()
    stops.push(() => rotation.stop())
    curated.watchDrift()
    await announce(stateHome, url, startedAt)
    stops.push(() => rm(join(stateHome, 'hub.json'), { force: true }))
    if (!isLoopbackName(options.host) && access.settings.get().publicUrl?.startsWith('https:') !== true)
      log.warn('keys travel unencrypted: put TLS in front and say where with: herma access --public-url https://…')
    events.emit('hub.started', null, { url, version: hubInfo.version })
    return { url, stop, stopped }
  } catch (error) {
    await stopAll()
    throw error
  }
}

function knownAs({ publicUrl, allowedHosts }: AccessSettings): string[] {
  return publicUrl === null ? allowedHosts : [publicUrl, ...allowedHosts]
}

function actorOf({ id }: Principal): Actor {
  return { principal: id, traceId: randomBytes(16).toString('hex') }
}

function passwordOf(databaseUrl = ''): string {
  return URL.canParse(databaseUrl) ? decodeURIComponent(new URL(databaseUrl).password) : ''
}
