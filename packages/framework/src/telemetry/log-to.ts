import { ConfigError } from '../protocol/errors.ts'
import { on, takeOverErrors, type EventName, type Events } from './events.ts'
import { outcomeOf } from './outcome.ts'
import { cut, recordableUri } from './redact.ts'
import { writeError } from './write-error.ts'

/** How much a line of the log matters. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** What is written to the log. */
export interface LogOptions {
  /** The least that is written; `info` unless told, which is a line for each request. */
  readonly level?: LogLevel
}

type Level<Name extends EventName> = LogLevel | ((event: Events[Name]) => LogLevel)

const ended = (event: Pick<Events['mcp.request.end'], 'failure' | 'isError'>) =>
  outcomeOf(event) === 'ok' ? 'info' : 'warn'

const levels: { readonly [Name in EventName]: Level<Name> } = {
  'mcp.server.start': 'info',
  'mcp.server.stop': 'info',
  'mcp.connection.opened': 'info',
  'mcp.connection.restored': 'info',
  'mcp.connection.closed': ({ reason }) => (typeof reason === 'string' && reason !== 'lost' ? 'info' : 'warn'),
  'mcp.request.start': 'debug',
  'mcp.request.end': ended,
  'mcp.notification.received': 'debug',
  'mcp.notification.sent': 'debug',
  // The line of their request says as much; these also show what a handler called by itself.
  'mcp.tool.call': 'debug',
  'mcp.resource.read': 'debug',
  'mcp.prompt.get': 'debug',
  'mcp.client.request': ended,
  'mcp.progress': 'debug',
  'mcp.transport.open': 'info',
  'mcp.transport.close': 'info',
  'mcp.transport.error': 'error',
  'mcp.batch': 'debug',
  'mcp.auth': ({ outcome }) => (outcome === 'ok' ? 'debug' : 'warn'),
  'mcp.cluster.node': 'info',
  'mcp.child.restart': 'warn',
  'mcp.error': 'error',
}

const severity: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/**
 * Writes the events of every server in this process as JSON, a line for each, to standard error unless told. Arguments
 * and `_meta` are never written; errors are, with their stack, as only the operator may see them. Returns its end.
 */
export function logTo(write: (line: string) => void = writeError, options: LogOptions = {}): () => void {
  const { level: asked = 'info' } = options
  if (!Object.hasOwn(severity, asked)) {
    const known = Object.keys(severity).join(', ')
    throw new ConfigError(`logTo() knows no level '${asked}'.`, `Use one of: ${known}.`)
  }
  const ends = (Object.keys(levels) as EventName[]).map((name) => follow(name, { least: severity[asked], write }))
  ends.push(takeOverErrors())
  return () => {
    for (const end of ends.splice(0)) end?.()
  }
}

interface Sink {
  readonly least: number
  write(line: string): void
}

function follow<Name extends EventName>(name: Name, { least, write }: Sink, levelOf: Level<Name> = levels[name]) {
  // Nobody listens to what is never written, so that it costs nothing.
  if (typeof levelOf === 'string' && severity[levelOf] < least) return undefined
  return on(name, (event) => {
    const level = typeof levelOf === 'string' ? levelOf : levelOf(event)
    if (severity[level] >= least) write(`${JSON.stringify(lineOf(name, level, event))}\n`)
  })
}

// What may be written, rather than what may not: a field that an event gains stays out until it is named here.
const writable =
  'server connection kind version method requestId principal ms isError reference done total address size outcome ' +
  'status change node child attempt'

const longestText = 1024
const longestStack = 8192
const deepestCause = 3

function lineOf(name: EventName, level: LogLevel, event: object): Record<string, unknown> {
  const fields = event as Readonly<Record<string, unknown>>
  const line: Record<string, unknown> = { time: new Date().toISOString(), level, event: name }
  for (const field of writable.split(' ')) {
    const value = fields[field]
    if (value !== undefined) line[field] = writableValue(value)
  }
  if (typeof fields['target'] === 'string') line['target'] = recordableUri(fields['target'], longestText)
  const { reason, failure, error } = event as Partial<
    Events['mcp.connection.closed'] & Events['mcp.request.end'] & Events['mcp.error']
  >
  if (typeof reason === 'string') line['reason'] = reason
  if (failure !== undefined) {
    const { type, code, reference } = failure
    Object.assign(line, { outcome: type, code, reference })
  }
  const thrown = failure?.error ?? error ?? (typeof reason === 'object' ? reason : undefined)
  if (thrown !== undefined) line['error'] = describeError(thrown, deepestCause)
  return line
}

function writableValue(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * 1000) / 1000
  return typeof value === 'string' ? cut(value, longestText) : value
}

function describeError(error: unknown, depth: number): unknown {
  if (!(error instanceof Error)) return { message: cut(String(error), longestText) }
  const { name, message, stack, cause } = error
  return {
    name,
    message: cut(message, longestText),
    stack: stack === undefined ? undefined : cut(stack, longestStack),
    cause: cause === undefined || depth === 0 ? undefined : describeError(cause, depth - 1),
  }
}
