import type { EventView } from '@herma/contract'

export type SpanKind = 'call' | 'turn' | 'step' | 'member' | 'event'

/** A piece of work of a trace: when it began, how long it took, and what was recorded of it. */
export interface Span {
  readonly id: string
  readonly kind: SpanKind
  /** How many spans are around it. */
  readonly level: number
  /** After the begin of the trace. */
  readonly beginMs: number
  /** Null when nothing says that it has ended. */
  readonly ms: number | null
  /** The event that tells the whole of it, or the first of its events while it is under way. */
  readonly main: EventView
  /** All of its events, oldest first. */
  readonly events: readonly EventView[]
}

export interface SpanTree {
  /** In the order of reading: what happened inside of something follows it. */
  readonly spans: readonly Span[]
  readonly totalMs: number
  readonly isUnderWay: boolean
}

const kinds: Readonly<Record<string, SpanKind>> = {
  'call.finished': 'call',
  'turn.finished': 'turn',
  'step.finished': 'step',
  'team.routed': 'member',
}
/** Their span ends with an event of its own. */
const beginKinds: ReadonlySet<string> = new Set(['message.received', 'route.chosen'])
const maxLevel = 8

/** Puts the events of one trace together to spans. */
export function spansOf(events: readonly EventView[]): SpanTree {
  // What belongs to no span is one of its own.
  const groups = groupBy(events, ({ spanId, id }) => spanId ?? `event-${id}`)
  const flat = [...groups].map(([id, group]) => readSpan(id, group))
  const begin = Math.min(...flat.map(({ at }) => at))
  const spans = orderSpans(flat).map(({ at, parentId: _, ...span }) => ({ ...span, beginMs: at - begin }))
  return {
    spans,
    totalMs: Math.max(0, ...spans.map(({ beginMs, ms }) => beginMs + (ms ?? 0))),
    isUnderWay: spans.some(({ ms }) => ms === null),
  }
}

type FlatSpan = Omit<Span, 'level' | 'beginMs'> & { readonly at: number; readonly parentId: string | undefined }

function readSpan(id: string, events: readonly EventView[]): FlatSpan {
  const main = events.find(({ kind }) => kinds[kind] !== undefined) ?? events[0]!
  const kind = kinds[main.kind]
  const isOpen = kind === undefined && events.some(({ kind: each }) => beginKinds.has(each))
  return {
    id,
    kind: kind ?? (!isOpen ? 'event' : main.session === undefined ? 'call' : 'turn'),
    ms: isOpen ? null : (main.ms ?? 0),
    main,
    events,
    at: Math.min(...events.map(({ at }) => Date.parse(at))),
    parentId: events.find(({ parentId }) => parentId !== undefined)?.parentId,
  }
}

function orderSpans(flat: readonly FlatSpan[]): (FlatSpan & { level: number })[] {
  const ids = new Set(flat.map(({ id }) => id))
  // The parent may be a span of the client, of which nothing is known here.
  const children = groupBy(flat.toSorted(byBegin), ({ parentId }) =>
    parentId !== undefined && ids.has(parentId) ? parentId : undefined,
  )
  const ordered: (FlatSpan & { level: number })[] = []
  const left = (children.get(undefined) ?? []).map((span) => ({ span, level: 0 })).toReversed()
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { span, level } = next
    ordered.push({ ...span, level: Math.min(level, maxLevel) })
    for (const child of children.get(span.id)?.toReversed() ?? []) left.push({ span: child, level: level + 1 })
  }
  // Spans that name each other as parents are reached from nowhere.
  const reached = new Set(ordered.map(({ id }) => id))
  return [...ordered, ...flat.filter(({ id }) => !reached.has(id)).map((span) => ({ ...span, level: 0 }))]
}

function byBegin(one: FlatSpan, other: FlatSpan): number {
  return one.at - other.at
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}
