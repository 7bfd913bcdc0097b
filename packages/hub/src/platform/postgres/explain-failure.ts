import { HubError } from '@herma/contract/plain'

const shownLines = 6

/** An error with the last lines that the server said and what to do about them. */
export function explainClusterFailure(what: string, lines: readonly string[], where: string): HubError {
  const said = lines.filter((line) => line.trim() !== '').slice(-shownLines)
  const text = said.join('\n')
  const step = steps.find(({ pattern }) => pattern.test(text))?.step ?? 'The lines above say why.'
  return new HubError('STORE_UNAVAILABLE', `${what} (${where}):\n${text || 'It said nothing.'}\n${step}`)
}

const steps = [
  {
    pattern: /No space left on device|Disk quota exceeded|File too large/,
    step: 'The disk is full: free some space there, or set HERMA_STATE_HOME to a folder on another disk.',
  },
  {
    pattern: /Read-only file system/,
    step: 'The disk is read-only: set HERMA_STATE_HOME to a folder that can be written.',
  },
  {
    pattern: /wrong ownership|invalid permissions|Permission denied/,
    step: 'Start Herma as the user who owns that folder, or set HERMA_STATE_HOME to another one.',
  },
  {
    pattern: /could not create shared memory|could not map anonymous shared memory|Cannot allocate memory/,
    step: 'The machine is out of memory or of shared memory: free some, or set DATABASE_URL to another server.',
  },
  {
    pattern: /error while loading shared libraries|Library not loaded/,
    step: 'The package of PostgreSQL is not complete: run npm rebuild, or set DATABASE_URL to a PostgreSQL server.',
  },
]

/** An error for a binary that could not even be executed. */
export function explainSpawnError(path: string, cause: NodeJS.ErrnoException): HubError {
  // The file was found before, so what is missing is the loader that it asks for: the system has another C library.
  const reason = cause.code === 'ENOENT' ? 'it needs glibc, which this system (musl?) does not have' : cause.message
  return new HubError(
    'STORE_UNAVAILABLE',
    `The embedded PostgreSQL ${path} cannot be run: ${reason}. Set DATABASE_URL to a PostgreSQL server.`,
    { cause },
  )
}
