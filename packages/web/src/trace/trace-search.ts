import type { EventFilter } from '@herma/contract'

/** What the address of the traces page says: the filter, the open trace and the one it is compared with. */
export type TraceSearch = { readonly [Name in keyof EventFilter]?: string } & {
  readonly trace?: string
  readonly compare?: string
}

const names = [
  'from',
  'to',
  'kind',
  'principal',
  'server',
  'connector',
  'session',
  'thread',
  'route',
  'transport',
  'era',
  'method',
  'target',
  'outcome',
  'minMs',
  'text',
  'traceId',
  'trace',
  'compare',
] satisfies (keyof TraceSearch)[]

export function readTraceSearch(search: Record<string, unknown>): TraceSearch {
  // An id of digits alone comes out of the address as a number.
  const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number'
  return Object.fromEntries(names.flatMap((name) => (isText(search[name]) ? [[name, String(search[name])]] : [])))
}
