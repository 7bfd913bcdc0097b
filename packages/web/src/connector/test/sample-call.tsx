import type { TestReport, TestRequest } from '@herma/contract'
import { useMemo, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/form/field.tsx'
import { JsonBox } from '../../ui/json-box.tsx'
import { initialValues, missingFields, readFields } from '../../ui/schema/schema-fields.ts'
import { SchemaForm } from '../../ui/schema/schema-form.tsx'

interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: unknown
}

interface SampleCallProps {
  readonly report: TestReport
  readonly isRunning: boolean
  readonly onCall: (request: TestRequest) => void
}

/** Calls a tool with arguments from a form that its schema makes, and shows what came back. */
export function SampleCall({ report: { tools, call }, isRunning, onCall }: SampleCallProps) {
  const known = useMemo(() => tools.flatMap(readTool), [tools])
  const [chosen, setChosen] = useState('')
  const tool = known.find(({ name }) => name === chosen)
  return (
    <details className="border-t border-line px-4 py-2">
      <summary className="text-sm text-ink-2">Call a tool</summary>
      <div className="mt-2 grid grid-cols-[minmax(0,1fr)] gap-2">
        <Field id="sample-tool" label="Tool" {...(tool !== undefined && { hint: tool.description })}>
          <Select
            id="sample-tool"
            aria-describedby="sample-tool-hint"
            value={chosen}
            onChange={(event) => setChosen(event.target.value)}
          >
            <option value="">choose one</option>
            {known.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </Field>
        {tool !== undefined && <Arguments key={tool.name} tool={tool} isRunning={isRunning} onCall={onCall} />}
        {call !== undefined && !isRunning && <JsonBox value={call} label="what it answered" />}
      </div>
    </details>
  )
}

function Arguments({ tool, isRunning, onCall }: Omit<SampleCallProps, 'report'> & { tool: Tool }) {
  const fields = useMemo(() => readFields(tool.inputSchema), [tool])
  const [values, setValues] = useState(() => initialValues(fields))
  const [isTried, setTried] = useState(false)
  const missing = missingFields(fields, values)
  return (
    <>
      <SchemaForm id="sample" schema={tool.inputSchema} value={values} onChange={setValues} />
      {isTried && missing.length > 0 && <p className="text-sm text-bad">Give a value to: {missing.join(', ')}.</p>}
      <Button
        size="sm"
        className="justify-self-start"
        pending={isRunning}
        onClick={() => {
          setTried(true)
          if (isRunning) return
          if (missing.length === 0) onCall({ tool: tool.name, arguments: values })
          else document.getElementById(`sample.${missing[0]}`)?.focus()
        }}
      >
        Call {tool.name}
      </Button>
    </>
  )
}

/** Text of a server, taken as it is as long as it is text. */
function readTool(descriptor: unknown): Tool[] {
  if (typeof descriptor !== 'object' || descriptor === null) return []
  const { name, description, inputSchema } = descriptor as Record<string, unknown>
  if (typeof name !== 'string') return []
  return [{ name, description: typeof description === 'string' ? description : '', inputSchema }]
}
