import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { HubError } from '@herma/contract'
import { operatorTokenFile } from '../platform/file/homes.ts'
import { createPrivateFile, readPrivateFile } from '../platform/file/private-file.ts'

const maxBytes = 512

/** Reads the operator's token, made on first use. Throws when others than its owner may read the file. */
export async function openOperatorToken(stateHome: string): Promise<string> {
  const path = join(stateHome, operatorTokenFile)
  const fresh = `ho_${randomBytes(32).toString('base64url')}\n`
  const content =
    (await readPrivateFile(path, maxBytes)) ?? (await createPrivateFile(path, Buffer.from(fresh), maxBytes))
  const token = content.toString('utf8').trim()
  if (/^ho_[\w-]{43}$/.test(token)) return token
  throw new HubError('STORE_UNAVAILABLE', `${path} does not hold a token. Remove it, and the next start makes another.`)
}
