import { useMutation } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { useMay } from '../api/me.ts'
import { Failure } from '../ui/page-state.tsx'
import { Button } from '../ui/button.tsx'
import { formatMs } from '../ui/format.ts'
import { StatusDot } from '../ui/status-dot.tsx'

/** Whether the saved public URL really leads to this hub. */
export function ReachCheck({ publicUrl }: { publicUrl: string | null }) {
  const mayCheck = useMay('admin')
  const check = useMutation({ mutationFn: () => api.checkReach() })
  if (publicUrl === null || !mayCheck) return null
  const report = check.data?.url === publicUrl ? check.data : undefined
  return (
    <div className="flex flex-wrap items-center gap-3 border-t border-line px-4 py-2.5">
      <Button size="sm" pending={check.isPending} onClick={() => check.mutate()}>
        Check the public URL
      </Button>
      <output className="min-w-0 flex-1 text-sm">
        {report === undefined ? (
          <span className="text-ink-3">Asks {publicUrl} whether it is this hub.</span>
        ) : (
          <StatusDot tone={report.ok ? 'ok' : 'bad'}>
            {report.ok ? `It leads to this hub, in ${formatMs(report.ms)}.` : `${report.cause} ${report.fix}`}
          </StatusDot>
        )}
      </output>
      {check.error !== null && <Failure title="It could not be checked." error={check.error} />}
    </div>
  )
}
