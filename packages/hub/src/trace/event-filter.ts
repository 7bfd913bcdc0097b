import { compileGlob, type EventFilter, type EventView } from '@herma/contract'

type Match = (event: EventView) => boolean

const equalFields = [
  'principal',
  'server',
  'connector',
  'session',
  'thread',
  'route',
  'transport',
  'era',
  'target',
  'traceId',
] as const

/** The same choice that a search makes, for an event that is not stored yet. Words may be parts of words here. */
export function matchEvents(filter: EventFilter): Match {
  const kinds = filter.kind?.split(',').map((kind) => compileGlob(kind.trim()))
  const methods = filter.method?.split(',')
  const outcomes = filter.outcome?.split(',')
  const words = filter.text?.toLowerCase().match(/[\p{L}\p{N}]+/gu)
  const [from, to] = [filter.from, filter.to].map((time) => time && Date.parse(time))
  return (event) => {
    if (kinds !== undefined && !kinds.some((matches) => matches(event.kind))) return false
    if (equalFields.some((field) => filter[field] !== undefined && filter[field] !== event[field])) return false
    if (methods !== undefined && !methods.includes(event.method ?? '')) return false
    if (outcomes !== undefined && !outcomes.includes(event.outcome ?? '')) return false
    if (filter.minMs !== undefined && !((event.ms ?? -1) >= filter.minMs)) return false
    const at = Date.parse(event.at)
    if ((typeof from === 'number' && at < from) || (typeof to === 'number' && at >= to)) return false
    if (words === undefined || words === null) return true
    const text = `${event.target ?? ''} ${JSON.stringify(event.data)}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
}
