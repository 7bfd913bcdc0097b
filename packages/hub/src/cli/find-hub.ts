import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { resolveHomes } from '../platform/homes.ts'
import { CliError, exitCodes } from './exit-codes.ts'

/** Where the hub is: the given address, or what a running hub wrote into the state home. */
export async function findHub(given: string | undefined, env: NodeJS.ProcessEnv): Promise<URL> {
  if (given !== undefined) return parseHubUrl(given)
  const file = join(resolveHomes(env).stateHome, 'hub.json')
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw new CliError(exitCodes.failed, `${file} cannot be read: ${(cause as Error).message}`, { cause })
    }
    throw new CliError(
      exitCodes.hubNotRunning,
      `No hub is running (${file} does not exist). Start one with: herma up. One elsewhere is named with --hub URL.`,
    )
  }
  return parseHubUrl(readUrl(text, file))
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

function readUrl(text: string, file: string): string {
  try {
    const { url } = JSON.parse(text) as { url?: unknown }
    if (typeof url === 'string') return url
  } catch {
    // A file cut short by a crash says as little as one without an address.
  }
  throw new CliError(exitCodes.failed, `${file} does not name a hub. Remove it and start one with: herma up`)
}
