import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Seals short-lived values that pass through a client, so that it can neither read nor change them. */
export interface TokenSealer {
  seal(plaintext: string): string
  /** Null for what was not sealed here, was changed, or is older than the keys. */
  open(token: string): string | null
}

export interface TokenSealerOptions {
  readonly key: Buffer
  /** Values sealed for one purpose do not open for another. */
  readonly purpose: string
  /** How long one key seals; it opens for as long again. */
  readonly rotationMs: number
  now?(): number
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * Each period has a key of its own, derived from the hub's, so that keys rotate without being stored and a token
 * outlives a restart of the hub. The current period and the one before it open.
 */
export function createTokenSealer(options: TokenSealerOptions): TokenSealer {
  const now = options.now ?? Date.now
  const keys = new Map<number, Buffer>()
  const keyOf = (period: number): Buffer => {
    const known = keys.get(period)
    if (known !== undefined) return known
    const derived = Buffer.from(hkdfSync('sha256', options.key, '', `herma ${options.purpose} ${period}`, 32))
    for (const old of keys.keys()) if (old < period - 1) keys.delete(old)
    keys.set(period, derived)
    return derived
  }
  const current = () => Math.floor(now() / options.rotationMs)
  return {
    seal(plaintext) {
      const period = current()
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, keyOf(period), nonce)
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return `${period.toString(36)}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    open(token) {
      const match = /^([0-9a-z]{1,12})\.([\w-]+)$/.exec(token)
      const period = match === null ? Number.NaN : Number.parseInt(match[1]!, 36)
      if (period !== current() && period !== current() - 1) return null
      const bytes = Buffer.from(match![2]!, 'base64url')
      if (bytes.length < nonceBytes + tagBytes) return null
      const decipher = createDecipheriv(algorithm, keyOf(period), bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      try {
        return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        // The tag does not fit: the value was changed, or sealed by another hub.
        return null
      }
    },
  }
}
