import type { ComponentProps, ReactNode } from 'react'
import { cn } from '../cn.ts'

interface FieldProps {
  readonly id: string
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly optional?: boolean
  readonly className?: string
  readonly children: ReactNode
}

/**
 * A label, a control, and below it what helps or what is wrong. Give the control `{...describe(id, error)}`, so that both
 * are read out with it.
 */
export function Field({ id, label, hint, error, optional, className, children }: FieldProps) {
  return (
    <div className={cn('grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-1', className)}>
      <label htmlFor={id} className="text-sm font-medium text-ink">
        {label} {optional && <span className="font-normal text-ink-3">optional</span>}
      </label>
      {children}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-sm text-bad">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-ink-3">
          {hint}
        </p>
      )}
    </div>
  )
}

/** The attributes of a control inside a Field. */
export function describe(id: string, error?: string) {
  return {
    id,
    'aria-describedby': error === undefined ? `${id}-hint` : `${id}-error ${id}-hint`,
    'aria-invalid': error === undefined ? undefined : true,
  } as const
}

type InputProps = ComponentProps<'input'> & { mono?: boolean }

/** One line of text. `mono` is for what a machine reads. */
export function Input({ className, mono, ...rest }: InputProps) {
  return (
    <span className="field-box flex min-w-0" data-invalid={rest['aria-invalid'] === true}>
      <input
        autoComplete="off"
        {...(mono ? machineText : {})}
        className={cn(
          'h-8 w-full min-w-0 rounded-md bg-transparent px-2.5 text-base text-ink outline-none placeholder:text-ink-3 pointer-coarse:h-11 pointer-coarse:text-lg',
          mono && 'font-mono text-sm',
          className,
        )}
        {...rest}
      />
    </span>
  )
}

/** Several lines of text. */
export function TextArea({ className, mono, ...rest }: ComponentProps<'textarea'> & { mono?: boolean }) {
  return (
    <span className="field-box flex min-w-0" data-invalid={rest['aria-invalid'] === true}>
      <textarea
        rows={4}
        {...(mono ? machineText : {})}
        className={cn(
          'w-full min-w-0 rounded-md bg-transparent px-2.5 py-1.5 text-base text-ink outline-none placeholder:text-ink-3 pointer-coarse:text-lg',
          mono && 'font-mono text-sm',
          className,
        )}
        {...rest}
      />
    </span>
  )
}

/** A choice among a few. The browser's own list works with every key, screen and reader. */
export function Select({ className, children, ...rest }: ComponentProps<'select'>) {
  return (
    <span className="field-box flex min-w-0" data-invalid={rest['aria-invalid'] === true}>
      <select
        className={cn(
          'h-8 w-full min-w-0 rounded-md bg-surface px-2 text-base text-ink outline-none pointer-coarse:h-11',
          className,
        )}
        {...rest}
      >
        {children}
      </select>
    </span>
  )
}

const machineText = { spellCheck: false, autoCapitalize: 'off', autoCorrect: 'off' } as const
