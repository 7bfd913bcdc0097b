import type { ServerTestRequest, ServerView, TestReport as Report } from '@herma/contract'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { PathField } from '../../form/path-field.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field, Select } from '../../ui/form/field.tsx'
import { JsonBox } from '../../ui/json-box.tsx'
import { initialValues, missingFields, readFields } from '../../ui/schema/schema-fields.ts'
import { SchemaForm } from '../../ui/schema/schema-form.tsx'
import { TestReport } from '../../ui/test-report.tsx'

/** A test of a server: the last report, and how to run another. */
export interface Trial {
  readonly report: Report | null
  readonly error: unknown
  readonly ranAt: string | null
  readonly isRunning: boolean
  readonly run: (request?: ServerTestRequest) => void
}

/** Uses a server as a client would: handshake, list of tools, and a call of one of them. */
export function ServerTrial({ server, trial }: { server: ServerView; trial: Trial }) {
  const { report, error, ranAt, isRunning, run } = trial
  const tools = report?.tools.filter(isTool) ?? []
  return (
    <>
      <TestReport
        title="Test connection"
        intro="Uses the server as a client would: initialize, then tools/list. A sample call can follow."
        report={report}
        error={error}
        ranAt={ranAt}
        isRunning={isRunning}
        onRun={() => run()}
        file={`${server.name.replace(':', '-')}-test`}
      />
      {tools.length > 0 && (
        <Card title="Sample call" hint="A real call: it does what the tool does, and leaves a trace.">
          <SampleCall tools={tools} isRunning={isRunning} onCall={run} />
          {report?.call !== undefined && !isRunning && (
            <div className="grid grid-cols-[minmax(0,1fr)] gap-1 border-t border-line px-4 py-3">
              <h3 className="text-sm font-medium">Result</h3>
              <JsonBox value={report.call} label="the result" />
              {report.traceId !== undefined && (
                <Link to="/traces" search={{ trace: report.traceId }} className="justify-self-start underline">
                  See the trace of this call
                </Link>
              )}
            </div>
          )}
        </Card>
      )}
    </>
  )
}

interface Tool {
  readonly name: string
  readonly inputSchema?: { readonly properties?: Readonly<Record<string, unknown>> }
}

interface SampleCallProps {
  readonly tools: readonly Tool[]
  readonly isRunning: boolean
  readonly onCall: (request: ServerTestRequest) => void
}

function SampleCall({ tools, isRunning, onCall }: SampleCallProps) {
  const [name, setName] = useState(tools[0]?.name ?? '')
  const tool = tools.find((each) => each.name === name) ?? tools[0]
  if (tool === undefined) return null
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 px-4 py-3">
      <Field id="sample-tool" label="Tool" className="max-w-96">
        <Select id="sample-tool" value={tool.name} onChange={(event) => setName(event.target.value)}>
          {tools.map((each) => (
            <option key={each.name}>{each.name}</option>
          ))}
        </Select>
      </Field>
      {/* Another tool begins with its own defaults. */}
      <SampleForm key={tool.name} tool={tool} isRunning={isRunning} onCall={onCall} />
    </div>
  )
}

function SampleForm({ tool, isRunning, onCall }: Omit<SampleCallProps, 'tools'> & { tool: Tool }) {
  const takesCwd = tool.inputSchema?.properties?.['cwd'] !== undefined
  const schema = useMemo(() => (takesCwd ? withoutCwd(tool) : tool.inputSchema), [tool, takesCwd])
  const fields = useMemo(() => readFields(schema), [schema])
  const [values, setValues] = useState(() => initialValues(fields))
  const [cwd, setCwd] = useState('')
  const [missing, setMissing] = useState<readonly string[]>([])
  function call() {
    const lacking = missingFields(fields, values)
    setMissing(lacking)
    if (lacking.length > 0 || isRunning) return
    onCall({ tool: tool.name, arguments: values, ...(cwd.trim() !== '' && { cwd: cwd.trim() }) })
  }
  return (
    <>
      <SchemaForm id="sample" schema={schema} value={values} onChange={setValues} />
      {takesCwd && (
        <Field id="sample-cwd" label="Working directory (cwd)" optional hint="Empty: the default one.">
          <PathField
            id="sample-cwd"
            aria-describedby="sample-cwd-hint"
            kind="folder"
            label="the working directory of the call"
            canBrowse
            value={cwd}
            onChange={setCwd}
          />
        </Field>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button pending={isRunning} onClick={call}>
          Call {tool.name}
        </Button>
        <output className="text-sm text-bad">{missing.length > 0 && `Still needed: ${missing.join(', ')}.`}</output>
      </div>
    </>
  )
}

function withoutCwd({ inputSchema }: Tool) {
  const { cwd: _, ...properties } = inputSchema?.properties ?? {}
  return { ...inputSchema, properties }
}

function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && typeof (value as Tool).name === 'string'
}
