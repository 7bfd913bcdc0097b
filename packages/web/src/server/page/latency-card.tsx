import type { LatencyReport } from '@herma/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Plot, type PlotLine } from '../../ui/chart/plot.tsx'
import { Select } from '../../ui/form/field.tsx'
import { count, formatAgo, formatMs } from '../../ui/format.ts'
import { Loaded } from '../../ui/page/page-state.tsx'
import { downloadTraces } from '../change-server.ts'
import { serverLatencyQuery } from '../servers-query.ts'

const spans = { 15: 'Last 15 minutes', 60: 'Last hour', 1440: 'Last day', 10_080: 'Last week' }
const lines: PlotLine[] = [
  { name: 'p50', color: 'c1' },
  { name: 'p95', color: 'c2' },
  { name: 'p99', color: 'c5' },
]

/** How long the calls of a server took, what failed last, and everything as a file. */
export function LatencyCard({ name, mayRead }: { name: string; mayRead: boolean }) {
  const [minutes, setMinutes] = useState(60)
  const downloading = useMutation({ mutationFn: () => downloadTraces(name) })
  const latencies = useQuery(serverLatencyQuery(name, minutes))
  const actions = (
    <div className="flex flex-wrap items-center gap-2">
      <Select aria-label="Time span" value={minutes} onChange={(event) => setMinutes(Number(event.target.value))}>
        {Object.entries(spans).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      {mayRead && (
        <Button pending={downloading.isPending} onClick={() => downloading.mutate()}>
          <Download aria-hidden />
          Download JSON trace
        </Button>
      )}
    </div>
  )
  return (
    <Card title="Latency" actions={actions}>
      <div className="p-4">
        <Loaded query={latencies} what="the latencies">
          {(report) => <Figures report={report} mayRead={mayRead} />}
        </Loaded>
      </div>
    </Card>
  )
}

function Figures({ report, mayRead }: { report: LatencyReport; mayRead: boolean }) {
  const { total, lastError } = report
  const figures = [
    ['Calls', total.count.toLocaleString()],
    ['Failed', total.errors.toLocaleString()],
    ['p50', formatMs(total.p50)],
    ['p95', formatMs(total.p95)],
    ['p99', formatMs(total.p99)],
  ] as const
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <dl className="grid grid-cols-3 gap-3 sm:grid-cols-5">
        {figures.map(([label, value]) => (
          <div key={label}>
            <dt className="text-sm text-ink-3">{label}</dt>
            <dd className="tnum text-lg font-medium">{value}</dd>
          </div>
        ))}
      </dl>
      {report.points.length === 0 ? (
        <p className="text-ink-2">Nobody called it in this time. Run a sample call to see a first point.</p>
      ) : (
        <Plot
          title="Latency of calls"
          summary={`${count(total.count, 'call')}, half of them within ${formatMs(total.p50)}, 95 of 100 within ${formatMs(total.p95)}, 99 within ${formatMs(total.p99)}.`}
          lines={lines}
          points={report.points.map(({ at, p50, p95, p99 }) => ({ at: Date.parse(at), values: [p50, p95, p99] }))}
          from={Date.parse(report.from)}
          to={Date.parse(report.to)}
          stepMs={report.stepMs}
          format={formatMs}
        />
      )}
      <p className="text-sm text-ink-2 [overflow-wrap:anywhere]">
        <span className="text-ink-3">Last error: </span>
        {lastError === null ? (
          'none in this time'
        ) : (
          <>
            {formatAgo(lastError.at)}, {lastError.message}{' '}
            {mayRead && lastError.traceId !== null && (
              <Link to="/traces" search={{ trace: lastError.traceId }} className="underline">
                See its trace
              </Link>
            )}
          </>
        )}
      </p>
    </div>
  )
}
