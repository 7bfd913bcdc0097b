import { isIP } from 'node:net'

/** What an address leads to; `metadata` = the services that hand a cloud machine its credentials. */
export type AddressKind =
  | 'public'
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'carrier'
  | 'multicast'
  | 'unspecified'
  | 'reserved'
  | 'metadata'

/**
 * The kind of an IP address. A form of IPv6 that carries an IPv4 address is judged by that one, since it may be where
 * packets end. Anything that is no address is `reserved`: nobody reaches it by mistake.
 */
export function classifyAddress(address: string): AddressKind {
  const bytes = parseAddress(address)
  if (bytes === null) return 'reserved'
  return bytes.length === 4 ? classifyV4(bytes) : classifyV6(bytes)
}

/** The bytes of an address, four or sixteen; null for anything else. Mapped IPv4 addresses come out as IPv4. */
export function parseAddress(address: string): Uint8Array | null {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  const version = isIP(plain)
  if (version === 4) return Uint8Array.from(plain.split('.').map(Number))
  if (version !== 6) return null
  const bytes = parseV6(plain)
  return startsWith(bytes, mappedPrefix) ? bytes.slice(12) : bytes
}

const mappedPrefix = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

/** The text has passed `isIP`. */
function parseV6(text: string): Uint8Array {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text)
  const [a = 0, b = 0, c = 0, d = 0] = dotted?.slice(2).map(Number) ?? []
  const groups = dotted === null ? text : `${dotted[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  const [head = '', tail] = groups.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  const words = [...before, ...zeros, ...after].map((word) => Number.parseInt(word, 16))
  return Uint8Array.from(words.flatMap((word) => [word >> 8, word & 0xff]))
}

// https://www.iana.org/assignments/iana-ipv4-special-registry
const v4Ranges: readonly (readonly [string, number, AddressKind])[] = [
  ['169.254.169.254', 32, 'metadata'],
  ['169.254.170.2', 32, 'metadata'],
  ['169.254.170.23', 32, 'metadata'],
  ['100.100.100.200', 32, 'metadata'],
  ['192.0.0.192', 32, 'metadata'],
  ['168.63.129.16', 32, 'metadata'],
  ['0.0.0.0', 8, 'unspecified'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'carrier'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'reserved'],
  ['192.88.99.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'private'],
  ['198.51.100.0', 24, 'reserved'],
  ['203.0.113.0', 24, 'reserved'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
]

// https://www.iana.org/assignments/iana-ipv6-special-registry
const v6Ranges: readonly (readonly [string, number, AddressKind])[] = [
  ['fd00:ec2::254', 128, 'metadata'],
  ['fd00:ec2::23', 128, 'metadata'],
  ['fd20:ce::254', 128, 'metadata'],
  ['fe80::a9fe:a9fe', 128, 'metadata'],
  ['::1', 128, 'loopback'],
  ['::', 128, 'unspecified'],
  ['fc00::', 7, 'private'],
  ['fe80::', 10, 'link-local'],
  ['fec0::', 10, 'private'],
  ['ff00::', 8, 'multicast'],
  ['100::', 64, 'reserved'],
  ['2001:db8::', 32, 'reserved'],
  ['3fff::', 20, 'reserved'],
  ['5f00::', 16, 'reserved'],
]

/** Prefixes of IPv6 with an IPv4 address inside, and where: compatible, translated, NAT64, NAT64 of its own, 6to4. */
const carriers: readonly (readonly [string, number, number])[] = [
  ['::', 96, 12],
  ['::ffff:0:0:0', 96, 12],
  ['64:ff9b::', 96, 12],
  ['64:ff9b:1::', 48, 12],
  ['2002::', 16, 2],
]

function classifyV4(bytes: Uint8Array): AddressKind {
  return v4Ranges.find(([base, bits]) => isInRange(bytes, parseRange(base), bits))?.[2] ?? 'public'
}

function classifyV6(bytes: Uint8Array): AddressKind {
  const own = v6Ranges.find(([base, bits]) => isInRange(bytes, parseRange(base), bits))?.[2]
  if (own !== undefined) return own
  const carrier = carriers.find(([base, bits]) => isInRange(bytes, parseRange(base), bits))
  if (carrier !== undefined) return classifyV4(bytes.slice(carrier[2], carrier[2] + 4))
  // A Teredo address holds the client's IPv4 address with its bits turned: https://www.rfc-editor.org/rfc/rfc4380#section-4
  if (isInRange(bytes, parseRange('2001::'), 32)) return classifyV4(bytes.slice(12).map((byte) => byte ^ 0xff))
  return 'public'
}

const parsed = new Map<string, Uint8Array>()

function parseRange(base: string): Uint8Array {
  const known = parsed.get(base)
  if (known !== undefined) return known
  const bytes = isIP(base) === 4 ? parseAddress(base)! : parseV6(base)
  parsed.set(base, bytes)
  return bytes
}

/** Whether the first bits of both are the same. Addresses of different versions are never inside each other. */
export function isInRange(bytes: Uint8Array, base: Uint8Array, bits: number): boolean {
  if (bytes.length !== base.length) return false
  const whole = bits >> 3
  for (let index = 0; index < whole; index++) if (bytes[index] !== base[index]) return false
  const rest = bits & 7
  return rest === 0 || (bytes[whole]! ^ base[whole]!) >> (8 - rest) === 0
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte)
}
