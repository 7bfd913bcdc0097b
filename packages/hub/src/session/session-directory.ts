import { HubError } from '@herma/contract'
import type { StoredSession } from './store.ts'

/** The sessions in memory, found by id and by name. It is empty until `Sessions` reads what is stored. */
export class SessionDirectory {
  readonly #sessions = new Map<string, StoredSession>()

  set(session: StoredSession): void {
    this.#sessions.set(session.id, session)
  }

  delete(id: string): void {
    this.#sessions.delete(id)
  }

  /** In the order of their creation. */
  all(): StoredSession[] {
    return [...this.#sessions.values()].toSorted((a, b) => a.position - b.position)
  }

  byId(id: string): StoredSession | undefined {
    return this.#sessions.get(id)
  }

  byName(name: string): StoredSession | undefined {
    return [...this.#sessions.values()].find((session) => session.name === name)
  }

  /** Throws SESSION_NOT_FOUND, naming those that there are. */
  find(name: string): StoredSession {
    const found = this.byName(name)
    if (found !== undefined) return found
    const names = this.all().map((session) => session.name)
    const known = names.slice(0, 20).join(', ')
    const hint = names.length === 0 ? 'There is none yet. Add one with: herma session add' : `There are: ${known}`
    throw new HubError('SESSION_NOT_FOUND', `No session is named '${name}'. ${hint}`)
  }

  get size(): number {
    return this.#sessions.size
  }
}
