export type Era = 'legacy' | 'modern'

/** One column of a table: what the suite speaks, and what stands on the other side of the hub. */
export type Leg = ServerLeg | ClientLeg | AuthorizationLeg

/** The suite is the client, and our conformance server stands behind the hub. */
export type ServerLeg = {
  side: 'server'
  name: string
  revision: string
  /** The era that the suite speaks. */
  era: Era
  /** What the server behind the hub speaks. */
  behind: Era | 'both'
  /** The SDK of the server; ours are on the TypeScript one. */
  sdk?: 'python'
  endpoint: 'url' | 'tasksUrl'
  /** Extensions are on no revision's list, so they are chosen by the beginning of their name. */
  extensionPrefix?: string
}

/** The suite is the server behind the hub, and the SDK's client stands in front. */
export type ClientLeg = {
  side: 'client'
  name: string
  revision: string
  /** The era that the suite speaks. */
  era: Era
  /** The era of the client in front. */
  front: Era
  extensionPrefix?: string
}

/** The suite is the client of the hub's own authorization server; nothing is behind it. */
export type AuthorizationLeg = {
  side: 'authorization'
  name: string
  revision: string
  extensionPrefix?: string
}

const modern = '2026-07-28'

export const legs: readonly Leg[] = [
  { side: 'server', name: '2025-06-18', revision: '2025-06-18', era: 'legacy', behind: 'legacy', endpoint: 'url' },
  { side: 'server', name: '2025-11-25', revision: '2025-11-25', era: 'legacy', behind: 'legacy', endpoint: 'url' },
  { side: 'server', name: '2026-07-28', revision: modern, era: 'modern', behind: 'modern', endpoint: 'url' },
  {
    side: 'server',
    name: 'tasks',
    revision: modern,
    era: 'modern',
    behind: 'modern',
    endpoint: 'tasksUrl',
    extensionPrefix: 'tasks-',
  },
  {
    side: 'server',
    name: '2026-07-28-over-legacy',
    revision: modern,
    era: 'modern',
    behind: 'legacy',
    endpoint: 'url',
  },
  {
    side: 'server',
    name: '2025-11-25-over-modern',
    revision: '2025-11-25',
    era: 'legacy',
    behind: 'modern',
    endpoint: 'url',
  },
  ...(['2025-11-25', modern] as const).map((revision): ServerLeg => {
    const era = revision === modern ? 'modern' : 'legacy'
    return { side: 'server', name: `python-${revision}`, revision, era, behind: 'both', sdk: 'python', endpoint: 'url' }
  }),
  { side: 'client', name: 'client-2025-03-26', revision: '2025-03-26', era: 'legacy', front: 'legacy' },
  { side: 'client', name: 'client-2025-06-18', revision: '2025-06-18', era: 'legacy', front: 'legacy' },
  { side: 'client', name: 'client-2025-11-25', revision: '2025-11-25', era: 'legacy', front: 'legacy' },
  { side: 'client', name: 'client-2026-07-28', revision: modern, era: 'modern', front: 'modern' },
  {
    side: 'client',
    name: 'client-extensions',
    revision: modern,
    era: 'modern',
    front: 'modern',
    extensionPrefix: '',
  },
  { side: 'client', name: 'client-2025-11-25-from-modern', revision: '2025-11-25', era: 'legacy', front: 'modern' },
  { side: 'client', name: 'client-2026-07-28-from-legacy', revision: modern, era: 'modern', front: 'legacy' },
  { side: 'authorization', name: 'authorization-server', revision: modern },
]

/** Whether a call has to cross from one era into the other on its way; without a hub there is nobody to take it across. */
export function isCrossing(leg: Leg): boolean {
  if (leg.side === 'authorization') return false
  const other = leg.side === 'server' ? leg.behind : leg.front
  return other !== 'both' && leg.era !== other
}
