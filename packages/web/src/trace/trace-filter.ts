import type { EventFilter } from '@herma/contract'
import type { TraceSearch } from './trace-search.ts'

export type FilterName = Exclude<keyof TraceSearch, 'trace' | 'compare'>

interface FilterField {
  readonly name: FilterName
  readonly label: string
  /** Said below the field where a filter is added. */
  readonly hint: string
  /** The values there are; absent = anything. */
  readonly values?: readonly string[]
}

/** What a person can add as a filter, in the order of the list. */
export const filterFields: readonly FilterField[] = [
  { name: 'server', label: 'Server', hint: 'The server that the client asked.' },
  { name: 'connector', label: 'Connector', hint: 'The connector that did the work.' },
  { name: 'target', label: 'Tool or target', hint: 'The tool, prompt or resource, by the name that the client used.' },
  { name: 'principal', label: 'Who asked', hint: 'operator, user:NAME, key:NAME or client:ID.' },
  { name: 'session', label: 'Session', hint: 'The session that worked on it.' },
  { name: 'thread', label: 'Thread', hint: 'The id of a chat.' },
  { name: 'method', label: 'Method', hint: 'For example tools/call; several are separated by commas.' },
  {
    name: 'outcome',
    label: 'Outcome',
    hint: 'How it ended.',
    values: ['ok', 'tool-error', 'error', 'cancelled', 'refused'],
  },
  { name: 'minMs', label: 'At least ms', hint: 'It took this many milliseconds or more.' },
  { name: 'route', label: 'Route', hint: 'Which way the work went: mcp:stdio, mcp:stream, own, openai …' },
  { name: 'transport', label: 'Transport', hint: 'How the client reached the hub.', values: ['stream', 'sse', 'rpc'] },
  { name: 'era', label: 'Protocol era', hint: 'Which generation of MCP it spoke.', values: ['legacy', 'modern'] },
  { name: 'kind', label: 'Kind of event', hint: 'Separated by commas; call.* = all that begin so.' },
  { name: 'traceId', label: 'Trace id', hint: '32 hexadecimal digits.' },
  { name: 'from', label: 'From', hint: 'Recorded at this time or later.' },
  { name: 'to', label: 'Until', hint: 'Recorded before this time.' },
]

export const slowMs = '1000'
export const failedOutcomes = 'tool-error,error,refused'
export const everyKind = '*'
export const everyRequest = 'call.finished'
/** What clients want done. Lists and handshakes come before each of them, and are many. */
const workMethods = 'tools/call,resources/read,prompts/get,completion/complete'

/**
 * The filter as the API has it. Without a wish it shows one row for each call, or for each turn of a session; lists and
 * handshakes only when it is asked how things ended.
 */
export function filterOf(search: TraceSearch): EventFilter {
  const { trace: _, compare: __, ...filter } = search
  const isOfSession = filter.session !== undefined || filter.thread !== undefined
  const usual = isOfSession ? 'turn.finished' : everyRequest
  const isOfWork = !isOfSession && filter.kind === undefined && filter.outcome === undefined
  // An address may say anything; the hub tells what is wrong with it.
  return { kind: usual, ...(isOfWork && { method: workMethods }), ...dropAbsent(filter) }
}

/** The fields that are set and have a pill of their own. */
export function setFields(search: TraceSearch): { name: FilterName; label: string; value: string }[] {
  return filterFields.flatMap(({ name, label }) => {
    const value = search[name]
    return value === undefined || hasOwnSwitch(name, value) ? [] : [{ name, label, value: showValue(name, value) }]
  })
}

/** What is wrong with a value before it is sent; the API checks again. */
export function findFilterProblem(name: FilterName, value: string): string | undefined {
  if (value === '') return 'Give a value.'
  if (name === 'minMs' && !(Number(value) >= 0)) return 'Give a number of milliseconds.'
  if (name === 'traceId' && !/^[0-9a-f]{32}$/.test(value)) return 'A trace id has 32 hexadecimal digits.'
  if ((name === 'from' || name === 'to') && Number.isNaN(Date.parse(value))) return 'Give a date and a time.'
  return undefined
}

/** These are told by the buttons that set them. */
function hasOwnSwitch(name: FilterName, value: string): boolean {
  if (name === 'kind') return [everyKind, everyRequest, 'turn.finished'].includes(value)
  return (name === 'outcome' && value === failedOutcomes) || (name === 'minMs' && value === slowMs)
}

function showValue(name: FilterName, value: string): string {
  if (name !== 'from' && name !== 'to') return value
  const time = Date.parse(value)
  return Number.isNaN(time) ? value : new Date(time).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })
}

function dropAbsent(filter: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}
