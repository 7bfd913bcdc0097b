import type { EventView } from '@herma/contract'
import { cn } from '../ui/cn.ts'
import { formatBytes, formatMs } from '../ui/format.ts'
import { outcomes } from './describe-event.ts'

/** What is known of two calls, side by side; what differs stands out and says so. */
export function CompareFacts({ events: [one, other] }: { events: readonly [EventView, EventView] }) {
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
