import type { Decision, Principal } from '@herma/contract'

/** What somebody wants to do at a served server. */
export interface Action {
  readonly principal: Principal
  /** The served server. */
  readonly server: string
  readonly method: string
  /** The tool, prompt or resource by the name that the client used; empty for what has none. */
  readonly target: string
  /** Its name at the server that it comes from. */
  readonly original?: string | undefined
  /** Name of the connector behind it; absent for what the hub answers itself. */
  readonly connector?: string | undefined
  /** As the tool has them, read from outside: whatever is no boolean counts as unsaid. */
  readonly annotations?: unknown
  readonly arguments?: unknown
  /** Whether the request truly comes from this machine. */
  readonly loopback: boolean
}

/** A decision that needs no telling apart from others of its kind is made once. */
export function decision(allowed: boolean, why: string, more: Partial<Decision> = {}): Decision {
  return { allowed, why, rule: null, missingScope: null, trail: noTrail, ...more }
}

const noTrail: Decision['trail'] = []
