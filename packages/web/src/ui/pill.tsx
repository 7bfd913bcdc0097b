import type { ReactNode } from 'react'
import { cn } from './cn.ts'

interface PillProps {
  readonly isOn: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

/** A filter that is on or off. */
export function Pill({ isOn, onClick, children }: PillProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onClick}
      className={cn(
        'h-8 rounded-full border border-line-strong px-3 text-sm text-ink-2 hover:bg-well pointer-coarse:h-11',
        isOn && 'border-accent bg-accent-soft font-medium text-accent-text hover:bg-accent-soft',
      )}
    >
      {children}
    </button>
  )
}
