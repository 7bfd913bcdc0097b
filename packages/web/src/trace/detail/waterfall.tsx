import { CircleX, TriangleAlert } from 'lucide-react'
import { useRef, useState, type KeyboardEvent } from 'react'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { formatMs } from '../../ui/format.ts'
import { nameOf, outcomes } from '../describe-event.ts'
import type { Span, SpanKind, SpanTree } from './spans.ts'

interface WaterfallProps {
  readonly tree: SpanTree
  readonly label: string
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
  /** What the whole width stands for; two waterfalls beside each other have the same. */
  readonly scaleMs?: number
}

const pageSpans = 200

const bars: Readonly<Record<SpanKind, string>> = {
  call: 'bg-c1',
  turn: 'bg-c2',
  member: 'bg-c6',
  step: 'bg-c5',
  event: 'bg-c4',
}
const words: Readonly<Record<SpanKind, string>> = {
  call: 'call',
  turn: 'turn',
  member: 'member',
  step: 'inner call',
  event: 'event',
}

/** What happened inside of what, and when. The arrow keys move between the rows. */
export function Waterfall({ tree, label, selected, onSelect, scaleMs = tree.totalMs }: WaterfallProps) {
  const list = useRef<HTMLDivElement>(null)
  const [limit, setLimit] = useState(pageSpans)
  const spans = tree.spans.slice(0, limit)
  const at = Math.max(
    0,
    spans.findIndex(({ id }) => id === selected),
  )
  function onKeyDown(event: KeyboardEvent) {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: spans.length - 1 }[event.key]
    const next = to === undefined ? undefined : spans[to]
    if (next === undefined) return
    event.preventDefault()
    onSelect(next.id)
    list.current?.querySelectorAll<HTMLElement>('[role="treeitem"]')[to!]?.focus()
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)]">
      <div
        ref={list}
        role="tree"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        className="max-h-72 overflow-y-auto py-1"
      >
        {spans.map((span, index) => (
          <SpanRow
            key={span.id}
            span={span}
            scaleMs={scaleMs}
            isSelected={index === at}
            onSelect={() => onSelect(span.id)}
          />
        ))}
      </div>
      {tree.spans.length > limit && (
        <Button size="sm" variant="ghost" className="justify-self-start" onClick={() => setLimit(limit + pageSpans)}>
          Show more of {tree.spans.length.toLocaleString()}
        </Button>
      )}
    </div>
  )
}

interface SpanRowProps {
  readonly span: Span
  readonly scaleMs: number
  readonly isSelected: boolean
  readonly onSelect: () => void
}

function SpanRow({ span, scaleMs, isSelected, onSelect }: SpanRowProps) {
  const { main, kind, level, ms, beginMs } = span
  const share = (part: number) => (scaleMs === 0 ? 0 : Math.min(100, (part / scaleMs) * 100))
  const left = Math.min(share(beginMs), 99)
  return (
    // The keys belong to the tree around it.
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="treeitem"
      aria-level={level + 1}
      aria-selected={isSelected}
      tabIndex={isSelected ? 0 : -1}
      onClick={onSelect}
      className={cn(
        'grid cursor-default grid-cols-[minmax(0,1fr)_4.5rem] items-center gap-x-3 gap-y-1 px-4 py-1.5 -outline-offset-2 hover:bg-well @lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)_4.5rem]',
        isSelected && 'bg-accent-soft hover:bg-accent-soft',
      )}
    >
      <span className="flex min-w-0 items-center gap-1.5" style={{ paddingLeft: level * 12 }}>
        <OutcomeSign span={span} />
        <span className="truncate font-mono text-sm">{nameOf(main)}</span>
        <span className="shrink-0 text-xs text-ink-3">{words[kind]}</span>
      </span>
      <span aria-hidden className="relative h-3 rounded-sm @max-lg:order-3 @max-lg:col-span-2">
        <span className="absolute inset-x-0 top-1/2 h-px bg-line" />
        <span
          className={cn('absolute inset-y-0 min-w-1 rounded-[2px]', bars[kind], ms === null && 'opacity-60')}
          style={{ left: `${left}%`, width: `${Math.min(ms === null ? 100 : share(ms), 100 - left)}%` }}
        />
      </span>
      <span className="tnum text-right text-sm text-ink-2">
        {ms === null ? 'running' : kind === 'event' ? '' : formatMs(ms)}
      </span>
    </div>
  )
}

/** What did not end well has a sign and a word. */
function OutcomeSign({ span: { main } }: { span: Span }) {
  if (main.outcome === undefined || main.outcome === 'ok') return null
  const { tone, label } = outcomes[main.outcome]
  const Sign = tone === 'bad' ? CircleX : TriangleAlert
  return (
    <>
      <Sign aria-hidden className={cn('size-3.5 shrink-0', tone === 'bad' ? 'text-bad' : 'text-warn')} />
      <span className="sr-only">{label}:</span>
    </>
  )
}
