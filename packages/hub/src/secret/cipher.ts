import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export const keyBytes = 32

/** AES-256-GCM. The context is authenticated, so that bytes which were moved to another place do not open there. */
export function encrypt(key: Buffer, plaintext: Buffer, context: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce)
  cipher.setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** Throws for another key, another context, and for bytes that were changed. */
export function decrypt(key: Buffer, bytes: Buffer, context: string): Buffer {
  if (bytes.length < nonceBytes + tagBytes) throw new Error('Too short for something that was encrypted.')
  // The tag length is given, because a shorter tag would be accepted and is easier to forge.
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()])
}
