import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { resolveHomes } from '../../platform/file/homes.ts'
import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import { useOperatorToken, useTokenFile } from './hub-credential.ts'

/** The hub that a person means. */
export interface HubChoice {
  /** Value of `--hub`. */
  readonly url: string | undefined
  /** Value of `--token-file`. */
  readonly tokenFile?: string | undefined
}

/**
 * Where the hub is: the given address, or what a running hub wrote into the state home. Requests to it carry the
 * credential that belongs to it from then on.
 */
export async function findHub({ url: given, tokenFile }: HubChoice, env: NodeJS.ProcessEnv): Promise<URL> {
  const { stateHome } = resolveHomes(env)
  const noted = await readNote(join(stateHome, 'hub.json'), given !== undefined)
  const url = given === undefined ? parseHubUrl(noted!.url) : parseHubUrl(given)
  if (tokenFile !== undefined) await useTokenFile(url, tokenFile)
  else if (noted !== null && parseHubUrl(noted.url).origin === url.origin)
    await useOperatorToken(url, stateHome, noted.processId)
  return url
}

interface HubNote {
  readonly url: string
  readonly processId: unknown
}

/** What a running hub wrote about itself; null where it need not be there and is not. */
async function readNote(file: string, isOptional: boolean): Promise<HubNote | null> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    if (isOptional) return null
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw new CliError(exitCodes.failed, `${file} cannot be read: ${(cause as Error).message}`, { cause })
    }
    throw new CliError(
      exitCodes.hubNotRunning,
      `No hub is running (${file} does not exist). Start one with: herma up. One elsewhere is named with --hub URL.`,
    )
  }
  return parseNote(text) ?? (isOptional ? null : failNote(file))
}

/** Accepts the hub's own address and, because people copy it, that of its MCP endpoint. */
export function parseHubUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new CliError(
      exitCodes.usage,
      `'${text}' is not the address of a hub. For example: --hub http://127.0.0.1:4376`,
    )
  }
  return new URL('/', url)
}

function parseNote(text: string): HubNote | null {
  try {
    const { url, processId } = JSON.parse(text) as { url?: unknown; processId?: unknown }
    if (typeof url === 'string') return { url, processId }
  } catch {
    // A file cut short by a crash says as little as one without an address.
  }
  return null
}

function failNote(file: string): never {
  throw new CliError(exitCodes.failed, `${file} does not name a hub. Remove it and start one with: herma up`)
}
