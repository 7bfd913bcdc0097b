import type { ReactNode } from 'react'
import { describe, Field, Input } from './field.tsx'

interface NumberFieldProps {
  /** The path of the field in its form. */
  readonly id: string
  readonly label: string
  readonly hint?: ReactNode
  /** Null while there is none. */
  readonly value: number | null
  readonly onChange: (value: number | null) => void
  readonly min: number
  readonly max: number
  readonly error?: string | undefined
  readonly onBlur?: () => void
  readonly disabled?: boolean
  readonly className?: string
}

/** A whole number between two others. */
export function NumberField({
  id,
  label,
  hint,
  value,
  onChange,
  min,
  max,
  error,
  className,
  ...rest
}: NumberFieldProps) {
  const problem = error === undefined ? undefined : `Write a whole number from ${min} to ${max.toLocaleString()}.`
  return (
    <Field id={id} label={label} hint={hint} error={problem} {...(className !== undefined && { className })}>
      <div className="max-w-40">
        <Input
          {...describe(id, problem)}
          {...rest}
          type="number"
          min={min}
          max={max}
          value={value ?? ''}
          onChange={({ target }) => onChange(target.value === '' ? null : target.valueAsNumber)}
          className="tnum"
        />
      </div>
    </Field>
  )
}
