import type { ToolAnnotations } from '@herma/contract'
import { Input, Select, TextArea } from '../../ui/form/field.tsx'
import { Chips } from '../../ui/list-editor/chips.tsx'
import type { OverrideField } from './override-draft.ts'
import type { OverrideEditing } from './use-override-form.ts'

interface ControlProps {
  readonly field: OverrideField
  readonly label: string
  readonly form: OverrideEditing
}

/** What a field is edited with. */
export function OverrideControl({ field, label, form }: ControlProps) {
  const error = form.problem(field)
  const attributes = {
    id: field,
    'aria-label': `${label}, override`,
    'aria-invalid': error === undefined ? undefined : true,
    'aria-describedby': error === undefined ? undefined : `${field}-error`,
    onBlur: () => form.touch(field),
  } as const
  const change = (value: unknown) => form.change({ [field]: value })
  return (
    <>
      <Control field={field} form={form} attributes={attributes} change={change} />
      {error !== undefined && (
        <p id={`${field}-error`} className="text-sm text-bad">
          {error}
        </p>
      )}
    </>
  )
}

interface InnerProps {
  readonly field: OverrideField
  readonly form: OverrideEditing
  readonly attributes: object
  readonly change: (value: unknown) => void
}

function Control({ field, form: { draft, problem }, attributes, change }: InnerProps) {
  switch (field) {
    case 'name':
    case 'title':
      return (
        <Input
          {...attributes}
          mono={field === 'name'}
          value={draft[field] ?? ''}
          onChange={(event) => change(event.target.value)}
        />
      )
    case 'description':
      return (
        <TextArea {...attributes} value={draft.description ?? ''} onChange={(event) => change(event.target.value)} />
      )
    case 'inputSchema':
    case 'outputSchema':
      return (
        <TextArea
          {...attributes}
          mono
          rows={10}
          value={draft[field] ?? ''}
          onChange={(event) => change(event.target.value)}
        />
      )
    case 'tags':
      return (
        <Chips id="tags" noun="tag" isOrdered={false} values={draft.tags ?? []} onChange={change} problem={problem} />
      )
    case 'enabled':
      return (
        <Select
          {...attributes}
          value={String(draft.enabled)}
          onChange={(event) => change(event.target.value === 'true')}
        >
          <option value="false">Hidden</option>
          <option value="true">Shown, whatever files say</option>
        </Select>
      )
    case 'annotations':
      return <Hints value={draft.annotations ?? {}} onChange={change} />
  }
}

const hintNames = {
  readOnlyHint: 'Changes nothing',
  destructiveHint: 'May destroy',
  idempotentHint: 'Twice is as once',
  openWorldHint: 'Reaches outside',
} as const

/** Each hint can be said or left as it is. */
function Hints({ value, onChange }: { value: ToolAnnotations; onChange: (value: ToolAnnotations) => void }) {
  const hints = Object.entries(hintNames) as [keyof typeof hintNames, string][]
  function set(hint: keyof typeof hintNames, chosen: string) {
    const { [hint]: _, ...rest } = value
    onChange(chosen === '' ? rest : { ...rest, [hint]: chosen === 'true' })
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      {hints.map(([hint, name], index) => (
        <label key={hint} className="grid grid-cols-[minmax(0,1fr)_7.5rem] items-center gap-2 text-sm">
          {name}
          <Select
            id={index === 0 ? 'annotations' : undefined}
            value={value[hint] === undefined ? '' : String(value[hint])}
            onChange={(event) => set(hint, event.target.value)}
          >
            <option value="">As it says</option>
            <option value="true">Yes</option>
            <option value="false">No</option>
          </Select>
        </label>
      ))}
    </div>
  )
}
