import type { ReactNode } from 'react'

interface CheckProps {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly disabled?: boolean
  readonly id?: string
}

/** One of several that can be chosen together. */
export function Check({ checked, onChange, label, hint, disabled, id }: CheckProps) {
  return (
    <label className="flex min-h-7 min-w-0 items-start gap-2 pointer-coarse:min-h-11">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <span className="block">{label}</span>
        {hint !== undefined && <span className="block text-sm text-ink-3">{hint}</span>}
      </span>
    </label>
  )
}
