import type { DiscoveryNeed } from '@herma/contract'
import { useMay } from '../../api/me.ts'
import { PathField } from '../../form/path-field.tsx'
import { Badge } from '../../ui/badge.tsx'
import { describe, Field, Input, Select, TextArea } from '../../ui/form/field.tsx'
import { SecretInput } from '../../ui/form/secret-input.tsx'

interface NeedFieldsProps {
  readonly needs: readonly DiscoveryNeed[]
  readonly values: Readonly<Record<string, string>>
  readonly onChange: (values: Record<string, string>) => void
  readonly problem: (path: string) => string | undefined
}

const places = { env: 'variable', header: 'header', argument: 'argument', url: 'part of the address' }

/** What has to be known before something is installed, as fields. Those that must be filled come first. */
export function NeedFields({ needs, values, onChange, problem }: NeedFieldsProps) {
  const ordered = needs.toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired))
  return ordered.map((need) => {
    const path = `values.${need.id}`
    const error = problem(path)
    return (
      <Field
        key={need.id}
        id={path}
        label={
          <>
            <span className="font-mono [overflow-wrap:anywhere]">{need.name}</span>{' '}
            <Badge className="ml-1">{places[need.in]}</Badge>
          </>
        }
        optional={!need.isRequired}
        hint={describeNeed(need)}
        error={error}
      >
        <NeedInput
          need={need}
          attributes={describe(path, error)}
          value={values[need.id] ?? ''}
          onChange={(value) => onChange({ ...values, [need.id]: value })}
        />
      </Field>
    )
  })
}

interface NeedInputProps {
  readonly need: DiscoveryNeed
  readonly attributes: ReturnType<typeof describe>
  readonly value: string
  readonly onChange: (value: string) => void
}

function NeedInput({ need, attributes, value, onChange }: NeedInputProps) {
  const canBrowse = useMay('admin')
  const { name, choices, format, isSecret, isRepeated, placeholder } = need
  const options = format === 'boolean' ? ['true', 'false'] : choices
  const common = { ...attributes, placeholder: placeholder ?? need.default ?? undefined }
  const onText = (event: { target: { value: string } }) => onChange(event.target.value)
  if (isSecret)
    return (
      <SecretInput
        {...common}
        label={name}
        isStored={false}
        value={value}
        onChange={(secret) => onChange(secret ?? '')}
      />
    )
  if (options.length > 0)
    return (
      <Select {...attributes} value={value} onChange={onText}>
        <option value="">{need.default === null ? 'Choose…' : `Default: ${need.default}`}</option>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </Select>
    )
  if (isRepeated) return <TextArea {...common} mono rows={2} value={value} onChange={onText} />
  if (format === 'filepath')
    return <PathField {...common} kind="folder" label={name} canBrowse={canBrowse} value={value} onChange={onChange} />
  return (
    <Input {...common} mono inputMode={format === 'number' ? 'decimal' : undefined} value={value} onChange={onText} />
  )
}

function describeNeed({ description, isSecret, isRepeated, choices, format, default: usual }: DiscoveryNeed): string {
  const parts = [
    description.trim().replace(/\.?$/, description.trim() === '' ? '' : '.'),
    isRepeated ? 'Several: one on each line.' : '',
    isSecret ? 'Stored encrypted and never shown again.' : '',
    usual === null || isSecret || choices.length > 0 || format === 'boolean' ? '' : `Empty: ${usual}`,
  ]
  return parts.filter((part) => part !== '').join(' ')
}
