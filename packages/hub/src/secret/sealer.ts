import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { HubError } from '@herma/contract'
import { ensureStateHome } from '../platform/homes.ts'
import { readKeyFile } from './key-file.ts'
import { createTokenSealer, type TokenSealer } from './token-sealer.ts'

/** Encrypts values at rest. The context says whose value it is, so a sealed value cannot be moved to another row. */
export interface Sealer {
  seal(plaintext: string, context: string): string
  /** Throws, naming the next step, when the key or the context is not the one that sealed the value. */
  open(sealed: string, context: string): string
  /** A sealer for values that leave the hub and come back within `rotationMs`. */
  tokens(purpose: string, rotationMs: number): TokenSealer
}

const versionPrefix = 'v1.'
const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * Reads the key of this state home and creates it on first use.
 * A key file of the wrong size still gives a sealer, whose every use throws, so that the hub serves what needs no secret.
 */
export async function openSealer(stateHome: string): Promise<Sealer> {
  await ensureStateHome(stateHome)
  const { path, key, problem } = await readKeyFile(stateHome)
  const requireKey = (): Buffer => {
    if (!key) throw new HubError('INTERNAL', problem ?? `The key file ${path} cannot be used.`)
    return key
  }
  return {
    seal: (plaintext, context) => seal(requireKey(), plaintext, context),
    open(sealed, context) {
      const usable = requireKey()
      try {
        return open(usable, sealed, context)
      } catch (cause) {
        throw new HubError(
          'INTERNAL',
          `A stored secret does not open with the key in ${path}. Put back the key file that sealed it, or enter the secret again.`,
          { cause },
        )
      }
    },
    // Without a usable key file tokens still work, until the hub restarts.
    tokens: (purpose, rotationMs) => createTokenSealer({ key: key ?? randomBytes(32), purpose, rotationMs }),
  }
}

function seal(key: Buffer, plaintext: string, context: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce)
  cipher.setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
  return versionPrefix + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
}

function open(key: Buffer, sealed: string, context: string): string {
  if (!sealed.startsWith(versionPrefix)) throw new Error('Not sealed by this version of Herma.')
  const bytes = Buffer.from(sealed.slice(versionPrefix.length), 'base64url')
  const body = bytes.subarray(nonceBytes + tagBytes)
  // The tag length is given, because a shorter tag would be accepted and is easier to forge.
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
}
