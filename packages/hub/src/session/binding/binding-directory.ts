import type { Overrides, StoredBinding } from './store.ts'
import type { StoredSession } from '../store.ts'
import type { SessionDirectory } from '../session-directory.ts'

/** A connector as a session uses it. */
export interface BoundConnector {
  readonly session: Pick<StoredSession, 'name' | 'workingDir'>
  /** The same object for as long as nothing of it is changed. */
  readonly overrides: Overrides
  /** Whether it may be used. */
  readonly isEnabled: boolean
}

/** The bindings in memory, found by session and connector. It is empty until `Bindings` reads what is stored. */
export class BindingDirectory {
  readonly #sessions: SessionDirectory
  /** By session, then by connector. */
  readonly #bindings = new Map<string, Map<string, StoredBinding>>()

  constructor(sessions: SessionDirectory) {
    this.#sessions = sessions
  }

  set(binding: StoredBinding): void {
    const ofSession = this.#bindings.get(binding.sessionId) ?? new Map<string, StoredBinding>()
    this.#bindings.set(binding.sessionId, ofSession.set(binding.connectorId, binding))
  }

  delete(binding: StoredBinding): void {
    const ofSession = this.#bindings.get(binding.sessionId)
    ofSession?.delete(binding.connectorId)
    if (ofSession?.size === 0) this.#bindings.delete(binding.sessionId)
  }

  all(): StoredBinding[] {
    return [...this.#bindings.values()].flatMap((ofSession) => [...ofSession.values()])
  }

  /** The bindings of a session, disabled ones too. */
  of(sessionId: string): StoredBinding[] {
    return [...(this.#bindings.get(sessionId)?.values() ?? [])]
  }

  get(sessionId: string, connectorId: string): StoredBinding | undefined {
    return this.#bindings.get(sessionId)?.get(connectorId)
  }

  /** Undefined for a connector that is not bound to this session. */
  bound(sessionId: string, connectorId: string): BoundConnector | undefined {
    const overrides = this.get(sessionId, connectorId)
    const session = this.#sessions.byId(sessionId)
    if (overrides === undefined || session === undefined) return undefined
    return { session, overrides, isEnabled: overrides.enabled && session.enabled }
  }
}
