import { CodeBox } from '../ui/code-box.tsx'

/** What leads back to this trace from elsewhere. */
export function TraceIds({ traceId, spanId }: { traceId: string; spanId: string | undefined }) {
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
