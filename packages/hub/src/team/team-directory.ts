import { HubError } from '@herma/contract'
import { foldersOf } from './change/require-host-folders.ts'
import type { StoredTeam } from './store.ts'

/** The teams in memory, found by name and by member. It is empty until `Teams` reads what is stored. */
export class TeamDirectory {
  readonly #teams = new Map<string, StoredTeam>()

  set(team: StoredTeam): void {
    this.#teams.set(team.name, team)
  }

  delete(name: string): void {
    this.#teams.delete(name)
  }

  has(name: string): boolean {
    return this.#teams.has(name)
  }

  get(name: string): StoredTeam | undefined {
    return this.#teams.get(name)
  }

  /** Throws TEAM_NOT_FOUND. */
  find(name: string): StoredTeam {
    const stored = this.#teams.get(name)
    if (stored !== undefined) return stored
    const known = this.names().join(', ')
    throw new HubError(
      'TEAM_NOT_FOUND',
      `No team is named '${name}'. ${known === '' ? '' : `There are: ${known}. `}See: herma team list`,
    )
  }

  names(): string[] {
    return [...this.#teams.keys()]
  }

  /** The teams that a session is a member of. */
  namesWith(sessionId: string): string[] {
    return this.#with(sessionId).map(({ name }) => name)
  }

  /** The least hop limit of those teams; null when it is a member of none. */
  hopLimitOf(sessionId: string): number | null {
    const limits = this.#with(sessionId).map(({ settings }) => settings.hopLimit)
    return limits.length === 0 ? null : Math.min(...limits)
  }

  /** The folders in which those teams have it work. */
  foldersOf(sessionId: string): string[] {
    return this.#with(sessionId).flatMap(({ settings }) => foldersOf(settings))
  }

  get size(): number {
    return this.#teams.size
  }

  #with(sessionId: string): StoredTeam[] {
    return [...this.#teams.values()].filter(({ members }) => members.some((member) => member.sessionId === sessionId))
  }
}
