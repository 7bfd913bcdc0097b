import type { ReactNode } from 'react'
import { cn } from '../cn.ts'

interface SwitchProps {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  /** Names it. Shown beside it, unless `isLabelHidden`. */
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly isLabelHidden?: boolean
  readonly disabled?: boolean
  readonly id?: string
}

/** On or off, at once. */
export function Switch({ checked, onChange, label, hint, isLabelHidden, disabled, id }: SwitchProps) {
  return (
    <label
      className={cn('flex min-h-8 items-start gap-2.5 py-1.5 pointer-coarse:min-h-11', isLabelHidden && 'w-9 gap-0')}
    >
      <span className="relative mt-0.5 h-4 w-7 shrink-0">
        <input
          id={id}
          type="checkbox"
          role="switch"
          aria-checked={checked}
          checked={checked}
          disabled={disabled}
          onChange={(event) => onChange(event.target.checked)}
          className="peer absolute inset-0 z-10 m-0 size-full opacity-0"
        />
        <span
          aria-hidden
          className="absolute inset-0 rounded-full border border-line-strong bg-well peer-checked:border-accent peer-checked:bg-accent peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-accent peer-disabled:opacity-50"
        />
        <span
          aria-hidden
          className="absolute top-1 left-1 size-2 rounded-full bg-ink-3 transition-transform peer-checked:translate-x-3 peer-checked:bg-accent-ink"
        />
      </span>
      <span className={cn('min-w-0', isLabelHidden && 'sr-only')}>
        <span className="block text-base">{label}</span>
        {hint !== undefined && <span className="block text-sm text-ink-3">{hint}</span>}
      </span>
    </label>
  )
}
