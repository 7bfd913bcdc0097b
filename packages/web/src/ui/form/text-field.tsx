import type { ComponentProps } from 'react'
import { describe, Field, Input } from './field.tsx'

type TextFieldProps = Omit<ComponentProps<typeof Input>, 'id' | 'value' | 'onChange' | 'form'> & {
  /** The path of the field in its form. */
  readonly id: string
  readonly label: string
  readonly hint?: string
  readonly optional?: boolean
  readonly value: string
  readonly onText: (text: string) => void
  /** Of useForm: what is wrong is shown once the field was left. */
  readonly form: { problem(path: string): string | undefined; touch(path: string): void }
}

/** One line of text of a form, with its label and what is wrong with it. */
export function TextField({ id, label, hint, optional, value, onText, form, ...rest }: TextFieldProps) {
  const error = form.problem(id)
  return (
    <Field id={id} label={label} optional={optional === true} error={error} {...(hint !== undefined && { hint })}>
      <Input
        {...describe(id, error)}
        {...rest}
        value={value}
        onChange={(event) => onText(event.target.value)}
        // Who has not written anything yet is not told that it is missing.
        onBlur={() => value !== '' && form.touch(id)}
      />
    </Field>
  )
}
