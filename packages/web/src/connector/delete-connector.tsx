import type { ConnectorUses } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { Confirm } from '../ui/overlay/dialog.tsx'
import { Failure } from '../ui/page/page-state.tsx'
import { connectorUsesQuery } from './connectors-query.ts'

interface DeleteConnectorProps {
  readonly name: string
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

/** Asks before a connector goes, and names what would miss it. */
export function DeleteConnector({ name, onClose, onDeleted }: DeleteConnectorProps) {
  const uses = useQuery(connectorUsesQuery).data?.get(name)
  const { mutate, isPending, error } = useChange({
    send: () => api.removeConnector({ name }),
    topics: ['connectors', 'catalog', 'servers', 'bindings', 'sessions'],
    done: () => `${name} is gone`,
    onDone: () => {
      onClose()
      onDeleted?.()
      // The button that asked for it is gone too.
      document.getElementById('main')?.focus()
    },
  })
  return (
    <Confirm
      isOpen
      title={`Delete ${name}?`}
      action="Delete connector"
      pending={isPending}
      onClose={onClose}
      onConfirm={() => mutate()}
    >
      <p>Its tools are gone for everybody at once, and its stored secrets are forgotten. Traces stay.</p>
      {uses !== undefined && <Uses uses={uses} />}
      {error !== null && <Failure title={`Cannot delete ${name}.`} error={error} />}
    </Confirm>
  )
}

function Uses({ uses }: { uses: ConnectorUses }) {
  const lists = [
    { label: 'Servers that host it', names: uses.servers },
    { label: 'Sessions that it is bound to', names: uses.sessions },
    { label: 'Tools of the catalog that call it', names: uses.aggregates },
  ].filter(({ names }) => names.length > 0)
  if (lists.length === 0) return <p>No server, session or composed tool uses it.</p>
  return (
    <ul className="grid gap-1 text-ink">
      {lists.map(({ label, names }) => (
        <li key={label} className="[overflow-wrap:anywhere]">
          {label}: <span className="font-medium">{names.join(', ')}</span>
        </li>
      ))}
    </ul>
  )
}
