import type { SessionView } from '@herma/contract'
import { Link } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { Confirm } from '../../ui/overlay/dialog.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { sessionTopics } from '../change-session.ts'

interface DeleteSessionProps {
  readonly session: SessionView
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

/** Asks before a session goes, and says what goes with it. */
export function DeleteSession({ session: { name, teams }, onClose, onDeleted }: DeleteSessionProps) {
  const { mutate, isPending, error } = useChange({
    send: () => api.removeSession({ name }),
    topics: sessionTopics,
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
      action="Delete session"
      pending={isPending}
      onClose={onClose}
      onConfirm={() => mutate()}
    >
      <p>Everybody’s threads with it, and what is attached to it, are gone then. Its key and its traces stay.</p>
      {teams.length > 0 && (
        <p>
          It is a member of{' '}
          {teams.map((team, index) => (
            <span key={team}>
              {index > 0 && ', '}
              <Link to="/servers/$name" params={{ name: team }} className="text-accent-text underline">
                {team}
              </Link>
            </span>
          ))}
          : take it out there first.
        </p>
      )}
      {error !== null && <Failure title={`Cannot delete ${name}.`} error={error} />}
    </Confirm>
  )
}
