import { useState } from 'react'
import { describe, Field, Input, Select, TextArea } from '../form/field.tsx'
import { Chips } from '../list-editor/chips.tsx'
import type { SchemaField } from './schema-fields.ts'

interface FieldListProps {
  readonly id: string
  readonly fields: readonly SchemaField[]
  readonly value: Readonly<Record<string, unknown>>
  readonly onChange: (value: Record<string, unknown>) => void
}

/** The fields of an object, one below the other. A field without a value is not part of it. */
export function FieldList({ id, fields, value, onChange }: FieldListProps) {
  const change = (name: string, next: unknown) => {
    const rest = Object.fromEntries(Object.entries(value).filter(([each]) => each !== name))
    onChange(next === undefined ? rest : { ...rest, [name]: next })
  }
  if (fields.length === 0) return <p className="py-3 text-ink-3">It takes no arguments.</p>
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 py-3">
      {fields.map((field) => (
        <SchemaControl
          key={field.name}
          id={`${id}.${field.name}`}
          field={field}
          value={value[field.name]}
          onChange={(next) => change(field.name, next)}
        />
      ))}
    </div>
  )
}

interface SchemaControlProps {
  readonly id: string
  readonly field: SchemaField
  readonly value: unknown
  /** undefined = not given. */
  readonly onChange: (value: unknown) => void
}

/** The control of one field of a schema, with its name and what the schema says about it. */
function SchemaControl(props: SchemaControlProps) {
  const { id, field, value, onChange } = props
  if (field.kind === 'object')
    return (
      <fieldset className="min-w-0 rounded-md border border-line px-3">
        <legend className="px-1 text-sm font-medium">{field.label}</legend>
        {field.description !== '' && <p className="text-sm text-ink-3">{field.description}</p>}
        <FieldList id={id} fields={field.fields} value={asObject(value)} onChange={onChange} />
      </fieldset>
    )
  return (
    <Field
      id={id}
      label={field.label}
      optional={!field.isRequired}
      {...(field.description !== '' && { hint: field.description })}
    >
      <Control {...props} />
    </Field>
  )
}

function Control({ id, field, value, onChange }: SchemaControlProps) {
  switch (field.kind) {
    case 'text': {
      const text = typeof value === 'string' ? value : ''
      // An optional text that was emptied is not given; one that must be given may be empty.
      const change = (next: string) => onChange(next === '' && !field.isRequired ? undefined : next)
      if (field.isLong)
        return <TextArea {...describe(id)} rows={2} value={text} onChange={(event) => change(event.target.value)} />
      return <Input {...describe(id)} value={text} onChange={(event) => change(event.target.value)} />
    }
    case 'number':
      return <NumberControl id={id} value={value} onChange={onChange} />
    case 'boolean':
      return <ChoiceControl id={id} choices={[true, false]} value={value} onChange={onChange} />
    case 'choice':
      return <ChoiceControl id={id} choices={field.choices} value={value} onChange={onChange} />
    case 'list':
      return (
        <Chips
          id={id}
          noun="value"
          values={Array.isArray(value) ? value.map(String) : []}
          describedBy={`${id}-hint`}
          onChange={(next) => onChange(next.length === 0 ? undefined : field.isNumeric ? next.map(toNumber) : next)}
        />
      )
    default:
      return (
        <JsonControl id={id} example={field.kind === 'json' ? field.example : {}} value={value} onChange={onChange} />
      )
  }
}

type PartProps = Omit<SchemaControlProps, 'field'>

function NumberControl({ id, value, onChange }: PartProps) {
  const [text, setText] = useState(typeof value === 'number' ? String(value) : '')
  return (
    <Input
      {...describe(id)}
      inputMode="decimal"
      value={text}
      onChange={(event) => {
        setText(event.target.value)
        // What is no number is sent as it is, so that the server says what it wants.
        onChange(event.target.value === '' ? undefined : toNumber(event.target.value))
      }}
    />
  )
}

function ChoiceControl({ id, choices, value, onChange }: PartProps & { choices: readonly unknown[] }) {
  const at = choices.indexOf(value)
  return (
    <Select {...describe(id)} value={at} onChange={(event) => onChange(choices[Number(event.target.value)])}>
      <option value={-1}>not given</option>
      {choices.map((choice, index) => (
        <option key={index} value={index}>
          {String(choice)}
        </option>
      ))}
    </Select>
  )
}

function JsonControl({ id, example, value, onChange }: PartProps & { example: unknown }) {
  const shape = JSON.stringify(example, null, 2)
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2))
  const [problem, setProblem] = useState<string | undefined>(undefined)
  function read(next: string) {
    setText(next)
    try {
      onChange(next.trim() === '' ? undefined : JSON.parse(next))
      setProblem(undefined)
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  return (
    <>
      <TextArea
        {...describe(id, problem)}
        mono
        rows={Math.min(10, Math.max(3, shape.split('\n').length))}
        placeholder={shape}
        value={text}
        onChange={(event) => read(event.target.value)}
      />
      {problem !== undefined && (
        <p id={`${id}-error`} className="text-sm text-bad">
          {problem}
        </p>
      )}
    </>
  )
}

function toNumber(text: string): number | string {
  const number = Number(text)
  return text.trim() === '' || Number.isNaN(number) ? text : number
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
