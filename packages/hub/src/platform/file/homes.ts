import { realpathSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { HubError } from '@herma/contract/plain'

/** `configHome` holds what people edit, `stateHome` what the hub writes. Both are absolute. */
export interface Homes {
  readonly configHome: string
  readonly stateHome: string
}

/** In the state home. Who can read this file owns the hub, as with Jupyter's. */
export const operatorTokenFile = 'operator-token'

/** Reads the two homes from the environment; an empty variable counts as absent. */
export function resolveHomes(env: NodeJS.ProcessEnv = process.env): Homes {
  const configHome = resolve(env.HERMA_CONFIG_HOME || join(env.HOME || homedir(), '.config', 'herma'))
  if (env.HERMA_STATE_HOME) return { configHome, stateHome: resolve(env.HERMA_STATE_HOME) }
  // PostgreSQL refuses to run as root, and the user it runs under instead cannot enter root's home.
  if (!env.HERMA_CONFIG_HOME && process.getuid?.() === 0) return { configHome, stateHome: '/var/lib/herma' }
  return { configHome, stateHome: join(configHome, '.state') }
}

/**
 * Returns the real path of a file that the hub may write, and throws FORBIDDEN for one outside both homes.
 * The path need not exist yet. It says nothing about a link that is planted after the check.
 */
export function requireHomePath(homes: Homes, path: string): string {
  const real = realPathOf(resolve(path))
  const allowed = [homes.configHome, homes.stateHome].map((home) => realPathOf(resolve(home)))
  if (allowed.some((home) => real === home || real.startsWith(home.endsWith(sep) ? home : home + sep))) return real
  throw new HubError(
    'FORBIDDEN',
    `'${path}' is outside of ${homes.configHome} and ${homes.stateHome}. ` +
      'Choose a path inside one of them, or set HERMA_CONFIG_HOME or HERMA_STATE_HOME.',
  )
}

/** Creates the state home when it is missing; an existing one keeps its permissions. */
export async function ensureStateHome(stateHome: string): Promise<void> {
  try {
    const created = await mkdir(stateHome, { recursive: true, mode: 0o700 })
    // As root, PostgreSQL runs under another user, who must get through this folder to its own; nobody may list it.
    if (created !== undefined && process.getuid?.() === 0) await openPassage(created, stateHome)
  } catch (error) {
    // With `recursive` Node reports a file system that is read-only as a folder that does not exist.
    const plain: unknown = await mkdir(stateHome).catch((cause: unknown) => cause)
    throw unwritableHome(stateHome, plain ?? error)
  }
}

/** One sentence for a state home that cannot be made or written, and the next step. */
export function unwritableHome(stateHome: string, cause: unknown): HubError {
  const { code = '', message } = cause as NodeJS.ErrnoException
  const why = reasons[code] ?? `cannot be created or written (${message})`
  return new HubError(
    'STORE_UNAVAILABLE',
    `The state home ${stateHome} ${why}. Make it writable, or set HERMA_STATE_HOME to a folder that you may write.`,
    { cause },
  )
}

const reasons: Readonly<Record<string, string>> = {
  EROFS: 'is on a file system that is mounted read-only',
  EACCES: 'may not be written by this user',
  EPERM: 'may not be written by this user',
  ENOSPC: 'is on a full disk',
  EDQUOT: 'is on a full disk',
}

async function openPassage(first: string, last: string): Promise<void> {
  for (let path = last; path.length >= first.length; path = dirname(path)) await chmod(path, 0o711)
}

// Links are resolved in the part that exists; what is still to be created cannot be a link.
function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error
    return join(realPathOf(dirname(path)), basename(path))
  }
}
