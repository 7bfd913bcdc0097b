import type { EventView } from '@herma/contract'
import { defaultStringifySearch } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useImperativeHandle, useRef, useState, type Ref, type RefObject } from 'react'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { useShortcuts } from '../../ui/page/shortcuts.ts'
import type { TraceSearch } from '../trace-search.ts'
import type { CallFeedView } from './call-feed.ts'
import { CallRow, headingsOf, rowStyles, type RowLayout } from './call-row.tsx'

export interface CallTableHandle {
  /** Puts the focus on the row of a trace, when it is in the list. */
  focusTrace(traceId: string): void
  toTop(): void
}

interface CallTableProps {
  readonly view: CallFeedView
  readonly search: TraceSearch
  readonly ref: Ref<CallTableHandle>
  readonly onOpen: (event: EventView) => void
  readonly onTopChange: (isAtTop: boolean) => void
  readonly onEnd: () => void
  /** Shows what is older than the last row of a list that is full. */
  readonly onOlder: (before: string) => void
}

// A row of one line where there is room, of two where there is not.
const wideRowPx = 40
const narrowRowPx = 60
const layoutsFromPx: readonly (readonly [number, RowLayout])[] = [
  [1100, 'wide'],
  [760, 'medium'],
  [640, 'slim'],
]
const loadAheadRows = 60

/** The calls as rows, of which only those in sight are drawn. j and k move, Enter opens. */
export function CallTable({ view, search, ref, onOpen, onTopChange, onEnd, onOlder }: CallTableProps) {
  const { rows, hasOlder, isFull, isAsking } = view
  const scroller = useRef<HTMLDivElement>(null)
  const layout = useLayout(scroller)
  const [currentId, setCurrentId] = useState<string>()
  const height = layout === 'narrow' ? narrowRowPx : wideRowPx
  // Nothing here is memoized by a compiler.
  // eslint-disable-next-line react/incompatible-library
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => rows[index]!.id,
    overscan: 8,
  })
  useEffect(() => virtual.measure(), [virtual, height])

  const items = virtual.getVirtualItems()
  const lastIndex = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasOlder && !isAsking && view.error === null && lastIndex >= rows.length - loadAheadRows) onEnd()
  }, [hasOlder, isAsking, view.error, lastIndex, rows.length, onEnd])

  // New rows push it down, so it is known by its id.
  const current = Math.max(
    0,
    rows.findIndex(({ id }) => id === currentId),
  )
  function focusRow(index: number): EventView | undefined {
    const row = rows[index]
    if (row === undefined) return undefined
    setCurrentId(row.id)
    virtual.scrollToIndex(index, { align: 'auto' })
    const focus = () => document.getElementById(`call-${row.id}`)?.focus({ preventScroll: true })
    focus()
    // It may be drawn only after the list has scrolled.
    requestAnimationFrame(focus)
    return row
  }
  useImperativeHandle(ref, () => ({
    toTop: () => scroller.current?.scrollTo({ top: 0 }),
    focusTrace: (traceId) => void focusRow(rows.findIndex((row) => row.traceId === traceId)),
  }))
  function step(by: number) {
    const hasFocus = scroller.current?.contains(document.activeElement) === true
    const row = focusRow(hasFocus ? Math.max(0, Math.min(rows.length - 1, current + by)) : current)
    if (row?.traceId !== undefined && search.trace !== undefined) onOpen(row)
  }
  useShortcuts({ j: () => step(1), k: () => step(-1) })

  return (
    <div
      role="table"
      aria-label="Calls"
      aria-rowcount={hasOlder || isFull ? -1 : rows.length + 1}
      className="flex min-h-0 min-w-0 flex-col overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <div role="rowgroup">
        <div
          role="row"
          aria-rowindex={1}
          className={cn(
            'h-9 border-b border-line text-xs font-medium text-ink-3',
            layout === 'narrow' ? 'sr-only' : rowStyles[layout],
          )}
        >
          {headingsOf(layout).map(({ label, className }) => (
            <span key={label} role="columnheader" className={className}>
              {label}
            </span>
          ))}
        </div>
      </div>
      <div
        ref={scroller}
        role="rowgroup"
        onScroll={(event) => onTopChange(event.currentTarget.scrollTop < height / 2)}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain"
      >
        <div role="presentation" className="relative w-full" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const event = rows[index]!
            return (
              <CallRow
                key={event.id}
                event={event}
                index={index}
                top={start}
                layout={layout}
                isOpen={search.trace !== undefined && search.trace === event.traceId}
                isCurrent={index === current}
                href={`/traces${defaultStringifySearch({ ...search, trace: event.traceId, compare: undefined })}`}
                onOpen={onOpen}
                onFocus={setCurrentId}
              />
            )
          })}
        </div>
      </div>
      {isFull && (
        <p className="flex flex-wrap items-center gap-2 border-t border-line px-3 py-2 text-sm text-ink-2">
          This page holds the newest {rows.length.toLocaleString()}.
          <Button size="sm" onClick={() => onOlder(recordedAt(rows.at(-1)!.id))}>
            Show older ones
          </Button>
        </p>
      )}
    </div>
  )
}

/** How much room a row has. */
function useLayout(element: RefObject<HTMLElement | null>): RowLayout {
  const [layout, setLayout] = useState<RowLayout>('wide')
  useEffect(() => {
    if (element.current === null) return
    const observer = new ResizeObserver(([entry]) => {
      const width = entry?.contentRect.width ?? 0
      // What is hidden has no width, and nothing to say about the layout.
      if (width > 0) setLayout(layoutsFromPx.find(([from]) => width >= from)?.[1] ?? 'narrow')
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return layout
}

/** When an event was recorded, which is its id. */
function recordedAt(id: string): string {
  return new Date(Number(BigInt(id) / 1_000_000n)).toISOString()
}
