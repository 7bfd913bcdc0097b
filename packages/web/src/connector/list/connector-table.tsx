import type { ConnectorView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../ui/card.tsx'
import { connectorLatenciesQuery, connectorUsesQuery } from '../connectors-query.ts'
import { ConnectorRow } from './connector-row.tsx'
import type { ListTests } from './use-list-tests.ts'

interface ConnectorTableProps {
  readonly connectors: readonly ConnectorView[]
  readonly tests: ListTests
  readonly onProblem: (problem: { title: string; error: unknown } | null) => void
}

/** The list. Where the window is narrow, what matters stands below the name. */
export function ConnectorTable({ connectors, tests, onProblem }: ConnectorTableProps) {
  const uses = useQuery(connectorUsesQuery).data
  const latencies = useQuery(connectorLatenciesQuery).data
  return (
    <Card className="overflow-x-clip">
      <table className="w-full table-fixed text-left">
        <caption className="sr-only">Connectors, those that need attention first</caption>
        <thead className="text-sm text-ink-3">
          <tr className="border-b border-line *:px-2 *:py-2 *:font-medium">
            <th scope="col" className="pl-4! sm:w-[18%]">
              Name
            </th>
            <th scope="col" className="hidden sm:table-cell">
              Health
            </th>
            <th scope="col" className="hidden w-20 md:table-cell">
              Transport
            </th>
            <th scope="col" className="hidden w-14 text-right md:table-cell">
              Tools
            </th>
            <th scope="col" className="hidden w-36 text-right lg:table-cell">
              p95, last hour
            </th>
            <th scope="col" className="hidden w-28 xl:table-cell">
              Used by
            </th>
            <th scope="col" className="hidden w-24 lg:table-cell">
              Last tested
            </th>
            <th scope="col" className="w-18">
              Enabled
            </th>
            <th scope="col" className="w-12 pr-2!">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {connectors.map((view) => (
            <ConnectorRow
              key={view.id}
              view={view}
              uses={uses?.get(view.name)}
              latency={latencies?.get(view.name)}
              test={tests.results[view.name]}
              onTest={() => void tests.run(view.name)}
              onProblem={onProblem}
            />
          ))}
        </tbody>
      </table>
    </Card>
  )
}
