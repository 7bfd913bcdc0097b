import type { HubStatus } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../api/me.ts'
import { connectorsQuery, useStatus } from '../api/queries.ts'
import { ConnectClients } from '../server/connect-clients.tsx'
import { RecentCalls } from '../trace/recent-calls.tsx'
import { Card } from '../ui/card.tsx'
import { count } from '../ui/format.ts'
import { Loaded } from '../ui/page/page-state.tsx'
import { Page } from '../ui/page/page.tsx'
import { AttentionList } from './attention-list.tsx'
import { FirstRun } from './first-run.tsx'
import { SummaryCards } from './summary-cards.tsx'

/** The first page: what needs a person, what there is, how clients connect, what happens now. */
export function HubPage() {
  const status = useStatus()
  const connectors = useQuery(connectorsQuery)
  return (
    <Page title="Hub" hint={status.data === undefined ? undefined : summarize(status.data)}>
      <Loaded query={connectors} what="the connectors">
        {(all) => (all.length === 0 ? <FirstRun /> : <Overview />)}
      </Loaded>
      {status.data !== undefined && (
        <Card
          id="clients"
          title="Connect a client"
          hint="Every client uses this one address and gets the tools of all connectors."
        >
          <ConnectClients endpoint={status.data.endpoint} />
        </Card>
      )}
    </Page>
  )
}

function Overview() {
  const mayReadTraces = useMay('admin')
  return (
    <>
      <AttentionList />
      <SummaryCards />
      {mayReadTraces && (
        <Card title="Calls" hint="As they happen, the newest first.">
          <RecentCalls limit={8} live />
        </Card>
      )}
    </>
  )
}

function summarize({ counts, connections, inFlight }: HubStatus): string {
  if (counts.connectors === 0) return 'It is running and waits for its first connector.'
  const clients = `${count(connections, 'client connection')}, ${count(inFlight, 'call')} under way.`
  return `${count(counts.connectors, 'connector')} with ${count(counts.tools, 'tool')}. ${clients}`
}
