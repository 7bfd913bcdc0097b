import type { Log } from '../../platform/log.ts'
import type { Redactor } from './redactor.ts'

/** The same log, without secrets: every line passes the redactor, however the secrets change. */
export function redactLog(log: Log, redactor: Redactor): Log {
  const line = (level: keyof Log) => (message: string, fields?: Record<string, unknown>) =>
    log[level](
      redactor.redact(message),
      fields === undefined ? undefined : (redactor.redactValue(fields) as Record<string, unknown>),
    )
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
}
