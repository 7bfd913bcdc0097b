import type { RestoreReport } from '@herma/contract'
import { Button } from '../../ui/button.tsx'
import { count } from '../../ui/format.ts'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'

type Action = RestoreReport['entries'][number]['action']

const words: Record<Action, readonly [plan: string, done: string]> = {
  add: ['add', 'added'],
  change: ['change', 'changed'],
  skip: ['skip', 'skipped'],
  fail: ['cannot', 'failed'],
  keep: ['keep', 'kept'],
}
const tones: Record<Action, Tone> = { add: 'ok', change: 'warn', skip: 'off', fail: 'bad', keep: 'off' }

interface RestorePlanProps {
  readonly name: string
  readonly report: RestoreReport
  readonly isPending: boolean
  readonly onRestore: () => void
  readonly onClose: () => void
}

/** What a restore will do, and then what it did. Nothing is ever removed. */
export function RestorePlan({ name, report, isPending, onRestore, onClose }: RestorePlanProps) {
  const { plan, entries, needed } = report
  const told = entries.filter(({ action }) => action !== 'keep')
  const footer = plan ? (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="primary" pending={isPending} onClick={onRestore}>
        Restore
      </Button>
    </>
  ) : (
    <Button variant="primary" onClick={onClose}>
      Done
    </Button>
  )
  return (
    <Dialog
      isOpen
      shape="drawer"
      title={plan ? `Restore ${name}?` : `Restored ${name}`}
      hint="Nothing is removed. What is here already is changed to what the file says."
      footer={footer}
      onClose={onClose}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
        <p>
          {told.length === 0
            ? 'Everything is as in the file already.'
            : `${count(told.length, 'entry', 'entries')} of ${entries.length}; the others are as in the file already.`}
        </p>
        <ul aria-label="Entries" className="divide-y divide-line">
          {told.map(({ part, name: entry, action, why }) => (
            <li key={`${part} ${entry}`} className="py-1.5">
              <StatusDot tone={tones[action]}>
                <span className="text-ink-3">{words[action][plan ? 0 : 1]}</span>{' '}
                <span className="text-ink">
                  {part}: {entry}
                </span>
                {why !== null && <span className="block text-sm">{why}</span>}
              </StatusDot>
            </li>
          ))}
        </ul>
        {needed.length > 0 && (
          <div className="grid gap-1">
            <h3 className="font-medium">To be entered again</h3>
            <ul className="grid gap-1 text-ink-2">
              {needed.map(({ part, name: entry, field }) => (
                <li key={`${part} ${entry} ${field}`}>
                  {part}: {entry}, <code className="font-mono text-sm">{field}</code>
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </Dialog>
  )
}
