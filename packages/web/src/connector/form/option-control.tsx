import { Badge } from '../../ui/badge.tsx'
import { describe, Field, Input, Select } from '../../ui/form/field.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { formatBytes, formatMs } from '../../ui/format.ts'
import { defaultOptions, type OptionField, type OptionTexts, type OptionName } from './draft/option-fields.ts'

type Value = OptionTexts[OptionName]

interface OptionControlProps {
  readonly field: OptionField
  readonly value: Value
  readonly connectorName: string
  readonly error: string | undefined
  readonly onChange: (value: Value) => void
  readonly onBlur: () => void
}

/** One option with what the contract says about it; a changed one is marked and can go back to its default. */
export function OptionControl(props: OptionControlProps) {
  const { field, value, error, onChange } = props
  const id = `options.${field.name}`
  const isChanged = value !== defaultOptions[field.name]
  if (field.kind === 'switch')
    return (
      <div>
        <Switch id={id} checked={value === true} onChange={onChange} label={field.label} hint={field.description} />
        {isChanged && <Changed field={field} onReset={onChange} />}
      </div>
    )
  return (
    <Field id={id} label={field.label} hint={describeValue(field, value)} error={problemText(field, error)}>
      <Control {...props} id={id} />
      {isChanged && <Changed field={field} onReset={onChange} />}
    </Field>
  )
}

function Control({ id, field, value, connectorName, error, onChange, onBlur }: OptionControlProps & { id: string }) {
  if (field.kind === 'choice')
    return (
      <Select
        {...describe(id, error)}
        value={String(value)}
        onChange={(event) => onChange(event.target.value)}
        onBlur={onBlur}
      >
        {field.choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </Select>
    )
  if (field.kind === 'prefix')
    return (
      <Input
        {...describe(id, error)}
        mono
        value={value === null ? connectorName : String(value)}
        onChange={(event) => onChange(event.target.value)}
        onBlur={onBlur}
      />
    )
  return (
    <Input
      {...describe(id, error)}
      inputMode="numeric"
      className="tnum"
      value={String(value)}
      onChange={(event) => onChange(event.target.value)}
      onBlur={onBlur}
    />
  )
}

function Changed({ field, onReset }: { field: OptionField; onReset: (value: Value) => void }) {
  const standard = defaultOptions[field.name]
  const text = standard === null ? 'the connector’s name' : standard === true ? 'on' : String(standard)
  return (
    <span className="flex items-center gap-2 text-sm text-ink-2">
      <Badge tone="accent">changed</Badge>
      <button
        type="button"
        aria-label={`Set ${field.label} back to ${text}`}
        onClick={() => onReset(standard)}
        className="rounded-sm underline decoration-line-strong underline-offset-4 hover:text-ink pointer-coarse:min-h-11"
      >
        Back to {text}
      </button>
    </span>
  )
}

/** The description, before it the number in a unit that people read. */
export function describeValue({ unit, description }: OptionField, value: Value): string {
  const number = /^\d+$/.test(String(value)) ? Number(value) : 0
  if (unit === null || number === 0) return unit === 'ms' ? `Milliseconds. ${description}` : description
  return `${unit === 'ms' ? `Milliseconds, ${formatMs(number)}` : formatBytes(number)}. ${description}`
}

function problemText({ kind }: OptionField, error: string | undefined): string | undefined {
  return error?.startsWith('Invalid input') && kind === 'number' ? 'Write a whole number.' : error
}
