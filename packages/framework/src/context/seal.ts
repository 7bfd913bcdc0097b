import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { JSONValue } from '@modelcontextprotocol/server'
import { errorCode, McpError } from '../protocol/errors.ts'

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16
/** What a client carries for us must fit into a header-sized world; bigger results belong into a store. */
const maxSealedBytes = 256 * 1024

/**
 * Seals what a client keeps for us between two rounds of a request: it can neither read nor change it, nor use it for
 * another request, as another principal, or late.
 */
export class Seal {
  readonly #keys: readonly Uint8Array[]
  readonly #ttlMs: number

  /** Seals with the first key and opens with all, so that keys can be rotated. */
  constructor(keys: readonly Uint8Array[] | undefined, ttlMs: number) {
    this.#keys = keys === undefined || keys.length === 0 ? [randomBytes(32)] : keys
    this.#ttlMs = ttlMs
    for (const key of this.#keys) {
      if (key.length !== 32) throw new RangeError(`A key of stateKeys has ${key.length} bytes; it must have 32.`)
    }
  }

  seal(value: JSONValue, boundTo: string): string {
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv(algorithm, this.#keys[0]!, iv).setAAD(Buffer.from(boundTo))
    const plain = Buffer.from(JSON.stringify({ value, until: Date.now() + this.#ttlMs }))
    if (plain.length > maxSealedBytes) {
      throw new Error(
        `${plain.length} bytes must wait for an answer; the limit is ${maxSealedBytes}. Return less from once().`,
      )
    }
    const sealed = Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    return sealed.toString('base64url')
  }

  /** Throws the same error whatever is wrong, so that nothing can be learnt by trying. */
  open(text: string, boundTo: string): JSONValue {
    const sealed = Buffer.from(text, 'base64url')
    for (const key of this.#keys) {
      const opened = tryOpen(sealed, key, boundTo)
      if (opened !== undefined && opened.until > Date.now()) return opened.value
    }
    throw new McpError(errorCode.invalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' })
  }
}

function tryOpen(sealed: Buffer, key: Uint8Array, boundTo: string): { value: JSONValue; until: number } | undefined {
  if (sealed.length < ivBytes + tagBytes) return undefined
  try {
    const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, ivBytes)).setAAD(Buffer.from(boundTo))
    decipher.setAuthTag(sealed.subarray(-tagBytes))
    const plain = Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()])
    return JSON.parse(plain.toString()) as { value: JSONValue; until: number }
  } catch {
    // Wrong key, other binding or changed text: the caller says so without telling which.
    return undefined
  }
}
