/** What others know of a served server; hub.ts fills it once they are there. */
export interface ServerFacts {
  /** Throws when there is no connector of this name. */
  connectorId(name: string): string
  connectorName(id: string): string | undefined
  /** How many tools a client would list; null when that is not known. */
  toolCount(server: string): number | null
  /** How a team or session is. */
  own(server: string): OwnServerFacts | undefined
}

export interface OwnServerFacts {
  readonly description: string
  readonly enabled: boolean
  /** Why it cannot work, and the next step. */
  readonly problem: string | null
  /** Tools of a team that nobody would answer now. */
  readonly unanswered?: readonly string[]
}

/** Until the others are there. */
export const noFacts: ServerFacts = {
  connectorId: (name) => name,
  connectorName: (id) => id,
  toolCount: () => 0,
  own: () => undefined,
}
