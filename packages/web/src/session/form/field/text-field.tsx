import type { ComponentProps, ReactNode } from 'react'
import { describe, Field, Input } from '../../../ui/form/field.tsx'
import type { FormPart } from './form-part.ts'

type TextFieldProps = FormPart &
  Omit<ComponentProps<typeof Input>, 'form' | 'value' | 'onChange' | 'id'> & {
    /** The path of the field. */
    readonly id: string
    readonly label: string
    readonly hint?: ReactNode
    readonly optional?: boolean
    readonly value: string
    readonly onChange: (value: string) => void
    /** In place of what the schema says, where that would be hard to read. */
    readonly error?: string
    readonly isNarrow?: boolean
  }

/** One line of text of the session. */
export function TextField({
  form,
  id,
  label,
  hint,
  optional,
  value,
  onChange,
  error,
  isNarrow,
  ...rest
}: TextFieldProps) {
  const found = form.problem(id)
  const problem = found === undefined ? undefined : (error ?? found)
  return (
    <Field id={id} label={label} hint={hint} error={problem} {...(optional === true && { optional })}>
      <div className={isNarrow === true ? 'max-w-40' : ''}>
        <Input
          {...describe(id, problem)}
          {...rest}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onBlur={() => form.touch(id)}
        />
      </div>
    </Field>
  )
}
