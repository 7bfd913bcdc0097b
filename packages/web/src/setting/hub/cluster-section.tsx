import { useStatus } from '../../api/queries.ts'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/page/page-state.tsx'
import { Facts } from '../../ui/rows.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

/** One hub or several: what there is, and what several do not share yet. */
export function ClusterSection() {
  const status = useStatus()
  return (
    <Card title="Cluster" hint="Which hubs work on this database.">
      <Loaded query={status} what="the state of the hub">
        {({ store, processId }) => (
          <>
            <Facts
              facts={[
                ['This hub', <StatusDot key="hub" tone="ok">{`Running, process ${processId}`}</StatusDot>],
                ['Database', store.kind === 'embedded' ? 'Its own, in the state home' : 'A PostgreSQL server of yours'],
                [
                  'State',
                  <StatusDot key="state" tone={store.healthy ? 'ok' : 'bad'}>
                    {store.healthy ? 'Answers' : 'Does not answer'}
                  </StatusDot>,
                ],
              ]}
            />
            <div className="grid gap-2 border-t border-line px-4 py-3 text-ink-2">
              <p>
                {store.kind === 'embedded'
                  ? 'One hub works alone. For several, give each the same DATABASE_URL and the same master key.'
                  : 'Several hubs may use this database, if all have the same master key.'}
              </p>
              <p>
                They share connectors, secrets, sign-ins and what is recorded. Keys, rules and revocations of one hub
                hold at the others within seconds; other changes when they start again. Connections of clients, queues
                and health of teams, and limits are each hub's own.
              </p>
            </div>
          </>
        )}
      </Loaded>
    </Card>
  )
}
