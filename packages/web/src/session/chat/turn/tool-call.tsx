import { ChevronRight, LoaderCircle } from 'lucide-react'
import { CodeBox } from '../../../ui/code-box.tsx'
import { formatMs } from '../../../ui/format.ts'
import { JsonBox } from '../../../ui/json-box.tsx'
import { StatusDot } from '../../../ui/status-dot.tsx'
import { isWaiting, type ToolBlock } from './turn.ts'

/** A tool call in its place: one line, which opens to what went in and what came back. */
export function ToolCall({ call, isRunning }: { call: ToolBlock; isRunning: boolean }) {
  return (
    <details className="group min-w-0 rounded-md border border-line bg-surface">
      <summary className="flex min-h-9 cursor-pointer list-none items-center gap-2 rounded-md px-2.5 text-sm hover:bg-well pointer-coarse:min-h-11">
        <ChevronRight className="size-3.5 shrink-0 text-ink-3 group-open:rotate-90" aria-hidden />
        <span className="max-w-[60%] shrink-0 truncate font-mono">{call.name}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-ink-3">{summarizeArguments(call.arguments)}</span>
        <State call={call} isRunning={isRunning} />
      </summary>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-line p-2.5">
        <p className="text-sm text-ink-3">Arguments</p>
        <JsonBox value={call.arguments} label={`the arguments of ${call.name}`} />
        {call.result !== undefined && (
          <>
            <p className="text-sm text-ink-3">{call.result.isError ? 'Error' : 'Result'}</p>
            <CodeBox text={call.result.text || '(nothing)'} label={`the result of ${call.name}`} isTall />
          </>
        )}
      </div>
    </details>
  )
}

function State({ call, isRunning }: { call: ToolBlock; isRunning: boolean }) {
  if (call.result !== undefined)
    return (
      <span className="tnum shrink-0">
        <StatusDot tone={call.result.isError ? 'bad' : 'ok'}>
          {call.result.isError ? 'failed' : 'ok'}
          {call.result.ms !== undefined && ` · ${formatMs(call.result.ms)}`}
        </StatusDot>
      </span>
    )
  if (!isRunning) return <span className="shrink-0 text-ink-3">not finished</span>
  if (isWaiting(call))
    return (
      <span className="shrink-0">
        <StatusDot tone="warn">asks you</StatusDot>
      </span>
    )
  return (
    <span className="flex shrink-0 items-center gap-1.5 text-ink-2">
      <LoaderCircle className="size-3.5 animate-spin" aria-hidden />
      running
    </span>
  )
}

const maxLength = 160

/** Arguments of a call on one line: `path: "src/a.ts", limit: 3`. */
function summarizeArguments(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return cut(JSON.stringify(value) ?? '')
  const fields = Object.entries(value).map(([name, each]) => `${name}: ${JSON.stringify(each)}`)
  return cut(fields.join(', '))
}

function cut(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
}
