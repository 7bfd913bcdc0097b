import { hkdfSync } from 'node:crypto'
import { decrypt, encrypt } from './cipher.ts'

/** Seals short-lived values that pass through a client, so that it can neither read nor change them. */
export interface TokenSealer {
  seal(plaintext: string): string
  /** Null for what was not sealed here, was changed, or is older than the keys. */
  open(token: string): string | null
  /** The same for bytes. The first 16 characters behind the second dot are random and differ for every token. */
  sealBytes(plaintext: Buffer): string
  openBytes(token: string): Buffer | null
}

/** The keys that those of tokens are derived from. */
export interface TokenKeys {
  active(): readonly [id: string, key: Buffer]
  /** Undefined for a key that is not kept any more. */
  find(id: string): Buffer | undefined
}

export interface TokenSealerOptions {
  readonly keys: TokenKeys
  /** Values sealed for one purpose do not open for another. */
  readonly purpose: string
  /** How long one key seals; it opens for as long again. */
  readonly rotationMs: number
  now?(): number
}

const maxDerived = 8

/**
 * Each period has a key of its own, derived from one of the hub's, so that keys change without being stored and a token
 * outlives a restart of the hub and a rotation of its keys. The current period and the one before it open.
 */
export function createTokenSealer({ keys, purpose, rotationMs, now = Date.now }: TokenSealerOptions): TokenSealer {
  const derived = new Map<string, Buffer>()
  const derive = (id: string, key: Buffer, period: number): Buffer => {
    const name = `${id} ${period}`
    const known = derived.get(name)
    if (known !== undefined) return known
    const made = Buffer.from(hkdfSync('sha256', key, '', `herma ${purpose} ${period}`, 32))
    if (derived.size >= maxDerived) derived.clear()
    derived.set(name, made)
    return made
  }
  const current = () => Math.floor(now() / rotationMs)
  const sealBytes = (plaintext: Buffer): string => {
    const period = current()
    const [id, key] = keys.active()
    const bytes = encrypt(derive(id, key, period), plaintext, purpose)
    return `${period.toString(36)}.${id}.${bytes.toString('base64url')}`
  }
  const openBytes = (token: string): Buffer | null => {
    const [, digits = '', id = '', text = ''] =
      /^([1-9a-z][0-9a-z]{0,11})\.([0-9a-f]{1,16})\.([\w-]+)$/.exec(token) ?? []
    const period = Number.parseInt(digits, 36)
    if (period !== current() && period !== current() - 1) return null
    const key = keys.find(id)
    if (key === undefined) return null
    const bytes = Buffer.from(text, 'base64url')
    // The last character may carry bits that mean nothing: each token has one spelling only.
    if (bytes.toString('base64url') !== text) return null
    try {
      return decrypt(derive(id, key, period), bytes, purpose)
    } catch {
      // The tag does not fit: the value was changed, or sealed by another hub.
      return null
    }
  }
  return {
    sealBytes,
    openBytes,
    seal: (plaintext) => sealBytes(Buffer.from(plaintext)),
    open: (token) => openBytes(token)?.toString('utf8') ?? null,
  }
}
