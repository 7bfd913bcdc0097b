import type { CompositeInput, DryRunReport } from '@herma/contract'
import { useMutation } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { SchemaForm } from '../../ui/schema/schema-form.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { CompositeForm, type CompositeKind, type Definition } from './composite-draft.ts'

/** Which calls a definition would make with these arguments. Nothing is called. */
export function DryRun({ kind, definition }: { kind: CompositeKind; definition: Definition }) {
  const [args, setArgs] = useState<Record<string, unknown>>({})
  const run = useMutation({
    mutationFn: (tried: CompositeInput) => api.dryRun({ body: { definition: tried, arguments: args } }),
  })
  // A draft without a name can be tried, too.
  const { data: tried } = CompositeForm.safeParse({ kind, definition: { ...definition, ...stand(definition) } })
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 p-3">
      <p className="text-sm text-ink-2">Shows which tools it would call, and with what. Nothing is called.</p>
      <SchemaForm id="dry" schema={definition['inputSchema']} value={args} onChange={setArgs} />
      {tried !== undefined ? (
        <Button className="justify-self-start" pending={run.isPending} onClick={() => run.mutate(tried)}>
          <FlaskConical aria-hidden />
          Dry run
        </Button>
      ) : (
        <p className="text-sm text-ink-3">Say first which tools it calls.</p>
      )}
      <div aria-live="polite" className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {run.error !== null && <Failure title="The dry run was refused." error={run.error} />}
        {run.data !== undefined && <Report report={run.data} />}
      </div>
    </div>
  )
}

function stand({ name, description }: Definition): Definition {
  return { name: name === '' ? 'draft' : name, description: description === '' ? 'Draft.' : description }
}

function Report({ report: { calls, problems } }: { report: DryRunReport }) {
  return (
    <>
      {problems.map((problem) => (
        <StatusDot key={problem} tone="bad">
          {problem}
        </StatusDot>
      ))}
      {calls.length === 0 && problems.length === 0 && <p className="text-sm text-ink-2">It would call nothing.</p>}
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-2" aria-label="Calls that would be made">
        {calls.map(({ step, server, tool, arguments: args, note }, index) => (
          <li key={index} className="grid grid-cols-[minmax(0,1fr)] gap-1 rounded-md border border-line px-3 py-2">
            <p className="text-sm [overflow-wrap:anywhere]">
              {step}: <code className="font-mono font-medium">{server === null ? tool : `${server}/${tool}`}</code>
              {note !== null && <span className="text-ink-3"> ({note})</span>}
            </p>
            <code className="font-mono text-sm text-ink-2 [overflow-wrap:anywhere] whitespace-pre-wrap">
              {JSON.stringify(args, null, 2)}
            </code>
          </li>
        ))}
      </ol>
    </>
  )
}
