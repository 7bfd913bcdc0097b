import type { Caller } from './message/call.ts'
import { metaKeys } from '@herma/framework/wire'
import type { Params } from './message/message.ts'

/** Severities of RFC 5424, the least severe first. */
export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

const severity = new Map<unknown, number>(logLevels.map((level, index) => [level, index]))

export function isLogLevel(level: unknown): level is string {
  return severity.has(level)
}

/** The less severe of two levels, which lets more through. */
export function lowerLevel(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b
  return severity.get(a)! <= severity.get(b)! ? a : b
}

/** A legacy client that never set a level gets everything; a modern one gets nothing unless its request asks. */
export function passesLog(params: Params | undefined, caller: Caller): boolean {
  if (caller.logLevel === null) return caller.era === 'legacy'
  return (severity.get(params?.['level']) ?? 0) >= (severity.get(caller.logLevel) ?? 0)
}

export function requestedLevel(meta: Record<string, unknown>): string | null {
  const level = meta[metaKeys.logLevel]
  return typeof level === 'string' ? level : null
}
