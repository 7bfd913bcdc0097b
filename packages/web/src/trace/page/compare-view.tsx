import type { EventView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { ArrowLeft } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { cn } from '../../ui/cn.ts'
import { formatBytes, formatMs, formatTime } from '../../ui/format.ts'
import { Loaded } from '../../ui/page/page-state.tsx'
import { compareFields } from '../compare-fields.ts'
import { nameOf, outcomes } from '../describe-event.ts'
import { argumentsOf, readMessages, resultOf } from '../detail/read-messages.ts'
import type { Span } from '../detail/spans.ts'
import { traceQuery, type LoadedTrace } from '../detail/trace-query.ts'
import { Waterfall } from '../detail/waterfall.tsx'
import { FieldChanges } from '../field-changes.tsx'
import { OutcomeMark } from '../outcome-mark.tsx'

interface CompareViewProps {
  readonly ids: readonly [string, string]
  readonly onClose: () => void
  readonly onOpen: (traceId: string) => void
}

/** Two traces beside each other: when what happened, and which fields differ. */
export function CompareView({ ids, onClose, onOpen }: CompareViewProps) {
  const first = useQuery(traceQuery(ids[0]))
  const second = useQuery(traceQuery(ids[1]))
  const back = useRef<HTMLButtonElement>(null)
  useEffect(() => back.current?.focus(), [])
  return (
    <div className="-m-1 grid min-h-0 grid-cols-[minmax(0,1fr)] content-start gap-4 overflow-y-auto p-1">
      <Button ref={back} className="justify-self-start" onClick={onClose}>
        <ArrowLeft aria-hidden />
        Back to the trace
      </Button>
      <Loaded query={first} what="the first trace">
        {(one) => (
          <Loaded query={second} what="the second trace">
            {(other) => <Both traces={[one, other]} onOpen={onOpen} />}
          </Loaded>
        )}
      </Loaded>
    </div>
  )
}

function Both({ traces, onOpen }: { traces: readonly [LoadedTrace, LoadedTrace]; onOpen: CompareViewProps['onOpen'] }) {
  const [one, other] = traces
  const scaleMs = Math.max(one.tree.totalMs, other.tree.totalMs)
  const spans = [mainOf(one), mainOf(other)] as const
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <Side trace={one} name="A" scaleMs={scaleMs} onOpen={onOpen} />
        <Side trace={other} name="B" scaleMs={scaleMs} onOpen={onOpen} />
      </div>
      {spans[0] !== undefined && spans[1] !== undefined && <Differences spans={[spans[0], spans[1]]} />}
    </>
  )
}

interface SideProps {
  readonly trace: LoadedTrace
  readonly name: string
  readonly scaleMs: number
  readonly onOpen: CompareViewProps['onOpen']
}

function Side({ trace, name, scaleMs, onOpen }: SideProps) {
  const [selected, setSelected] = useState<string>()
  const main = mainOf(trace)?.main
  if (main === undefined) return null
  return (
    <Card
      title={`${name}: ${nameOf(main)}`}
      hint={
        <span className="flex flex-wrap gap-x-3">
          <OutcomeMark event={main} />
          <span className="tnum">{formatMs(trace.tree.totalMs)}</span>
          <span className="tnum">{formatTime(main.at)}</span>
        </span>
      }
      actions={
        <Button size="sm" aria-label={`Open trace ${name}`} onClick={() => onOpen(trace.traceId)}>
          Open
        </Button>
      }
      className="@container"
    >
      <Waterfall
        tree={trace.tree}
        label={`Spans of ${name}`}
        selected={selected ?? trace.tree.spans[0]?.id}
        onSelect={setSelected}
        scaleMs={scaleMs}
      />
    </Card>
  )
}

function Differences({ spans }: { spans: readonly [Span, Span] }) {
  const [one, other] = spans.map(({ events }) => readMessages(events)) as [Messages, Messages]
  return (
    <>
      <Card title="Facts">
        <CompareFacts events={[spans[0].main, spans[1].main]} />
      </Card>
      <Card title="Arguments">
        <Pair values={[argumentsOf(one), argumentsOf(other)]} what="the arguments" />
      </Card>
      <Card title="Results">
        <Pair values={[resultOf(one), resultOf(other)]} what="the result" />
      </Card>
    </>
  )
}

type Messages = ReturnType<typeof readMessages>

function Pair({ values: [one, other], what }: { values: readonly [unknown, unknown]; what: string }) {
  if (one === undefined || other === undefined) {
    const whose = one === undefined && other === undefined ? 'either' : one === undefined ? 'A' : 'B'
    return (
      <p className="p-4 text-ink-2">
        Of {whose}, {what} {what.endsWith('s') ? 'are' : 'is'} not recorded. Open the trace to record messages from now
        on.
      </p>
    )
  }
  return (
    <div className="p-4">
      <FieldChanges names={['A', 'B']} what={what} differences={compareFields(one, other)} />
    </div>
  )
}

/** The call that the trace is about. */
function mainOf({ tree }: LoadedTrace): Span | undefined {
  return tree.spans.find(({ kind }) => kind === 'call') ?? tree.spans[0]
}

/** What is known of two calls, side by side; what differs stands out and says so. */
function CompareFacts({ events: [one, other] }: { events: readonly [EventView, EventView] }) {
  const rows = facts.flatMap(({ label, read }) => {
    const values = [read(one), read(other)] as const
    return values[0] === undefined && values[1] === undefined ? [] : [{ label, values }]
  })
  return (
    <table className="w-full table-fixed text-left">
      <thead className="text-xs text-ink-3">
        <tr>
          <th className="w-24 px-4 pt-3 pb-1 font-medium sm:w-36">
            <span className="sr-only">Fact</span>
          </th>
          <th className="pt-3 pr-4 pb-1 font-medium">A</th>
          <th className="pt-3 pr-4 pb-1 font-medium">B</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, values: [before, after] }) => (
          <tr key={label} className={cn('last:[&>*]:pb-3', before !== after && 'font-medium')}>
            <th scope="row" className="px-4 py-1 align-top text-sm font-normal text-ink-3">
              {label}
            </th>
            <td className="py-1 pr-4 align-top [overflow-wrap:anywhere]">{before ?? '–'}</td>
            <td className="py-1 pr-4 align-top [overflow-wrap:anywhere]">
              {after ?? '–'}
              {before !== after && <span className="ml-2 text-xs font-normal text-ink-3">differs</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const facts: readonly { readonly label: string; readonly read: (event: EventView) => string | undefined }[] = [
  { label: 'Outcome', read: ({ outcome }) => outcome && outcomes[outcome].label },
  { label: 'Error', read: ({ errorCode }) => errorCode },
  { label: 'Took', read: ({ ms }) => (ms === undefined ? undefined : formatMs(ms)) },
  { label: 'Server', read: ({ server }) => server },
  { label: 'Connector', read: ({ connector }) => connector ?? undefined },
  { label: 'Target', read: ({ target, method }) => target ?? method },
  { label: 'Who asked', read: ({ principal }) => principal },
  { label: 'Route', read: ({ route }) => route },
  { label: 'Request', read: ({ requestBytes }) => sizeOf(requestBytes) },
  { label: 'Response', read: ({ responseBytes }) => sizeOf(responseBytes) },
]

function sizeOf(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : formatBytes(bytes)
}
