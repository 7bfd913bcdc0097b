import { describe, Field, TextArea } from './field.tsx'

interface LinesFieldProps {
  /** Path of the list in the schema. */
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly placeholder?: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly problem: (path: string) => string | undefined
  readonly onBlur?: () => void
  readonly optional?: boolean
}

/** A short list that is written one on each line. */
export function LinesField({
  id,
  label,
  hint,
  placeholder,
  value,
  onChange,
  problem,
  onBlur,
  optional,
}: LinesFieldProps) {
  const error = problem(id) ?? findProblem(id, toLines(value), problem)
  return (
    <Field id={id} label={label} hint={hint} error={error} optional={optional === true}>
      <TextArea
        {...describe(id, error)}
        mono
        rows={Math.min(6, Math.max(2, value.split('\n').length))}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onBlur={onBlur}
      />
    </Field>
  )
}

export function toLines(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function findProblem(id: string, lines: readonly string[], problem: LinesFieldProps['problem']): string | undefined {
  const at = lines.findIndex((_, index) => problem(`${id}.${index}`) !== undefined)
  return at === -1 ? undefined : `${lines[at]}: ${problem(`${id}.${at}`)}`
}
