import { classifyAddress, isInRange, parseAddress, type AddressKind } from './classify-address.ts'

/** Which addresses may be reached. Public ones always may. */
export interface AddressPolicy {
  /** What is not public: all of it, none, or these kinds. Places of credentials (`metadata`) have to be listed. */
  readonly private: 'allow' | 'deny' | readonly AddressKind[]
  /** Hosts, addresses and CIDRs that may be reached whatever they are. */
  readonly allow: readonly string[]
}

/** Why an address may not be reached, as the end of a sentence about it; null when it may. */
export function refuseAddress(host: string, address: string, policy: AddressPolicy): string | null {
  const kind = classifyAddress(address)
  if (kind === 'public') return null
  if (kind !== 'metadata' && isOpen(kind, policy.private)) return null
  if (policy.allow.some((entry) => isListed(entry, host, address))) return null
  return descriptions[kind]
}

function isOpen(kind: AddressKind, open: AddressPolicy['private']): boolean {
  return typeof open === 'string' ? open === 'allow' : open.includes(kind)
}

const descriptions: Record<Exclude<AddressKind, 'public'>, string> = {
  loopback: 'an address of the machine that the hub runs on',
  private: 'a private address',
  'link-local': 'an address of the local link',
  carrier: 'an address inside of a provider',
  multicast: 'a multicast address',
  unspecified: 'no address of a server',
  reserved: 'a reserved address',
  metadata: 'where a cloud machine gets its credentials',
}

/** A name of the list covers just itself; `*.example.com` covers the names below it. */
function isListed(entry: string, host: string, address: string): boolean {
  const [base = '', bits] = entry.trim().toLowerCase().split('/')
  const bytes = parseAddress(base)
  if (bytes === null) {
    const name = host.toLowerCase().replace(/\.$/, '')
    return base.startsWith('*.') ? name.endsWith(base.slice(1)) : name === base
  }
  const length = bits === undefined ? bytes.length * 8 : Number(bits)
  const target = parseAddress(address)
  if (target === null || !Number.isInteger(length) || length < 0 || length > bytes.length * 8) return false
  return isInRange(target, bytes, length)
}
