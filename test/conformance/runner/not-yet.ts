import type { Leg } from './legs.ts'

/** Scenarios that the hub cannot run because a feature that they need is not built. Delete what is. */
const notYet: readonly { prefix: string; side: 'server' | 'client'; reason: string }[] = [
  { prefix: 'auth/dpop', side: 'client', reason: 'needs tokens that are bound to a key (DPoP)' },
  { prefix: 'auth/wif-jwt-bearer', side: 'client', reason: 'needs workload identities' },
  { prefix: 'auth/enterprise-managed-authorization', side: 'client', reason: 'needs an identity provider' },
]

/** Why a scenario is not run; undefined when it is. */
export function whyNotYet(side: Leg['side'], scenario: string): string | undefined {
  return notYet.find((entry) => entry.side === side && scenario.startsWith(entry.prefix))?.reason
}
