import type { TestReport, ToolDetail } from '@herma/contract'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { formatMs } from '../../ui/format.ts'
import { JsonBox } from '../../ui/json-box.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { initialValues, missingFields, readFields } from '../../ui/schema/schema-fields.ts'
import { SchemaForm } from '../../ui/schema/schema-form.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

const testTimeoutMs = 600_000

/** A real call of a tool, as a client would make it. */
export function TryTool({ detail: { name, fields } }: { detail: ToolDetail }) {
  const schema = fields.find(({ field }) => field === 'inputSchema')?.exposed
  const inputs = useMemo(() => readFields(schema), [schema])
  const [args, setArgs] = useState<Record<string, unknown>>(() => initialValues(inputs))
  const [missing, setMissing] = useState<readonly string[]>([])
  const call = useMutation({
    mutationFn: (tool: string) =>
      api.testServer({ name: 'facade', body: { tool, arguments: args } }, { timeoutMs: testTimeoutMs }),
  })
  if (name === null)
    return <p className="p-4 text-ink-2">Clients do not see it, so it cannot be called. Show it first.</p>
  function run(tool: string) {
    const needed = missingFields(inputs, args)
    setMissing(needed)
    if (needed.length === 0) call.mutate(tool)
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <p className="text-sm text-ink-2">This calls the tool for real, through the hub, as a client would.</p>
      <SchemaForm id="try" schema={schema} value={args} onChange={setArgs} />
      {missing.length > 0 && <p className="text-sm text-bad">Still needed: {missing.join(', ')}.</p>}
      <Button className="justify-self-start" pending={call.isPending} onClick={() => run(name)}>
        <Play aria-hidden />
        Call {name}
      </Button>
      <div aria-live="polite" className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {call.error !== null && <Failure title="The call could not be made." error={call.error} />}
        {call.data !== undefined && <Outcome report={call.data} />}
      </div>
    </div>
  )
}

function Outcome({ report }: { report: TestReport }) {
  const stage = report.stages.find((each) => each.name === 'call')
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3">
        <StatusDot tone={report.ok ? 'ok' : 'bad'}>
          {report.ok ? `Answered in ${formatMs(stage?.ms)}` : `${report.cause ?? 'It failed.'} ${report.fix ?? ''}`}
        </StatusDot>
        {report.traceId !== undefined && (
          <Link to="/traces" search={{ trace: report.traceId }} className="text-sm underline">
            See its trace
          </Link>
        )}
      </div>
      {report.call !== undefined && <JsonBox value={report.call} label="the result" />}
    </>
  )
}
