import type { SchemaAdaptation, SchemaStatus, ToolDetail } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/me.ts'
import { toolQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { LeaveGuard } from '../../ui/overlay/leave-guard.tsx'
import { Failure, Loading } from '../../ui/page/page-state.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { FindingList } from '../difference-list.tsx'
import { OverrideFields } from './override-fields.tsx'
import { TryTool } from './try-tool.tsx'
import { useOverrideForm } from './use-override-form.ts'

const drawerWidth = 'w-[min(1120px,100vw)]'

/** One tool: what its server says, what was put in its place, what clients see; and a call to try it. */
export function ToolDrawer({ place, onClose }: { place: string; onClose: () => void }) {
  const slash = place.indexOf('/')
  const [server, tool] = [place.slice(0, slash), place.slice(slash + 1)]
  const query = useQuery(toolQuery(server, tool))
  if (query.data !== undefined) return <Drawer detail={query.data} onClose={onClose} />
  return (
    <Dialog isOpen shape="drawer" className={drawerWidth} title={tool} hint={`of ${server}`} onClose={onClose}>
      <div className="p-4">
        {query.error === null ? (
          <Loading what="the tool" />
        ) : (
          <Failure title="Cannot show the tool." error={query.error} onRetry={() => void query.refetch()} />
        )}
      </div>
    </Dialog>
  )
}

function Drawer({ detail, onClose }: { detail: ToolDetail; onClose: () => void }) {
  const mayChange = useMay('admin')
  const { form, save, isSaving, error } = useOverrideForm(detail, mayChange)
  const [asksToDiscard, setAsksToDiscard] = useState(false)
  const close = () => (form.isDirty && !asksToDiscard ? setAsksToDiscard(true) : onClose())
  const footer = asksToDiscard ? (
    <>
      <span className="mr-auto text-ink-2">Discard what you changed?</span>
      <Button onClick={() => setAsksToDiscard(false)}>Keep</Button>
      <Button variant="danger" onClick={onClose}>
        Discard
      </Button>
    </>
  ) : (
    <>
      <output className="mr-auto text-sm text-ink-2">{statusOf(form.problemCount, form.isDirty)}</output>
      <Button onClick={close}>Close</Button>
      {mayChange && (
        <Button variant="primary" pending={isSaving} onClick={() => void save()}>
          Save
        </Button>
      )}
    </>
  )
  const { findings, name, originalName, connector } = detail
  return (
    <Dialog
      isOpen
      shape="drawer"
      className={drawerWidth}
      title={<span className="font-mono">{name ?? originalName}</span>}
      hint={<Head detail={detail} />}
      footer={footer}
      onClose={close}
    >
      <Tabs
        label="About the tool"
        tabs={[
          {
            id: 'fields',
            label: 'Fields',
            body: (
              <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
                {error !== null && <Failure title="It was not saved." error={error} />}
                <OverrideFields detail={detail} form={form} mayChange={mayChange} />
                <SchemaStatusView status={detail.schema} adaptations={detail.adaptations} />
              </div>
            ),
          },
          ...(mayChange
            ? [{ id: 'try', label: 'Try it', body: <TryTool key={`${connector}/${originalName}`} detail={detail} /> }]
            : []),
          {
            id: 'findings',
            label: findings.length === 0 ? 'Findings' : `Findings ${findings.length}`,
            body: (
              <div className="p-4">
                {findings.length === 0 ? (
                  <p className="text-ink-2">
                    The scan found nothing: no hidden characters, no instructions for models, no names that look alike.
                  </p>
                ) : (
                  <FindingList findings={findings} />
                )}
              </div>
            ),
          },
        ]}
      />
      <LeaveGuard isDirty={form.isDirty} />
    </Dialog>
  )
}

function statusOf(problems: number, isDirty: boolean): string {
  if (problems > 0) return problems === 1 ? '1 field needs a look' : `${problems} fields need a look`
  return isDirty ? 'Not saved yet' : ''
}

function Head({ detail: { connector, originalName, tokens, hiddenBecause, tags } }: { detail: ToolDetail }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span>
        <code className="font-mono">{originalName}</code> of{' '}
        {connector === 'herma' ? (
          'Herma itself'
        ) : (
          <Link to="/connectors/$name" params={{ name: connector }} className="underline">
            {connector}
          </Link>
        )}
        , about {tokens.toLocaleString()} tokens
      </span>
      {tags.map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
      {hiddenBecause !== null && <Badge tone="warn">Hidden: {hiddenBecause}</Badge>}
    </span>
  )
}

const texts: Record<SchemaAdaptation['kind'], string> = {
  legal: 'No revision of MCP allows the tool as its server wrote it, so all clients get it with these changes:',
  output: 'The server was seen to answer otherwise than its output schema says, so clients are not promised that:',
  plain: 'These clients are made with a library that refuses the whole list otherwise, and get:',
  strict: 'These clients take simple schemas only, and get them rewritten. The server gets what it expects:',
}

interface Props {
  readonly status: SchemaStatus
  readonly adaptations: readonly SchemaAdaptation[]
}

/** Which clients get something else than the server wrote, and what. */
function SchemaStatusView({ status, adaptations }: Props) {
  return (
    <section aria-label="Schema for strict clients" className="grid grid-cols-[minmax(0,1fr)] gap-1 text-sm">
      {adaptations.length === 0 && <StatusDot tone="ok">All clients get the schemas as they are.</StatusDot>}
      {adaptations.map(({ kind, clients, changes }) => (
        <div key={kind} className="grid grid-cols-[minmax(0,1fr)] gap-1">
          <StatusDot tone={kind === 'output' && status.state === 'adapted' ? 'warn' : 'ok'}>{texts[kind]}</StatusDot>
          {clients.length > 0 && <p className="ml-4 font-mono text-ink-2">{clients.join(' ')}</p>}
          <ul className="ml-4 list-disc pl-1 text-ink-2">
            {changes.map(({ path, what }) => (
              <li key={`${path} ${what}`} className="[overflow-wrap:anywhere]">
                <code className="font-mono">{path}</code> {what}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}
