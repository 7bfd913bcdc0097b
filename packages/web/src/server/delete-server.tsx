import type { ServerView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { connectorsQuery } from '../api/queries.ts'
import { useChange } from '../api/use-change.ts'
import { Check } from '../ui/form/check.tsx'
import { Confirm } from '../ui/overlay/dialog.tsx'
import { Failure } from '../ui/page/page-state.tsx'
import { isOwnConnector, removeServer, serverTopics } from './change-server.ts'

interface DeleteServerProps {
  readonly server: ServerView
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

/** Asks before a team or custom server goes, and says what goes with it. */
export function DeleteServer({ server, onClose, onDeleted }: DeleteServerProps) {
  const { name, kind } = server
  const connectors = useQuery({ ...connectorsQuery, enabled: server.connector !== null }).data
  const own = connectors?.find((connector) => connector.name === server.connector)
  const hasOwn = isOwnConnector(own)
  const [isWithConnector, setWithConnector] = useState(true)
  const { mutate, isPending, error } = useChange({
    send: () => removeServer(server, hasOwn && isWithConnector),
    topics: serverTopics,
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
      action={kind === 'team' ? 'Delete team' : 'Delete server'}
      pending={isPending}
      onClose={onClose}
      onConfirm={() => mutate()}
    >
      {kind === 'team' ? (
        <p>Its address answers no more, and calls that wait are refused. Its sessions stay.</p>
      ) : (
        <p>Its address answers no more. Clients that are connected are cut off.</p>
      )}
      {hasOwn && (
        <Check
          checked={isWithConnector}
          onChange={setWithConnector}
          label={`Delete the connector ${own.name} too`}
          hint="It was made for this server and is in no catalog."
        />
      )}
      {error !== null && <Failure title={`Cannot delete ${name}.`} error={error} />}
    </Confirm>
  )
}
