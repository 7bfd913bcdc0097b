import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Columns2, Download, Pencil, RotateCw } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { api, rawApi } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/overlay/dialog.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { DownloadDialog } from '../download-dialog.tsx'
import { ChooseOther } from './choose-other.tsx'
import { argumentsOf, readMessages } from './read-messages.ts'
import { ReplayResult } from './replay-result.tsx'
import type { Span } from './spans.ts'
import type { LoadedTrace } from './trace-query.ts'
import { useToolField } from './use-tool-field.ts'

// The form for any schema is heavy, and few replay with other arguments.
const EditReplay = lazy(() => import('./edit-replay.tsx'))

const editable: ReadonlySet<string> = new Set(['tools/call', 'prompts/get'])
const replayable = /^(tools|prompts|resources|completion)\//
/** A tool may take long. */
const replayMs = 600_000

/** What can be done with a trace. */
export function TraceActions({ trace, span }: { trace: LoadedTrace; span: Span }) {
  const { traceId, tree } = trace
  const [open, setOpen] = useState<'edit' | 'confirm' | 'compare' | 'download' | null>(null)
  const navigate = useNavigate()
  const close = () => setOpen(null)
  const call = [span, ...tree.spans].find(isReplayable)
  const replay = useMutation({
    mutationFn: (given: Record<string, unknown> | undefined) =>
      api.replayTrace(
        { traceId, body: { spanId: call?.main.spanId, ...(given && { arguments: given }) } },
        { timeoutMs: replayMs },
      ),
  })
  const isEditable = call !== undefined && editable.has(call.main.method ?? '')
  const isReadOnly =
    (useToolField(call?.main, 'annotations') as { readOnlyHint?: unknown } | null)?.readOnlyHint === true
  const begin = ({ main, events }: Span) => {
    // Without what it was called with, a person has to say it.
    if (isEditable && argumentsOf(readMessages(events)) === undefined) setOpen('edit')
    else if (main.method === 'tools/call' && !isReadOnly) setOpen('confirm')
    else replay.mutate(undefined)
  }
  const edit = isEditable && (
    <Button size="sm" onClick={() => setOpen('edit')}>
      <Pencil aria-hidden />
      Edit and replay
    </Button>
  )
  return (
    <>
      <div className="flex flex-wrap gap-2 border-b border-line px-4 py-2">
        {call !== undefined && (
          <Button size="sm" pending={replay.isPending} onClick={() => begin(call)}>
            {!replay.isPending && <RotateCw aria-hidden />}
            Replay
          </Button>
        )}
        {edit}
        <Button size="sm" onClick={() => setOpen('compare')}>
          <Columns2 aria-hidden />
          Compare
        </Button>
        <Button size="sm" onClick={() => setOpen('download')}>
          <Download aria-hidden />
          Download
        </Button>
      </div>
      {replay.data !== undefined && !replay.isPending && <ReplayResult report={replay.data} traceId={traceId} />}
      {replay.error !== null && (
        <div className="p-4">
          <Failure title="The call was not made again." error={replay.error} fix={edit} />
        </div>
      )}
      {open === 'confirm' && (
        <Confirm
          isOpen
          title={`Call ${call?.main.target} again?`}
          action="Call again"
          onClose={close}
          onConfirm={() => {
            close()
            replay.mutate(undefined)
          }}
        >
          It is really called, as you, with the same arguments. It does not say that it only reads: what it changed, it
          may change again.
        </Confirm>
      )}
      {open === 'edit' && call !== undefined && (
        <Suspense>
          <EditReplay
            event={call.main}
            recorded={argumentsOf(readMessages(call.events))}
            onClose={close}
            onReplay={(given) => {
              close()
              replay.mutate(given)
            }}
          />
        </Suspense>
      )}
      {open === 'compare' && (
        <ChooseOther
          event={(call ?? span).main}
          onClose={close}
          onChoose={(other) => {
            close()
            void navigate({ to: '/traces', search: (last) => ({ ...last, trace: traceId, compare: other }) })
          }}
        />
      )}
      {open === 'download' && (
        <DownloadDialog
          title="Download this trace"
          hint="All events of it, as one file."
          load={(format, options) => rawApi.downloadTrace({ traceId, format }, options)}
          onClose={close}
        />
      )}
    </>
  )
}

function isReplayable({ kind, main }: Span): boolean {
  return kind === 'call' && main.kind === 'call.finished' && replayable.test(main.method ?? '')
}
