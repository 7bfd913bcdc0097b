import type { Binding, ConnectorView } from '@herma/contract'
import { Trash2 } from 'lucide-react'
import { describeValue } from '../connector/form/option-control.tsx'
import { optionGroups } from '../connector/form/draft/option-fields.ts'
import type { Form } from '../form/use-form.ts'
import { IconButton } from '../ui/button.tsx'
import { describe, Field, Input, Select } from '../ui/form/field.tsx'
import { linkOptions, type BindingDraft, type LinkOption } from './binding-draft.ts'

interface OptionOverridesProps {
  readonly form: Form<BindingDraft, Binding>
  readonly connector: ConnectorView
}

const all = optionGroups.flatMap(({ fields }) => fields)
const fieldOf = (name: LinkOption) => all.find((field) => field.name === name)!

/** Options that differ: each is chosen from those that one session can have otherwise, never typed. */
export function OptionOverrides({ form, connector }: OptionOverridesProps) {
  const { options } = form.draft
  const given = linkOptions.filter((name) => options[name] !== undefined)
  const others = linkOptions.filter((name) => options[name] === undefined)
  const set = (name: LinkOption, value: string) => form.change({ options: { ...options, [name]: value } })
  function add(name: LinkOption) {
    set(name, String(connector.options[name]))
    requestAnimationFrame(() => document.getElementById(`options.${name}`)?.focus())
  }
  function remove(name: LinkOption) {
    const { [name]: _, ...rest } = options
    form.change({ options: rest })
    requestAnimationFrame(() => document.getElementById('options')?.focus())
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {given.map((name) => (
        <div key={name} className="flex items-start gap-1">
          <div className="min-w-0 flex-1">
            <Control name={name} value={options[name]!} error={form.problem(`options.${name}`)} onChange={set} />
          </div>
          <IconButton label={`Take back ${fieldOf(name).label}`} className="mt-6" onClick={() => remove(name)}>
            <Trash2 aria-hidden />
          </IconButton>
        </div>
      ))}
      {others.length > 0 && (
        <div className="max-w-64">
          <Select
            id="options"
            aria-label="Override an option"
            value=""
            onChange={(event) => add(event.target.value as LinkOption)}
          >
            <option value="">Override an option…</option>
            {others.map((name) => (
              <option key={name} value={name}>
                {fieldOf(name).label}
              </option>
            ))}
          </Select>
        </div>
      )}
    </div>
  )
}

interface ControlProps {
  readonly name: LinkOption
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (name: LinkOption, value: string) => void
}

function Control({ name, value, error, onChange }: ControlProps) {
  const field = fieldOf(name)
  const { label, choices } = field
  const id = `options.${name}`
  const problem =
    error === undefined ? undefined : choices.length > 0 ? error : 'Write a whole number that is not too large.'
  return (
    <Field id={id} label={label} hint={describeValue(field, value)} error={problem}>
      <div className="max-w-64">
        {choices.length > 0 ? (
          <Select {...describe(id, problem)} value={value} onChange={(event) => onChange(name, event.target.value)}>
            {choices.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </Select>
        ) : (
          <Input
            {...describe(id, problem)}
            inputMode="numeric"
            className="tnum"
            value={value}
            onChange={(event) => onChange(name, event.target.value)}
          />
        )}
      </div>
    </Field>
  )
}
