import type { SessionTest as Test } from '@herma/contract'
import { CircleCheck, CircleX, FlaskConical, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { cn } from '../ui/cn.ts'
import { explain } from '../ui/explain.ts'
import { formatMs } from '../ui/format.ts'

interface SessionTestProps {
  /** null = not run so far. */
  readonly test: Test | null
  readonly error: unknown
  readonly isRunning: boolean
  /** What was tested is not what is on the page now. */
  readonly isStale?: boolean
  /** What the button says before the first run. */
  readonly action?: string
  readonly onRun: () => void
}

const labels: Readonly<Record<string, string>> = {
  settings: 'Settings',
  key: 'Key',
  provider: 'Model answers',
  workspace: 'Folder',
  bindings: 'Connectors',
}

/** Whether a session has all that it needs, stage by stage, and what to do where it has not. */
export function SessionTest({ test, error, isRunning, isStale, action = 'Test', onRun }: SessionTestProps) {
  return (
    <section aria-label="Test" className="min-w-0 overflow-hidden rounded-lg border border-line bg-surface shadow-card">
      <div aria-live="polite" aria-busy={isRunning}>
        <Head test={test} isRunning={isRunning} />
        {error !== null && error !== undefined && !isRunning && (
          <p className="px-4 pb-3 [overflow-wrap:anywhere] text-bad">{explain(error)}</p>
        )}
        {test !== null && !isRunning && <Stages stages={test.stages} />}
      </div>
      <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2">
        <span className="mr-auto text-sm text-warn">{test !== null && isStale && 'The form has changed since.'}</span>
        <Button size="sm" pending={isRunning} aria-disabled={isRunning} onClick={() => !isRunning && onRun()}>
          {test === null ? action : 'Test again'}
        </Button>
      </div>
    </section>
  )
}

function Head({ test, isRunning }: { test: Test | null; isRunning: boolean }) {
  if (isRunning) return <Title sign={<LoaderCircle className="animate-spin" />} title="Testing…" />
  if (test === null)
    return (
      <Title sign={<FlaskConical />} title="Test the session">
        Looks at the settings, the key, the folder and the connectors, and asks the model for one word.
      </Title>
    )
  const ms = test.stages.reduce((sum, stage) => sum + stage.ms, 0)
  return test.ok ? (
    <Title sign={<CircleCheck className="text-ok" />} title={`All is well, after ${formatMs(ms)}`} tone="bg-ok-soft" />
  ) : (
    <Title sign={<CircleX className="text-bad" />} title="Something is missing" tone="bg-bad-soft" />
  )
}

function Title({
  sign,
  title,
  tone,
  children,
}: {
  sign: ReactNode
  title: string
  tone?: string
  children?: ReactNode
}) {
  return (
    <div className={cn('flex gap-2 px-4 py-3', tone)}>
      <span aria-hidden className="mt-0.5 text-ink-3 *:size-4">
        {sign}
      </span>
      <div className="min-w-0">
        <h2 className="text-base font-semibold">{title}</h2>
        {children !== undefined && <p className="text-sm text-ink-2">{children}</p>}
      </div>
    </div>
  )
}

function Stages({ stages }: { stages: Test['stages'] }) {
  return (
    <ol aria-label="Stages" className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-line px-4 py-3">
      {stages.map(({ name, ok, ms, detail, fix }) => {
        const Sign = ok ? CircleCheck : CircleX
        return (
          <li key={name} className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-2">
            <Sign className={cn('size-4', ok ? 'text-ok' : 'text-bad')} aria-hidden />
            <span className="font-medium">
              {labels[name] ?? name}
              <span className="sr-only">, {ok ? 'fine' : 'failed'}</span>
            </span>
            <span className="tnum text-sm text-ink-3">{formatMs(ms)}</span>
            <span
              className={cn('col-span-2 col-start-2 text-sm [overflow-wrap:anywhere]', ok ? 'text-ink-3' : 'text-bad')}
            >
              {detail}
            </span>
            {fix !== null && (
              <span className="col-span-2 col-start-2 text-sm [overflow-wrap:anywhere] text-ink-2">{fix}</span>
            )}
          </li>
        )
      })}
    </ol>
  )
}
