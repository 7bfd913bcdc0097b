import type { EventView } from '@herma/contract'
import { memo, type MouseEvent } from 'react'
import { formatBytes, formatMs, formatTime } from '../../ui/format.ts'
import { askedOf, nameOf } from '../describe-event.ts'
import { OutcomeMark } from '../outcome-mark.tsx'

/** How much of a call has room in the list: `narrow` is two lines, the others one. */
export type RowLayout = 'narrow' | 'slim' | 'medium' | 'wide'

/** Rows come and go while the list is scrolled, so nothing of them is asked of the width of their container. */
export const rowStyles: Readonly<Record<RowLayout, string>> = {
  narrow: 'grid grid-cols-[minmax(0,1fr)_auto] content-center items-center gap-x-3 gap-y-1 px-3',
  slim: 'grid grid-cols-[7.5rem_6rem_minmax(0,1fr)_4.5rem] items-center gap-x-3 px-4',
  medium: 'grid grid-cols-[7.5rem_6rem_minmax(0,1fr)_8rem_6rem_4.5rem] items-center gap-x-3 px-4',
  wide: 'grid grid-cols-[7.5rem_6rem_minmax(0,1fr)_8rem_6rem_4.5rem_8rem] items-center gap-x-3 px-4',
}

/** The names of the columns. */
export function headingsOf(layout: RowLayout): { label: string; className?: string }[] {
  return [
    { label: 'Began' },
    { label: 'Outcome' },
    { label: 'Server and target' },
    ...(layout === 'medium' || layout === 'wide' ? [{ label: 'Who asked' }, { label: 'Route' }] : []),
    { label: 'Took', className: 'text-right' },
    ...(layout === 'wide' ? [{ label: 'Sent, received', className: 'text-right' }] : []),
  ]
}

interface CallRowProps {
  readonly event: EventView
  readonly index: number
  readonly top: number
  readonly layout: RowLayout
  readonly isOpen: boolean
  /** The one that Tab reaches. */
  readonly isCurrent: boolean
  readonly href: string
  readonly onOpen: (event: EventView) => void
  readonly onFocus: (id: string) => void
}

/** One call. A plain link: there are many of them, and they come and go while the list is scrolled. */
export const CallRow = memo(function CallRow(props: CallRowProps) {
  const { event, index, top, layout, isOpen, isCurrent, href, onOpen, onFocus } = props
  const isNarrow = layout === 'narrow'
  const hasMore = layout === 'medium' || layout === 'wide'
  const follow = (click: MouseEvent) => {
    if (click.button !== 0 || click.ctrlKey || click.metaKey || click.shiftKey || click.altKey) return
    click.preventDefault()
    onOpen(event)
  }
  const link = {
    id: `call-${event.id}`,
    tabIndex: isCurrent ? 0 : -1,
    onClick: follow,
    onFocus: () => onFocus(event.id),
    className:
      'block truncate text-left outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent',
  }
  const words = (
    <>
      <span className="text-ink-3">{askedOf(event)} </span>
      <span className="font-mono text-sm">{nameOf(event)}</span>
      {event.errorCode !== undefined && <span className="text-sm text-ink-3"> {event.errorCode}</span>}
    </>
  )
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${top}px)` }}
      className={`absolute inset-x-0 top-0 border-b border-line contain-strict ${rowStyles[layout]} ${isNarrow ? 'h-15' : 'h-10'} ${isOpen ? 'bg-accent-soft' : 'hover:bg-well'}`}
    >
      <time role="cell" dateTime={event.at} className={`tnum truncate text-sm text-ink-3 ${isNarrow ? 'order-3' : ''}`}>
        {formatTime(event.at)}
      </time>
      <span role="cell" className={`truncate text-sm ${isNarrow ? 'order-4 justify-self-end' : ''}`}>
        <OutcomeMark event={event} />
      </span>
      <span role="cell" className={`min-w-0 ${isNarrow ? 'order-1' : ''}`}>
        {event.traceId === undefined ? (
          <button type="button" {...link}>
            {words}
          </button>
        ) : (
          <a href={href} aria-current={isOpen ? 'true' : undefined} {...link}>
            {words}
          </a>
        )}
      </span>
      {hasMore && (
        <span role="cell" className="truncate text-sm text-ink-2">
          {event.principal ?? ''}
        </span>
      )}
      {hasMore && (
        <span role="cell" className="truncate text-sm text-ink-2">
          {event.route ?? ''}
        </span>
      )}
      <span role="cell" className={`tnum text-right text-sm text-ink-2 ${isNarrow ? 'order-2' : ''}`}>
        {event.ms === undefined ? '' : formatMs(event.ms)}
      </span>
      {layout === 'wide' && (
        <span role="cell" className="tnum truncate text-right text-sm text-ink-3">
          {sizesOf(event)}
        </span>
      )}
    </div>
  )
})

function sizesOf({ requestBytes, responseBytes }: EventView): string {
  if (requestBytes === undefined && responseBytes === undefined) return ''
  return `${formatBytes(requestBytes ?? 0)}, ${formatBytes(responseBytes ?? 0)}`
}
