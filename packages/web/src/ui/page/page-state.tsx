import type { UseQueryResult } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { explain } from '../explain.ts'

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>
  /** What is being asked for: 'the connectors'. */
  readonly what: string
  readonly children: (data: Data) => ReactNode
}

/** The answer of a query, or why there is none yet. What was known before stays when a later answer fails. */
export function Loaded<Data>({ query, what, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (query.error !== null)
    return <Failure title={`Cannot show ${what}.`} error={query.error} onRetry={() => void query.refetch()} />
  return <Loading what={what} />
}

/** A calm placeholder that says what it waits for. */
export function Loading({ what }: { what: string }) {
  return (
    <output className="grid gap-2 rounded-lg border border-line bg-surface p-4">
      <span className="text-ink-3">Asking for {what}…</span>
      <span aria-hidden className="h-3 w-2/3 animate-pulse rounded-sm bg-well" />
      <span aria-hidden className="h-3 w-1/2 animate-pulse rounded-sm bg-well" />
    </output>
  )
}

interface FailureProps {
  readonly title: string
  readonly error: unknown
  readonly onRetry?: () => void
  /** A button that mends it. */
  readonly fix?: ReactNode
}

/** What went wrong, why, and what can be done. It stays until it is mended. */
export function Failure({ title, error, onRetry, fix }: FailureProps) {
  return (
    <div role="alert" className="flex min-w-0 items-start gap-2 rounded-lg border border-transparent bg-bad-soft p-3">
      <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
      <div className="grid min-w-0 gap-1">
        <p className="font-medium text-bad">{title}</p>
        <p className="[overflow-wrap:anywhere]">{explain(error)}</p>
        {(onRetry !== undefined || fix !== undefined) && (
          <div className="mt-1 flex flex-wrap gap-2">
            {fix}
            {onRetry !== undefined && (
              <Button size="sm" onClick={onRetry}>
                Try again
              </Button>
            )}
          </div>
        )}
      </div>
    </div>
  )
}

/** A list that has nothing in it yet: what belongs here and how to begin. */
export function Empty({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className="grid justify-items-center gap-2 rounded-lg border border-dashed border-line-strong px-4 py-10 text-center">
      <p className="text-lg font-medium">{title}</p>
      {children !== undefined && <div className="max-w-[60ch] text-ink-2">{children}</div>}
      {actions !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  )
}
