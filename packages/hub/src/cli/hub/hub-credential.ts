import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { operatorTokenFile } from '../../platform/file/homes.ts'
import { findStateLockOwner } from '../../platform/file/state-lock.ts'
import { CliError, exitCodes } from '../terminal/exit-codes.ts'

/** What this process shows to the hub that it talks to. It is sent to that origin and to no other. */
const credentials = new Map<string, string>()

/** The headers that a request to this address takes along. */
export function credentialHeaders(url: URL): Record<string, string> {
  const credential = credentials.get(url.origin)
  return credential === undefined ? {} : { authorization: `Bearer ${credential}` }
}

/** Takes a key or token out of a file, for a hub elsewhere. */
export async function useTokenFile(url: URL, file: string): Promise<void> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    throw new CliError(exitCodes.usage, `${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
  const token = text.trim()
  if (!/^[\x21-\x7e]{1,8192}$/.test(token))
    throw new CliError(exitCodes.usage, `${file} does not hold a key. Write the key into it, and nothing else.`)
  credentials.set(url.origin, token)
}

/**
 * Takes the operator's token out of the state home. A hub that died may have left its address to another program, so
 * that the token is only used while the process that wrote the address holds the state home.
 */
export async function useOperatorToken(url: URL, stateHome: string, processId: unknown): Promise<void> {
  credentials.delete(url.origin)
  if ((await findStateLockOwner(stateHome)) !== processId) return
  try {
    credentials.set(url.origin, (await readFile(join(stateHome, operatorTokenFile), 'utf8')).trim())
  } catch {
    // Whoever may not read it is not the operator, and hears so from the hub.
  }
}
