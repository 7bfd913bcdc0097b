import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Events } from '../platform/events.ts'
import type { Metric } from '../platform/metric/metrics.ts'
import type { Workspaces } from '../workspace/index.ts'
import { Bindings } from './binding/bindings.ts'
import type { BindableConnectors, BindingEnvironment } from './binding/binding-environment.ts'
import { BindingStore, type BindingSealer } from './binding/store.ts'
import { Sessions, type SessionListener } from './sessions.ts'
import { SessionHealthRegistry } from './health/session-health.ts'
import type { SessionSecrets } from './session-secrets.ts'
import { SessionStore, type StoredSession } from './store.ts'
import type { SessionTrials } from './health/test-session.ts'

interface SessionRegistryOptions {
  readonly db: NodePgDatabase
  readonly sealer: BindingSealer
  readonly secrets: SessionSecrets
  readonly redactor: BindingEnvironment['redactor']
  readonly events: Events
  readonly connectors: BindableConnectors
  readonly trials: SessionTrials
  readonly listener: SessionListener & {
    /** Bindings of a session are different now, and so may be what it offers. */
    onBindings(session: StoredSession): void
  }
  readonly explainPath: Workspaces['explain']
  teamsOf(session: StoredSession): readonly string[]
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
export function openSessionRegistries(parts: SessionRegistryOptions): SessionRegistries {
  const { db, secrets, redactor, events, connectors, listener } = parts
  const health = new SessionHealthRegistry()
  const bindingStore = new BindingStore(db, parts.sealer)
  const sessions: Sessions = new Sessions({
    store: new SessionStore(db),
    events,
    health,
    secrets,
    listener,
    trials: parts.trials,
    bindings: () => bindings,
    connectors: {
      nameOf: (id) => connectors.byId(id)?.name,
      toolsOf: (place) => connectors.toolsOf(place),
    },
    explainPath: parts.explainPath,
    teamsOf: (session) => parts.teamsOf(session),
  })
  const bindings: Bindings = new Bindings(bindingStore, {
    connectors,
    sessions,
    secrets,
    redactor,
    events,
    onChange: (sessionId) => {
      const session = sessions.byId(sessionId)
      if (session !== undefined) listener.onBindings(session)
    },
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
