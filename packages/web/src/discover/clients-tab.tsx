import type { ClientConfigView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../api/me.ts'
import { useStatus } from '../api/queries.ts'
import { ConnectClients } from '../server/connect-clients.tsx'
import { Card } from '../ui/card.tsx'
import { Empty, Loaded } from '../ui/page/page-state.tsx'
import { ClientCard } from './client-card.tsx'
import { clientsQuery } from './discover-queries.ts'
import { ImportChoiceCard, useImportChoice } from './import-choice.tsx'

/** Servers that the clients on the machine of the hub know, and how those clients come to use Herma instead. */
export function ClientsTab() {
  const clients = useQuery(clientsQuery)
  const { data: status } = useStatus()
  const choice = useImportChoice()
  const mayImport = useMay('admin')
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 pt-4">
      <Loaded query={clients} what="the clients of this machine">
        {(all) => {
          const found = all.filter(({ exists }) => exists)
          const absent = all.filter(({ exists }) => !exists)
          return (
            <>
              {found.length === 0 && (
                <Empty title="No configuration of a client was found.">
                  <p>
                    The hub looks on its own machine, as the user that it runs as. You can paste a file under Paste.
                  </p>
                </Empty>
              )}
              {mayImport && found.some(hasNew) && <ImportChoiceCard form={choice} />}
              {found.map((client) => (
                <ClientCard key={client.id} client={client} choose={choice.submit} />
              ))}
              {absent.length > 0 && (
                <details className="text-sm text-ink-2">
                  <summary>Looked for, not found: {[...new Set(absent.map(({ title }) => title))].join(', ')}</summary>
                  <ul className="mt-2 grid gap-1 font-mono text-ink-3">
                    {absent.map(({ id, file }) => (
                      <li key={id} className="[overflow-wrap:anywhere]">
                        {file}
                      </li>
                    ))}
                  </ul>
                </details>
              )}
            </>
          )
        }}
      </Loaded>
      {status !== undefined && (
        <Card
          title="Point a client at Herma"
          hint="It then sees everything that this hub serves. Herma changes no file of a client."
        >
          <ConnectClients endpoint={status.endpoint} />
        </Card>
      )}
    </div>
  )
}

function hasNew({ servers }: ClientConfigView): boolean {
  return servers.some(({ state }) => state === 'new')
}
