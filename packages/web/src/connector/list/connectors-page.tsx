import type { ConnectorView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { FlaskConical, Plus } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../api/me.ts'
import { connectorsQuery } from '../../api/queries.ts'
import { Button, buttonStyle } from '../../ui/button.tsx'
import { Input, Select } from '../../ui/form/field.tsx'
import { Empty, Failure, Loaded } from '../../ui/page/page-state.tsx'
import { Page } from '../../ui/page/page.tsx'
import { useRowKeys } from '../../ui/page/use-row-keys.ts'
import { readConnectorsSearch } from '../connector-search.ts'
import { ConnectorTable } from './connector-table.tsx'
import { filterConnectors, summarizeConnectors } from './filter-connectors.ts'
import { useListTests } from './use-list-tests.ts'

/** Every server that Herma calls, those with problems first. */
export default function ConnectorsPage() {
  const query = useQuery(connectorsQuery)
  const mayAdd = useMay('admin')
  return (
    <Page
      title="Connectors"
      {...(query.data !== undefined && { hint: summarizeConnectors(query.data) })}
      actions={
        mayAdd && (
          <Link to="/connectors/new" className={buttonStyle({ variant: 'primary' })}>
            <Plus aria-hidden />
            New connector
          </Link>
        )
      }
    >
      <Loaded query={query} what="the connectors">
        {(all) => (all.length === 0 ? <NoConnectors mayAdd={mayAdd} /> : <ConnectorList connectors={all} />)}
      </Loaded>
    </Page>
  )
}

function NoConnectors({ mayAdd }: { mayAdd: boolean }) {
  const actions = (
    <>
      <Link to="/connectors/new" className={buttonStyle({ variant: 'primary' })}>
        Add a connector
      </Link>
      <Link to="/discover" className={buttonStyle()}>
        Find one
      </Link>
    </>
  )
  return (
    <Empty title="No connectors yet" {...(mayAdd && { actions })}>
      A connector is an MCP server whose tools you want to use. Paste what its documentation gives you: a command, a URL
      or JSON.
    </Empty>
  )
}

function ConnectorList({ connectors }: { connectors: readonly ConnectorView[] }) {
  const { filter = '', state } = useSearch({ from: '/connectors' })
  const navigate = useNavigate({ from: '/connectors' })
  const mayTest = useMay('admin')
  const tests = useListTests()
  const [problem, setProblem] = useState<{ title: string; error: unknown } | null>(null)
  useRowKeys()
  const shown = filterConnectors(connectors, { filter, state })
  const search = (next: { filter: string; state: string | undefined }) =>
    void navigate({ search: readConnectorsSearch(next), replace: true })
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <div className="w-full sm:w-72">
          <Input
            data-filter
            type="search"
            aria-label="Filter connectors"
            placeholder="Filter by name, address or problem"
            value={filter}
            onChange={(event) => search({ filter: event.target.value, state })}
          />
        </div>
        <div className="w-40">
          <Select
            aria-label="State"
            value={state ?? ''}
            onChange={(event) => search({ filter, state: event.target.value || undefined })}
          >
            <option value="">Every state</option>
            <option value="problem">Needs attention</option>
            <option value="ready">Ready</option>
            <option value="idle">Idle</option>
            <option value="off">Turned off</option>
          </Select>
        </div>
        {mayTest && (
          <Button
            className="ml-auto h-8.5 pointer-coarse:h-11"
            pending={tests.isRunning}
            onClick={() => void tests.runAll(shown.filter(({ enabled }) => enabled).map(({ name }) => name))}
          >
            <FlaskConical aria-hidden />
            Test all
          </Button>
        )}
      </div>
      <output className="sr-only">{tests.summary}</output>
      {problem !== null && <Failure {...problem} />}
      {shown.length === 0 ? (
        <Empty
          title="No connector matches"
          actions={<Button onClick={() => search({ filter: '', state: undefined })}>Show all connectors</Button>}
        />
      ) : (
        <ConnectorTable connectors={shown} tests={tests} onProblem={setProblem} />
      )}
    </>
  )
}
