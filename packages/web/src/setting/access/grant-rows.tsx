import type { GrantView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { Button } from '../../ui/button.tsx'
import { formatAgo } from '../../ui/format.ts'
import { ConfirmChange } from '../../ui/overlay/confirm-change.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { grantsQuery } from '../setting-queries.ts'

/** Programs that act for people: what was allowed to them, and its end. */
export function GrantRows() {
  const { data: grants = [] } = useQuery(grantsQuery)
  const [ending, setEnding] = useState<GrantView | null>(null)
  const revoke = useChange({
    send: (id: string) => api.revokeGrant({ id }),
    topics: ['access'],
    done: () => 'Its tokens are refused from now on.',
    onDone: () => setEnding(null),
  })
  if (grants.length === 0) return null
  return (
    <>
      <h3 className="border-t border-line px-4 pt-3 pb-1 text-sm font-medium text-ink-2">Programs that act for them</h3>
      <Rows label="Programs that act for users">
        {grants.map((grant) => (
          <Row
            key={grant.id}
            title={grant.clientName}
            detail={`for ${grant.user} · ${grant.scopes.join(', ')} · ${grant.servers.join(', ')} · since ${formatAgo(grant.createdAt)}`}
            actions={
              <Button size="sm" variant="danger" onClick={() => setEnding(grant)}>
                Revoke
              </Button>
            }
          />
        ))}
      </Rows>
      {ending !== null && (
        <ConfirmChange
          title={`Revoke what ${ending.user} allowed ${ending.clientName}?`}
          action="Revoke"
          change={revoke}
          input={ending.id}
          onClose={() => setEnding(null)}
        >
          <p>Its tokens are refused at once. It can ask {ending.user} again.</p>
        </ConfirmChange>
      )}
    </>
  )
}
