import type { DiscoveryReport, RemoveRequest } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/form/check.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { Failure, Loaded } from '../../ui/page/page-state.tsx'
import { PlanView } from './plan-view.tsx'
import { ReportView } from './report-view.tsx'

interface RemoveDrawerProps {
  readonly kind: RemoveRequest['kind']
  readonly name: string
  readonly onClose: () => void
}

/** What a removal takes away and what it keeps, and then how it went. */
export function RemoveDrawer({ kind, name, onClose }: RemoveDrawerProps) {
  const [isForced, setForced] = useState(false)
  const request: RemoveRequest = { kind, name, force: isForced }
  const remove = useChange({
    send: (body: RemoveRequest) => api.removeInstalled({ body }, { timeoutMs: 60_000 }),
    topics: ['connectors', 'catalog', 'secrets', 'servers', 'discovery'],
  })
  const plan = useQuery({
    queryKey: ['removal', kind, name, isForced],
    queryFn: () => api.planRemoval({ body: request }),
    staleTime: 0,
    retry: false,
    // What is gone has no plan any more.
    enabled: !remove.isPending && !remove.isSuccess,
  })
  const keeps = plan.data !== undefined && [...plan.data.connectors, ...plan.data.files].some(isKept)
  const footer =
    remove.data === undefined ? (
      <>
        <Button onClick={onClose}>Cancel</Button>
        {plan.data !== undefined && (
          <Button variant="danger" pending={remove.isPending} onClick={() => remove.mutate(request)}>
            Remove
          </Button>
        )}
      </>
    ) : (
      <Button variant="primary" onClick={onClose}>
        Done
      </Button>
    )
  return (
    <Dialog isOpen shape="drawer" title={titleOf(name, remove.data)} footer={footer} onClose={onClose}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
        {remove.data === undefined ? (
          <>
            <Loaded query={plan} what="the plan">
              {(found) => <PlanView plan={found} />}
            </Loaded>
            {(keeps || isForced) && (
              <Check checked={isForced} onChange={setForced} label="Remove what was changed by hand too" />
            )}
          </>
        ) : (
          <ReportView report={remove.data} />
        )}
        {remove.error !== null && <Failure title="Nothing was removed." error={remove.error} />}
      </div>
    </Dialog>
  )
}

function titleOf(name: string, report: DiscoveryReport | undefined): string {
  if (report === undefined) return `Remove ${name}?`
  return report.status === 'ok' ? `Removed ${name}` : `${name} was not removed`
}

function isKept({ action }: { action: string }): boolean {
  return action === 'keep'
}
