import type { DiscoveryReport } from '@herma/contract'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { explain } from '../../ui/explain.ts'
import { count } from '../../ui/format.ts'
import { StatusDot } from '../../ui/status-dot.tsx'
import { Part } from './plan-view.tsx'

const testTimeoutMs = 600_000

/** How an install or a removal went, and a test of what is new. */
export function ReportView({ report }: { report: DiscoveryReport }) {
  const { status, details, files_updated: files, commands_run: commands, warnings, errors } = report
  const isOk = status === 'ok'
  return (
    <output className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <StatusDot tone={isOk ? 'ok' : 'bad'}>
        <span className="font-medium">{isOk ? 'Done.' : 'It failed, and everything is as it was before.'}</span>
      </StatusDot>
      {errors.map((text) => (
        <StatusDot key={text} tone="bad">
          {text}
        </StatusDot>
      ))}
      {warnings.map((text) => (
        <StatusDot key={text} tone="warn">
          {text}
        </StatusDot>
      ))}
      <Part title="Connectors">
        {[...details.added, ...details.replaced].map((name) => (
          <NewConnector key={name} name={name} />
        ))}
      </Part>
      <Part title="Removed">{details.removed.map(toItem)}</Part>
      <Part title="Kept">{details.kept.map(toItem)}</Part>
      <Part title="Secrets by name">{details.secrets.map(toItem)}</Part>
      <Part title="Tools">{details.tools.map(toItem)}</Part>
      <Part title="Files">{files.map(toItem)}</Part>
      <Part title="What the hub runs">{commands.map(toItem)}</Part>
    </output>
  )
}

const toItem = (text: string) => (
  <li key={text} className="py-1 font-mono text-sm [overflow-wrap:anywhere]">
    {text}
  </li>
)

function NewConnector({ name }: { name: string }) {
  const test = useMutation({
    mutationFn: () => api.testConnector({ name, body: {} }, { timeoutMs: testTimeoutMs }),
  })
  return (
    <li className="grid gap-1 py-2">
      <span className="flex flex-wrap items-center gap-3">
        <Link to="/connectors/$name" params={{ name }} className="mr-auto font-medium underline underline-offset-2">
          {name}
        </Link>
        <Button size="sm" pending={test.isPending} aria-label={`Test ${name}`} onClick={() => test.mutate()}>
          Test
        </Button>
      </span>
      <span aria-live="polite" className="text-sm">
        {test.data !== undefined && (
          <StatusDot tone={test.data.ok ? 'ok' : 'bad'}>
            {test.data.ok
              ? `It works: ${count(test.data.tools.length, 'tool')}.`
              : `${test.data.cause ?? 'It does not work.'} ${test.data.fix ?? ''}`}
          </StatusDot>
        )}
        {test.error !== null && <StatusDot tone="bad">{explain(test.error)}</StatusDot>}
      </span>
    </li>
  )
}
