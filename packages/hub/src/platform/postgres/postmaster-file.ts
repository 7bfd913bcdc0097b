import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLineOf } from '../process/process-table.ts'

/** What a PostgreSQL server says about itself in its data directory. */
export interface PostmasterFile {
  readonly pid: number
  readonly port: number
  readonly socketDirectory: string
  readonly status: 'starting' | 'stopping' | 'ready' | 'unknown'
}

/** Reads `postmaster.pid`; undefined when there is none. The server that wrote it may be gone. */
export function readPostmasterFile(dataDirectory: string): PostmasterFile | undefined {
  let lines: string[]
  try {
    lines = readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  // https://github.com/postgres/postgres/blob/REL_18_STABLE/src/include/utils/pidfile.h
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  const status = lines[7]?.trim()
  const isKnown = status === 'starting' || status === 'stopping' || status === 'ready'
  return { pid, port: Number(lines[3]), socketDirectory: lines[4] ?? '', status: isKnown ? status : 'unknown' }
}

/** True when this process is the server of this data directory, and not one that only got its number. */
export function isPostmasterOf(pid: number, dataDirectory: string): boolean {
  const command = commandLineOf(pid)
  if (!command?.[0]?.endsWith('postgres')) return false
  // ps on macOS shows one line without quotes, where a folder with spaces spans several words.
  return `${command.join(' ')} `.includes(` -D ${dataDirectory} `)
}
