/** Writes one line for a person or a log collector. Values are names and numbers, never secrets. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

const levels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof levels)[number] | 'silent'

/** Lines go to standard error, so that standard output stays free for answers. */
export function createLog(level: LogLevel = 'info', write = (line: string) => void process.stderr.write(line)): Log {
  const threshold = level === 'silent' ? levels.length : levels.indexOf(level)
  const line = (index: number) => (message: string, fields?: Record<string, unknown>) => {
    if (index < threshold) return
    const suffix = fields === undefined ? '' : ` ${Object.entries(fields).map(formatField).join(' ')}`
    write(`${new Date().toISOString()} ${levels[index]} ${spellControls(message + suffix)}\n`)
  }
  return { debug: line(0), info: line(1), warn: line(2), error: line(3) }
}

// A field is quoted as JSON, so that a value with a line break cannot forge a second line.
function formatField([name, value]: [string, unknown]): string {
  return `${name}=${value instanceof Error ? JSON.stringify(value.message) : JSON.stringify(value)}`
}

// oxlint-disable-next-line no-control-regex -- Control characters are what this is about.
const controls = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]/g

/** What a terminal obeys, or takes for the end of a line, is spelt out. JSON leaves some of it as it is. */
function spellControls(text: string): string {
  return text.replaceAll(controls, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
