import type { LoggingLevel } from '@modelcontextprotocol/server'
import type { Log } from './context.ts'

const levels: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** A log with one method for each level. */
export function makeLog(write: (level: LoggingLevel, data: unknown) => void): Log {
  const entries = levels.map((level) => [
    level,
    (message: string, data?: unknown) => write(level, data === undefined ? message : { message, data }),
  ])
  return Object.fromEntries(entries) as Log
}
