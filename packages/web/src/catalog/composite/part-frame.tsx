import { ArrowDown, ArrowUp, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../ui/button.tsx'

interface PartFrameProps {
  /** What it is, with its place: 'Operation 2'. */
  readonly label: string
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly onMove: (by: 1 | -1) => void
  readonly onRemove: () => void
  readonly children: ReactNode
}

/** One operation or step, which can be moved and removed. */
export function PartFrame({ label, isFirst, isLast, onMove, onRemove, children }: PartFrameProps) {
  return (
    <li
      aria-label={label}
      className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-lg border border-line bg-surface p-3"
    >
      <div className="flex items-center gap-1">
        <h4 className="mr-auto text-sm font-medium text-ink-2">{label}</h4>
        {!isFirst && (
          <IconButton label={`Move ${label} up`} onClick={() => onMove(-1)}>
            <ArrowUp aria-hidden />
          </IconButton>
        )}
        {!isLast && (
          <IconButton label={`Move ${label} down`} onClick={() => onMove(1)}>
            <ArrowDown aria-hidden />
          </IconButton>
        )}
        {!(isFirst && isLast) && (
          <IconButton label={`Remove ${label}`} onClick={onRemove}>
            <X aria-hidden />
          </IconButton>
        )}
      </div>
      {children}
    </li>
  )
}

/** The list with one entry moved by one place. */
export function moved<Each>(list: readonly Each[], index: number, by: 1 | -1): Each[] {
  const next = [...list]
  const [entry] = next.splice(index, 1)
  next.splice(index + by, 0, entry!)
  return next
}
