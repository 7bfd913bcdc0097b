import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { CodeBox } from '../../ui/code-box.tsx'
import { count, formatMs, formatTime } from '../../ui/format.ts'
import { Loaded } from '../../ui/page/page-state.tsx'
import { askedOf, nameOf } from '../describe-event.ts'
import { OutcomeMark } from '../outcome-mark.tsx'
import { SpanDetail } from './span-detail.tsx'
import { TraceActions } from './trace-actions.tsx'
import { traceQuery, type LoadedTrace } from './trace-query.ts'
import { Waterfall } from './waterfall.tsx'

interface TracePanelProps {
  readonly traceId: string
  readonly onClose: () => void
}

/** One trace beside the list; where there is no room for both, in its place. */
export function TracePanel({ traceId, onClose }: TracePanelProps) {
  const trace = useQuery(traceQuery(traceId))
  const heading = useRef<HTMLHeadingElement>(null)
  const root = trace.data?.tree.spans[0]
  useEffect(() => {
    // The list is out of sight then, and with it what had the focus.
    if (matchMedia('(width < 64rem)').matches) heading.current?.focus()
  }, [])
  return (
    <section
      aria-labelledby="trace-title"
      className="@container flex min-h-0 min-w-0 flex-col overflow-y-auto rounded-lg border border-line bg-surface shadow-card"
    >
      <div className="flex items-start gap-2 border-b border-line px-4 py-3">
        <IconButton label="Back to the list" className="lg:hidden" onClick={onClose}>
          <ArrowLeft aria-hidden />
        </IconButton>
        <div className="mr-auto min-w-0">
          <h2
            id="trace-title"
            ref={heading}
            tabIndex={-1}
            className="text-lg font-semibold [overflow-wrap:anywhere] outline-none"
          >
            {root === undefined ? 'Trace' : nameOf(root.main)}
          </h2>
          {trace.data !== undefined && root !== undefined && (
            <div className="mt-0.5 flex flex-wrap items-center gap-x-3 text-sm text-ink-2">
              <OutcomeMark event={root.main} />
              <span className="tnum">{formatMs(trace.data.tree.totalMs)}</span>
              <span>{askedOf(root.main)}</span>
              <time dateTime={root.main.at} className="tnum">
                {formatTime(root.main.at)}
              </time>
            </div>
          )}
        </div>
        <IconButton label="Close the trace" className="max-lg:hidden" onClick={onClose}>
          <X aria-hidden />
        </IconButton>
      </div>
      <Loaded query={trace} what="this trace">
        {(data) => <TraceBody key={traceId} trace={data} />}
      </Loaded>
    </section>
  )
}

function TraceBody({ trace }: { trace: LoadedTrace }) {
  const { tree, events, isWhole, traceId } = trace
  const [chosen, setChosen] = useState<string>()
  const span = tree.spans.find(({ id }) => id === chosen) ?? tree.spans[0]
  if (span === undefined) return null
  return (
    <>
      <TraceActions trace={trace} span={span} />
      <Waterfall tree={tree} label="Spans" selected={span.id} onSelect={setChosen} />
      {!isWhole && (
        <p className="px-4 pb-2 text-sm text-ink-3">
          This trace has more events than the {count(events.length, 'event')} shown here.
        </p>
      )}
      <div className="min-w-0 border-t border-line pt-3">
        <SpanDetail key={span.id} span={span} />
      </div>
      <TraceIds traceId={traceId} spanId={span.main.spanId} />
    </>
  )
}

/** What leads back to this trace from elsewhere. */
function TraceIds({ traceId, spanId }: { traceId: string; spanId: string | undefined }) {
  return (
    <details className="border-t border-line px-4 py-3">
      <summary className="w-fit cursor-default rounded-sm text-sm font-medium">Link and ids</summary>
      <div className="mt-3 grid grid-cols-[minmax(0,1fr)] gap-3">
        <Labelled label="Link to this trace" text={`${location.origin}/traces?trace=${traceId}`} />
        <Labelled label="Trace id" text={traceId} />
        {spanId !== undefined && <Labelled label="traceparent" text={`00-${traceId}-${spanId}-01`} />}
      </div>
    </details>
  )
}

function Labelled({ label, text }: { label: string; text: string }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <span className="text-sm text-ink-3">{label}</span>
      <CodeBox text={text} label={`the ${label.charAt(0).toLowerCase()}${label.slice(1)}`} />
    </div>
  )
}
