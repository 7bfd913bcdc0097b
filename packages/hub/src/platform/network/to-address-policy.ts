import type { AccessSettings } from '@herma/contract'
import type { AddressPolicy } from './address-policy.ts'

/** The policy that the settings ask for. Whoever reaches a hub from outside must not reach its network through it. */
export function toAddressPolicy(
  { privateAddresses, reachable, publicUrl }: Pick<AccessSettings, 'privateAddresses' | 'reachable' | 'publicUrl'>,
  listensLocally: boolean,
): AddressPolicy {
  const isLocal = listensLocally && publicUrl === null
  return {
    private: privateAddresses === 'auto' ? (isLocal ? 'allow' : 'deny') : privateAddresses,
    allow: reachable,
  }
}
