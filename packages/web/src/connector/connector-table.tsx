import type { ConnectorView } from '@herma/contract'
import { Section } from '../ui/section.tsx'
import { StatusDot } from '../ui/status-dot.tsx'
import { describeHealth } from './describe-health.ts'

// Columns leave from the right as the page narrows; a name and its health always stay. On a phone the two share the
// width in fixed parts, since an automatic layout would squeeze a short name beside a long problem.
const wide = 'hidden lg:table-cell'
const middle = 'hidden sm:table-cell'
const numeric = 'text-right tnum'

/** The connectors with what they offer and how they are; those that need attention come first. */
export function ConnectorTable({ connectors }: { connectors: readonly ConnectorView[] }) {
  const rows = connectors.toSorted((one, other) => urgency(one) - urgency(other))
  return (
    <Section title="Connectors">
      <div className="rounded-lg border border-line bg-surface">
        <table className="w-full table-fixed sm:table-auto">
          <thead className="border-b border-line text-left text-xs text-ink-3">
            <tr className="*:h-9 *:px-3 *:font-medium *:first:pl-4 *:last:pr-4">
              <th scope="col" className="w-2/5 sm:w-auto">
                Name
              </th>
              <th scope="col">Health</th>
              <th scope="col" className={middle}>
                Transport
              </th>
              <th scope="col" className={`${middle} text-right`}>
                Tools
              </th>
              <th scope="col" className={`${wide} text-right`}>
                Resources
              </th>
              <th scope="col" className={`${wide} text-right`}>
                Prompts
              </th>
              <th scope="col" className={`${wide} text-right`}>
                Calls
              </th>
              <th scope="col" className={`${wide} text-right`}>
                Latency
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((connector) => (
              <ConnectorRow key={connector.id} connector={connector} />
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  )
}

function ConnectorRow({ connector }: { connector: ConnectorView }) {
  const { counts, health } = connector
  const { tone, text } = describeHealth(connector)
  return (
    <tr className="border-t border-line align-top *:px-3 *:py-2.5 *:first:pl-4 *:last:pr-4 first:border-t-0">
      <th scope="row" className="text-left font-medium [overflow-wrap:anywhere] sm:[overflow-wrap:normal]">
        <span>{connector.name}</span>
        <span className="block text-xs font-normal text-ink-3 sm:hidden">{counts.tools} tools</span>
      </th>
      <td>
        <StatusDot tone={tone}>{text}</StatusDot>
      </td>
      <td className={middle}>
        <span className="rounded-sm border border-line bg-well px-1.5 py-0.5 text-xs font-medium text-ink-2">
          {connector.transport}
        </span>
      </td>
      <td className={`${middle} ${numeric}`}>{counts.tools}</td>
      <td className={`${wide} ${numeric}`}>{counts.resources + counts.resourceTemplates}</td>
      <td className={`${wide} ${numeric}`}>{counts.prompts}</td>
      <td className={`${wide} ${numeric}`}>{health.callCount}</td>
      <td className={`${wide} ${numeric} whitespace-nowrap`}>{formatLatency(health.latencyMs)}</td>
    </tr>
  )
}

function urgency(connector: ConnectorView): number {
  const { needsAttention, tone } = describeHealth(connector)
  if (!needsAttention) return 2
  return tone === 'bad' ? 0 : 1
}

function formatLatency(latencyMs: number | null): string {
  if (latencyMs === null) return '–'
  return latencyMs < 10 ? `${latencyMs.toFixed(1)} ms` : `${Math.round(latencyMs)} ms`
}
