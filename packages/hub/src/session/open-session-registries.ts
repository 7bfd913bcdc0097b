import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Events } from '../platform/events.ts'
import type { HostPolicy } from '../platform/process/host-policy.ts'
import type { Metric } from '../platform/metric/metrics.ts'
import type { Workspaces } from '../workspace/index.ts'
import { Bindings } from './binding/bindings.ts'
import type { BindableConnectors, BindingEnvironment } from './binding/binding-environment.ts'
import { BindingStore, type BindingSealer } from './binding/store.ts'
import type { BindingDirectory } from './binding/binding-directory.ts'
import type { SessionDirectory } from './session-directory.ts'
import { Sessions, type SessionListener } from './sessions.ts'
import { SessionHealthRegistry } from './health/session-health.ts'
import type { SessionSecrets } from './session-secrets.ts'
import { SessionStore, type StoredSession } from './store.ts'

interface SessionRegistryOptions {
  readonly db: NodePgDatabase
  readonly sealer: BindingSealer
  readonly secrets: SessionSecrets
  readonly redactor: BindingEnvironment['redactor']
  readonly events: Events
  readonly connectors: BindableConnectors
  /** Both are filled with what is stored. */
  readonly directories: { readonly sessions: SessionDirectory; readonly bindings: BindingDirectory }
  readonly listener: SessionListener & {
    /** Bindings of a session are different now, and so may be what it offers. */
    onBindings(session: StoredSession): void
  }
  readonly explainPath: Workspaces['explain']
  readonly hostPolicy?: HostPolicy | undefined
  teamsOf(session: StoredSession): readonly string[]
  teamFoldersOf?(session: StoredSession): readonly string[]
}

export interface SessionRegistries {
  readonly sessions: Sessions
  readonly bindings: Bindings
  readonly health: SessionHealthRegistry
  readonly sealedPlaces: readonly [BindingStore]
  readonly metrics: readonly Metric[]
  /** After the connectors, before clients come. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Sessions and what is attached to them, wired together. */
export function openSessionRegistries(options: SessionRegistryOptions): SessionRegistries {
  const { db, secrets, redactor, events, connectors, listener, directories } = options
  const health = new SessionHealthRegistry()
  const bindingStore = new BindingStore(db, options.sealer)
  const bindings = new Bindings(bindingStore, {
    connectors,
    sessions: directories.sessions,
    directory: directories.bindings,
    secrets,
    redactor,
    events,
    hostPolicy: options.hostPolicy,
    onChange: (sessionId) => {
      const session = directories.sessions.byId(sessionId)
      if (session !== undefined) listener.onBindings(session)
    },
  })
  const sessions = new Sessions({
    directory: directories.sessions,
    store: new SessionStore(db),
    events,
    health,
    secrets,
    listener,
    bindings,
    connectors: {
      nameOf: (id) => connectors.byId(id)?.name,
      toolsOf: (place) => connectors.toolsOf(place),
    },
    explainPath: options.explainPath,
    hostPolicy: options.hostPolicy,
    teamsOf: (session) => options.teamsOf(session),
    teamFoldersOf: (session) => options.teamFoldersOf?.(session) ?? [],
  })
  return {
    sessions,
    bindings,
    health,
    sealedPlaces: [bindingStore],
    metrics: metricsOf(sessions, bindings),
    async start() {
      await sessions.start()
      await bindings.start()
      sessions.announce()
    },
    async stop() {
      await sessions.stop()
      await bindings.stop()
    },
  }
}

function metricsOf(sessions: Sessions, bindings: Bindings): Metric[] {
  return [
    {
      name: 'sessions',
      help: 'Agent sessions by health.',
      kind: 'gauge',
      read: () => {
        const counts = new Map<string, number>()
        for (const session of sessions.all()) {
          const { state } = sessions.healthOf(session)
          counts.set(state, (counts.get(state) ?? 0) + 1)
        }
        return [...counts].map(([state, value]) => ({ labels: { state }, value }))
      },
    },
    {
      name: 'session_bindings',
      help: 'Connectors that are attached to sessions.',
      kind: 'gauge',
      read: () => bindings.size,
    },
  ]
}
