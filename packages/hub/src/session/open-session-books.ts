import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Events } from '../platform/events.ts'
import type { Metric } from '../platform/metrics.ts'
import type { Workspaces } from '../workspace/index.ts'
import { BindingBook } from './binding/binding-book.ts'
import type { BindableConnectors, BindingOutside } from './binding/binding-outside.ts'
import { BindingStore, type BindingSealer } from './binding/store.ts'
import { SessionBook, type SessionListener } from './session-book.ts'
import { SessionHealthBook } from './session-health.ts'
import type { SessionSecrets } from './session-secrets.ts'
import { SessionStore, type StoredSession } from './store.ts'
import type { SessionTrials } from './test-session.ts'

interface SessionBookParts {
  readonly db: NodePgDatabase
  readonly sealer: BindingSealer
  readonly secrets: SessionSecrets
  readonly redactor: BindingOutside['redactor']
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

export interface SessionBooks {
  readonly sessions: SessionBook
  readonly bindings: BindingBook
  readonly health: SessionHealthBook
  readonly sealedPlaces: readonly [BindingStore]
  readonly metrics: readonly Metric[]
  /** After the connectors, before clients come. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Sessions and what is attached to them, wired together. */
export function openSessionBooks(parts: SessionBookParts): SessionBooks {
  const { db, secrets, redactor, events, connectors, listener } = parts
  const health = new SessionHealthBook()
  const bindingStore = new BindingStore(db, parts.sealer)
  const sessions: SessionBook = new SessionBook({
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
  const bindings: BindingBook = new BindingBook(bindingStore, {
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

function metricsOf(sessions: SessionBook, bindings: BindingBook): Metric[] {
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
