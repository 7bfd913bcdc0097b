import { parseAddress } from '../../platform/network/index.ts'

/** Longer than any address; what a proxy writes may be a name. */
const maxLength = 64

/**
 * What counts as one client where limits go by address; null for this machine. Of IPv6 it is the network, since whoever
 * has one address of a /64 has all of them.
 */
export function oneClient(address: string): string | null {
  const plain = withoutPort(address)
  const bytes = parseAddress(plain)
  if (bytes === null) return plain.slice(0, maxLength)
  if (bytes.length === 4) return bytes[0] === 127 ? null : bytes.join('.')
  if (bytes.every((byte, index) => byte === (index === 15 ? 1 : 0))) return null
  return `${Buffer.from(bytes.subarray(0, 8)).toString('hex')}/64`
}

/** Some proxies add the port, which would make every socket somebody else. */
function withoutPort(address: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(address)?.[1] ?? address
}
