import { keyBytes } from '../cipher.ts'

/** The longest form of a key that is accepted, with room for blanks around it. */
export const maxKeyTextBytes = 256

/** A key as 32 bytes, or as text: 64 hexadecimal digits, or base64. Null for anything else. */
export function parseKey(content: Buffer): Buffer | null {
  if (content.length === keyBytes) return Buffer.from(content)
  const text = content.toString('latin1').trim()
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  // 43 digits of base64 are 258 bits; the last two must be the zeros that an encoder writes.
  if (!/^[\w+/-]{42}[AEIMQUYcgkosw048]=?$/.test(text)) return null
  return Buffer.from(text, 'base64')
}
