import { Badge } from '../../ui/badge.tsx'
import { CodeBox } from '../../ui/code-box.tsx'
import { count } from '../../ui/format.ts'
import { JsonBox } from '../../ui/json-box.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import type { ConnectorDraft } from './draft/connector-draft.ts'
import { listChanges, type DraftChange } from './draft/list-changes.ts'
import { effectiveJson, previewRun } from './draft/preview-draft.ts'

interface PreviewTabsProps {
  readonly draft: ConnectorDraft
  /** Null for a new one. */
  readonly saved: ConnectorDraft | null
}

/** What will run, the whole configuration, and what saving would change. */
export function PreviewTabs({ draft, saved }: PreviewTabsProps) {
  const isStdio = draft.transport === 'stdio'
  const changes = saved === null ? [] : listChanges(saved, draft)
  const tabs = [
    {
      id: 'run',
      label: isStdio ? 'Command' : 'Request',
      body: (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-2 p-3">
          <CodeBox text={previewRun(draft)} label={isStdio ? 'the command' : 'the request'} />
          <p className="text-sm text-ink-3">
            {isStdio
              ? `${count(draft.args.length, 'argument')}, run as they are, without a shell. Secrets are masked here only.`
              : 'Sent with every request. Secrets are masked here only.'}
          </p>
        </div>
      ),
    },
    {
      id: 'json',
      label: 'Effective JSON',
      body: (
        <div className="p-3">
          <JsonBox
            value={effectiveJson(draft)}
            label="the effective configuration"
            file={`${draft.name || 'connector'}.json`}
          />
        </div>
      ),
    },
    ...(saved === null
      ? []
      : [
          {
            id: 'changes',
            label: (
              <span className="flex items-center gap-1.5">
                Changes {changes.length > 0 && <Badge tone="accent">{changes.length}</Badge>}
              </span>
            ),
            body: <ChangeList changes={changes} />,
          },
        ]),
  ]
  return (
    <section aria-label="Preview" className="min-w-0 rounded-lg border border-line bg-surface shadow-card">
      <Tabs label="Preview" tabs={tabs} />
    </section>
  )
}

function ChangeList({ changes }: { changes: readonly DraftChange[] }) {
  if (changes.length === 0) return <p className="p-4 text-ink-3">Everything on this page is as it is saved.</p>
  return (
    <dl className="grid grid-cols-[minmax(0,1fr)] gap-2 p-4 text-sm">
      {changes.map(({ field, before, after }) => (
        <div key={field} className="grid grid-cols-[minmax(0,1fr)] gap-0.5">
          <dt className="font-medium">{field}</dt>
          <dd className="font-mono [overflow-wrap:anywhere]">
            {before !== null && <del className="text-bad decoration-1">{before}</del>}
            {before !== null && after !== null && <span className="text-ink-3"> → </span>}
            {after !== null && <ins className="text-ok no-underline">{after}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
