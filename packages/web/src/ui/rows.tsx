import type { ReactNode } from 'react'
import { cn } from './cn.ts'

/** A list of things, one row each, inside a card. */
export function Rows({ label, children, className }: { label: string; children: ReactNode; className?: string }) {
  return (
    <ul aria-label={label} className={cn('divide-y divide-line', className)}>
      {children}
    </ul>
  )
}

interface RowProps {
  readonly title: ReactNode
  /** Words in boxes after the title. */
  readonly badges?: ReactNode
  /** One line below the title. */
  readonly detail?: ReactNode
  /** At the right; below the rest where the window is narrow. */
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

/** One thing: its name, what is to be known of it at once, and what can be done with it. */
export function Row({ title, badges, detail, actions, children }: RowProps) {
  return (
    <li className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2 px-4 py-2.5">
      <div className="flex min-w-0 items-start gap-x-3 gap-y-1">
        <div className="mr-auto grid min-w-0 gap-0.5">
          <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
            <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{title}</span>
            {badges}
          </div>
          {detail !== undefined && <div className="text-sm text-ink-2 [overflow-wrap:anywhere]">{detail}</div>}
        </div>
        {actions !== undefined && <div className="flex shrink-0 items-center gap-1">{actions}</div>}
      </div>
      {children}
    </li>
  )
}

/** Names and values, side by side. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1.5 px-4 py-3 sm:grid-cols-[10rem_minmax(0,1fr)]">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-3">{name}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
