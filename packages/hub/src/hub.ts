import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { randomBytes } from 'node:crypto'
import type { Principal } from '@herma/contract'
import { openAccess, isLoopbackName } from './access/index.ts'
import { openOperatorToken } from './access/operator-token.ts'
import { findTarget, recentCalls } from './policy-outside.ts'
import { apiRoutes } from './api-routes.ts'
import { describeHub } from './describe-hub.ts'
import { feedCatalog } from './feed-catalog.ts'
import { hubMetrics } from './hub-metrics.ts'
import { catalogKinds, openCatalog, type OpenCatalog } from './catalog/index.ts'
import { callbackPath } from './downstream/authorization/routes.ts'
import {
  AuthorizationBook,
  AuthorizationStore,
  ConnectorBook,
  ConnectorStore,
  CredentialDesk,
  hubInfo,
  SignInDesk,
  SignInLinks,
} from './downstream/index.ts'
import { createGateway, createWebFiles, ServerBook, type Gateway } from './gateway/index.ts'
import { managementName, serveManagement } from './management/index.ts'
import { AdvisoryLocks } from './platform/advisory-locks.ts'
import { actAs, Events, type Actor } from './platform/events.ts'
import { startGuardian } from './platform/guardian.ts'
import { ensureStateHome } from './platform/homes.ts'
import { createApi } from './platform/http/index.ts'
import type { Log } from './platform/log.ts'
import { createAddressGuard, toAddressPolicy } from './platform/network/index.ts'
import { renderMetrics, type Metric } from './platform/metrics.ts'
import { acquireStateLock } from './platform/state-lock.ts'
import { openStore } from './platform/store.ts'
import {
  isSecretName,
  KeyRotation,
  openKeyRing,
  redactLog,
  Redactor,
  SecretBook,
  secretMetrics,
  SecretStore,
} from './secret/index.ts'
import { openTrace } from './trace/index.ts'

export interface HubOptions {
  readonly host: string
  readonly port: number
  readonly configHome: string
  readonly stateHome: string
  readonly databaseUrl?: string | undefined
  /** Where the master key is, when it is not in the state home. */
  readonly keyFile?: string | undefined
  /** A command that prints the master key. */
  readonly keyCommand?: string | undefined
  readonly log: Log
  readonly maxConnections?: number
  /** Idle time after which a legacy connection is forgotten. */
  readonly connectionIdleMs?: number
  readonly maxBodyBytes?: number
  /** Calls of modern clients that may wait for input. */
  readonly maxParked?: number
  /** How long a client may take to answer a question. */
  readonly questionMs?: number
  /** How long calls under way may take to end when the hub stops. */
  readonly graceMs?: number
}

export interface Hub {
  readonly url: string
  stop(): Promise<void>
  readonly stopped: Promise<void>
}

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
    const secrets = new SecretBook({
      store: secretStore,
      redactor,
      events,
      usersOf: (name) => book.usersOf(name),
      onChange: (name) => void book.renewUsersOf(name),
    })
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
      onSecrets: (values) => redactor.set('trace settings', values),
      resolveSecrets: (text) => secrets.resolve(text),
      metrics: () => allMetrics(),
    })
    stops.push(() => trace.stop())
    const servers = new ServerBook(store.db, events, [managementName])
    await servers.start()
    const opened = await openAccess({
      store,
      events,
      log,
      operatorToken,
      sealer,
      redactor,
      servers: () => servers.list(),
      origin: () => url,
      findTarget: (question) => findTarget(question, curated),
      recentCalls: (limit) => recentCalls(trace.service.desk, limit),
    })
    stops.push(() => opened.stop())
    const { access } = opened
    const guardian = startGuardian()
    stops.push(() => guardian.stop())

    const startedAt = new Date()
    let finish: () => void = () => {}
    const stopped = new Promise<void>((resolve) => {
      finish = resolve
    })
    let stopping: Promise<void> | null = null
    const stop = () => (stopping ??= stopAll().finally(finish))

    let gateway: Gateway | null = null
    const curated: OpenCatalog = await openCatalog({
      ...options,
      log,
      store,
      events,
      guardian,
      redact: (text) => redactor.redact(text),
      onCustomTools: (tools) =>
        redactor.set(
          'custom_tools.json',
          tools.flatMap(({ env }) =>
            Object.entries(env).flatMap(([name, value]) => (isSecretName(name) ? [value] : [])),
          ),
        ),
      settingsOf: (server) => servers.settingsOf(server),
      ownServer: () => undefined,
      onListsChanged: (kinds) => gateway?.onListsChanged(kinds),
      endpoint: () => `${url}/mcp`,
    })
    stops.push(() => curated.stop())
    const { catalog } = curated
    servers.onChange = () => {
      curated.scopes.forget()
      gateway?.onListsChanged(catalogKinds)
    }
    const authorizationStore = new AuthorizationStore(store.db, sealer)
    const connectorStore = new ConnectorStore(store.db, sealer)
    const places = [
      connectorStore,
      authorizationStore,
      secretStore,
      ...opened.authority.sealedPlaces,
      ...trace.sealedPlaces,
    ]
    const rotation = new KeyRotation({ ring: sealer, places, events, log })
    const guard = createAddressGuard(() => toAddressPolicy(access.settings.get(), isLoopbackName(options.host)))
    const signInLinks = new SignInLinks(() => access.publicUrl)
    const authorizations = new AuthorizationBook({
      guard,
      locks: new AdvisoryLocks(store.pool),
      store: authorizationStore,
      redactor,
      log,
      redirectUrl: () => access.publicUrl + callbackPath,
    })
    const book: ConnectorBook = new ConnectorBook({
      store: connectorStore,
      redactor,
      authorizations,
      outside: {
        guardian,
        events,
        log,
        guard,
        signInLinks,
        secretOf: (name) => secrets.valueOf(name),
        listener: {
          onDescriptors: (downstream) => void book.saveDescriptors(downstream),
          onNotification: (...notification) => gateway!.listener.onNotification(...notification),
          onQuestion: (...question) => gateway!.listener.onQuestion(...question),
        },
      },
      listener: {
        onCatalogChange: (entries) => feedCatalog(catalog, entries),
        onRemove: ({ stored }) => {
          catalog.remove(stored.id)
          curated.forget(stored.id)
        },
      },
      summarise: (id) => catalog.tools(id),
    })
    const status = () =>
      describeHub({ startedAt, publicUrl: access.publicUrl, stateHome, store, book, catalog, gateway: gateway! })
    const credentials = new CredentialDesk({ events, find: (name) => book.find(name), entries: () => book.entries() })
    stops.push(credentials.start())
    const routes = apiRoutes({
      connectors: book,
      signIns: new SignInDesk({
        authorizations,
        events,
        find: (name) => book.find(name),
        byId: (id) => book.entryOf(id),
        links: signInLinks,
        notify: (...notification) => gateway!.listener.onNotification(...notification),
      }),
      credentials,
      servers,
      catalog: curated.desk,
      traces: trace.service,
      access,
      policy: opened.policy,
      authority: opened.authority,
      secrets,
      keys: rotation,
      hub: { status, stop: () => void stop() },
    })
    const management = serveManagement(
      { version: hubInfo.version, connectors: book, status, servers: () => servers.list() },
      servers.get(managementName).path,
    )
    stops.push(() => management.stop())
    gateway = createGateway({
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
      masks: redactor,
      redact: (error) => redactor.redactValue(error, { byName: false }) as typeof error,
      book: () => book,
      servers,
      api: createApi(routes, {
        log,
        redact: (text) => redactor.redact(text),
        authorize: (request, route) => access.authorize(request, route),
      }),
      web: createWebFiles(findWebFolder()),
      log,
      isReady: () => store.isHealthy(),
      graceMs: options.graceMs ?? 5000,
      metrics: () => renderMetrics(allMetrics()),
      sealer: sealer.tokens('request-state', stateRotationMs),
      limits: {
        maxConnections: options.maxConnections ?? 10_000,
        idleMs: options.connectionIdleMs ?? 30 * 60_000,
        maxBodyBytes: options.maxBodyBytes ?? 16 * 1024 * 1024,
        maxParked: options.maxParked ?? 1000,
        questionMs: options.questionMs ?? 10 * 60_000,
      },
    })
    allMetrics = () => [
      ...hubMetrics(gateway, () => book.entries()),
      ...curated.metrics,
      ...trace.metrics,
      ...signInLinks.metrics,
      ...opened.metrics,
      ...secretMetrics(
        () => secrets.size,
        () => rotation.unopened,
      ),
    ]
    await book.start()
    stops.push(() => book.stop())
    url = await gateway.start(options.host, options.port)
    const { stop: stopGateway } = gateway
    stops.push(() => stopGateway())
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

function actorOf({ id }: Principal): Actor {
  return { principal: id, traceId: randomBytes(16).toString('hex') }
}

function passwordOf(databaseUrl = ''): string {
  return URL.canParse(databaseUrl) ? decodeURIComponent(new URL(databaseUrl).password) : ''
}

/** Where the CLI finds the running hub. */
async function announce(stateHome: string, url: string, startedAt: Date): Promise<void> {
  const content = JSON.stringify({ url, processId: process.pid, startedAt: startedAt.toISOString() })
  await writeFile(join(stateHome, 'hub.json'), `${content}\n`, { mode: 0o600 })
}

/** Beside the bundle, or the build of the web package when the hub runs from source. */
function findWebFolder(): string {
  const bundled = fileURLToPath(new URL('./web', import.meta.url))
  return existsSync(bundled) ? bundled : fileURLToPath(new URL('../../web/dist', import.meta.url))
}
