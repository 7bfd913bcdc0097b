import { useMemo, useState } from 'react'
import { TextArea } from '../form/field.tsx'
import { Tabs } from '../tabs.tsx'
import { FieldList } from './schema-field-list.tsx'
import { readFields } from './schema-fields.ts'

interface SchemaFormProps {
  /** Begins the ids of the controls. */
  readonly id: string
  /** Of an object, such as the arguments of a tool. */
  readonly schema: unknown
  readonly value: Readonly<Record<string, unknown>>
  readonly onChange: (value: Record<string, unknown>) => void
}

/** A form for whatever a JSON schema describes, and the same as JSON. */
export function SchemaForm({ id, schema, value, onChange }: SchemaFormProps) {
  const fields = useMemo(() => readFields(schema), [schema])
  return (
    <Tabs
      label="Arguments"
      listClassName="px-0"
      tabs={[
        { id: 'form', label: 'Form', body: <FieldList id={id} fields={fields} value={value} onChange={onChange} /> },
        { id: 'json', label: 'JSON', body: <JsonEditor id={`${id}-json`} value={value} onChange={onChange} /> },
      ]}
    />
  )
}

/** An object as text, taken over as soon as it can be read. */
function JsonEditor({ id, value, onChange }: Omit<SchemaFormProps, 'schema'>) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2))
  const [problem, setProblem] = useState<string | null>(null)
  function read(next: string) {
    setText(next)
    try {
      const parsed: unknown = JSON.parse(next)
      if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
        throw new Error('Write an object: { … }')
      setProblem(null)
      onChange(parsed as Record<string, unknown>)
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1 py-3">
      <TextArea
        id={id}
        mono
        rows={8}
        aria-label="Arguments as JSON"
        aria-invalid={problem !== null || undefined}
        aria-describedby={`${id}-problem`}
        value={text}
        onChange={(event) => read(event.target.value)}
      />
      <p id={`${id}-problem`} className="text-sm text-bad">
        {problem}
      </p>
    </div>
  )
}
