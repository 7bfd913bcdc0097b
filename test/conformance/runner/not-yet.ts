/** Scenarios that the hub cannot run because a feature that they need is not built. Delete what is. */
const notYet = [{ prefix: 'auth/', side: 'client', reason: 'needs OAuth to downstreams' }] as const

/** Why a scenario is not run; undefined when it is. */
export function whyNotYet(side: 'server' | 'client', scenario: string): string | undefined {
  return notYet.find((entry) => entry.side === side && scenario.startsWith(entry.prefix))?.reason
}
