import { hkdfSync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { HubError } from '@herma/contract'
import { createPrivateFile, readPrivateFile } from '../../platform/file/private-file.ts'
import { keyBytes } from '../cipher.ts'
import { maxKeyTextBytes, parseKey } from './parse-key.ts'
import { runKeyCommand } from './run-key-command.ts'

/** The key that wraps data keys. */
export interface MasterKey {
  /** Tells keys apart and says nothing about them. */
  readonly id: string
  readonly key: Buffer
}

/** Where the master key comes from; the environment may name a file or a command, never the key itself. */
export type KeySource =
  | { readonly kind: 'home'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'command'; readonly command: string }

export interface KeyPlaces {
  readonly stateHome: string
  /** HERMA_KEY_FILE. */
  readonly keyFile?: string | undefined
  /** HERMA_KEY_COMMAND. */
  readonly keyCommand?: string | undefined
}

export function locateKey({ stateHome, keyFile, keyCommand }: KeyPlaces): KeySource {
  if (keyFile && keyCommand)
    throw new HubError('STORE_UNAVAILABLE', 'HERMA_KEY_FILE and HERMA_KEY_COMMAND are both set. Unset one of them.')
  if (keyCommand) return { kind: 'command', command: keyCommand }
  return keyFile ? { kind: 'file', path: keyFile } : { kind: 'home', path: join(stateHome, 'key') }
}

/**
 * Reads the key; one of the state home is created on first use.
 * There, content that is no key gives null, so that the hub can serve what needs no secret; elsewhere it throws.
 */
export async function readMasterKey(source: KeySource): Promise<MasterKey | null> {
  const key = parseKey(await readContent(source))
  if (key !== null) return toMasterKey(key)
  if (source.kind === 'home') return null
  throw new HubError('STORE_UNAVAILABLE', `${describeSource(source)} holds no key: ${keyForms}`)
}

export function createMasterKey(): MasterKey {
  return toMasterKey(randomBytes(keyBytes))
}

/** For messages: `the key file /x/key`. */
export function describeSource(source: KeySource): string {
  return source.kind === 'command' ? 'The output of HERMA_KEY_COMMAND' : `The key file ${source.path}`
}

export const keyForms = 'it must be 32 bytes, or 64 hexadecimal digits, or base64 of 32 bytes.'

async function readContent(source: KeySource): Promise<Buffer> {
  if (source.kind === 'command') return await runKeyCommand(source.command)
  const content = await readPrivateFile(source.path, maxKeyTextBytes)
  if (content !== null) return content
  if (source.kind === 'home') return await createPrivateFile(source.path, randomBytes(keyBytes), maxKeyTextBytes)
  throw new HubError(
    'STORE_UNAVAILABLE',
    `There is no key file ${source.path}. Make one with: (umask 077; head -c 32 /dev/urandom > '${source.path}')`,
  )
}

function toMasterKey(key: Buffer): MasterKey {
  return { id: Buffer.from(hkdfSync('sha256', key, '', 'herma master key id', 6)).toString('hex'), key }
}
