import type { ApiKeyView, NewApiKey } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useMay, useMe } from '../../api/me.ts'
import { keysQuery } from '../../api/queries.ts'
import { useChange } from '../../api/use-change.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { formatAgo, formatTime } from '../../ui/format.ts'
import { ConfirmChange } from '../../ui/overlay/confirm-change.tsx'
import { Once } from '../../ui/overlay/once.tsx'
import { Loaded } from '../../ui/page/page-state.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { AddKey } from './add-key.tsx'

/** Keys with which programs get in without a person. */
export function KeysSection() {
  const keys = useQuery(keysQuery)
  const mayAdd = useMay('member')
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<NewApiKey | null>(null)
  const [ending, setEnding] = useState<string | null>(null)
  const revoke = useChange({
    send: (name: string) => api.revokeKey({ name }),
    topics: ['access'],
    done: (_, name) => `The key ${name} is refused from now on.`,
    onDone: () => setEnding(null),
  })
  const addButton = (
    <Button size="sm" onClick={() => setAdding(true)}>
      <Plus aria-hidden /> Add key
    </Button>
  )
  return (
    <Card
      title="API keys"
      hint="For programs and clients that cannot sign in with a browser."
      {...(mayAdd ? { actions: addButton } : {})}
    >
      <Loaded query={keys} what="the API keys">
        {(found) =>
          found.length === 0 ? (
            <p className="px-4 py-3 text-ink-2">
              No keys. Programs of this machine need none, until the hub has a public URL.
            </p>
          ) : (
            <Rows label="API keys">
              {found.map((key) => (
                <KeyRow key={key.name} view={key} onRevoke={() => setEnding(key.name)} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      {isAdding && (
        <AddKey
          onClose={() => setAdding(false)}
          onMade={(key) => {
            setAdding(false)
            setMade(key)
          }}
        />
      )}
      {made !== null && (
        <Once title={`The key ${made.view.name}`} label="the key" value={made.key} onClose={() => setMade(null)}>
          <p>
            Clients send it as the header <code className="font-mono text-sm">Authorization: Bearer …</code>
          </p>
        </Once>
      )}
      {ending !== null && (
        <ConfirmChange
          title={`Revoke the key ${ending}?`}
          action="Revoke key"
          change={revoke}
          input={ending}
          onClose={() => setEnding(null)}
        >
          <p>Whoever uses it is refused at once. It cannot be brought back.</p>
        </ConfirmChange>
      )}
    </Card>
  )
}

function KeyRow({ view, onRevoke }: { view: ApiKeyView; onRevoke: () => void }) {
  const [isOwner, isAdmin] = [useMay('owner'), useMay('admin')]
  const { data: me } = useMe()
  const { name, role, scopes, servers, expiresAt, limits, hint, madeBy, lastUsedAt } = view
  const isExpired = isPast(expiresAt)
  const detail = [
    scopes.join(', '),
    servers === null ? 'all servers' : `only ${servers.join(', ')}`,
    limits === null ? null : describeLimits(limits),
    expiresAt === null ? 'does not expire' : `${isExpired ? 'expired' : 'expires'} ${formatTime(expiresAt)}`,
    lastUsedAt === null ? 'never used' : `used ${formatAgo(lastUsedAt)}`,
    `made by ${madeBy}`,
  ]
  return (
    <Row
      title={
        <>
          {name} <span className="font-mono text-sm font-normal text-ink-3">{hint}…</span>
        </>
      }
      badges={
        <>
          <Badge>{role}</Badge>
          {isExpired && <Badge tone="warn">expired</Badge>}
        </>
      }
      detail={detail.filter((part) => part !== null).join(' · ')}
      actions={
        (isOwner || (role !== 'owner' && ((isAdmin && role !== 'admin') || madeBy === me?.id))) && (
          <Button size="sm" variant="danger" aria-label={`Revoke ${name}`} onClick={onRevoke}>
            Revoke
          </Button>
        )
      }
    />
  )
}

function describeLimits({ callsPerMinute, concurrency }: NonNullable<ApiKeyView['limits']>): string {
  return `${callsPerMinute ?? 'any number of'} calls a minute, ${concurrency ?? 'any number'} at once`
}

function isPast(at: string | null): boolean {
  return at !== null && Date.parse(at) < Date.now()
}
