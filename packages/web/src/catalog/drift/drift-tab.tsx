import type { PinView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { pinsQuery } from '../../api/queries.ts'
import { useChange } from '../../api/use-change.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { count, formatAgo } from '../../ui/format.ts'
import { Failure, Loaded } from '../../ui/page/page-state.tsx'
import { useRowKeys } from '../../ui/page/use-row-keys.ts'
import { Row, Rows } from '../../ui/rows.tsx'
import { groupByServer } from '../arrange-tools.ts'
import { ApproveDialog } from './approve-dialog.tsx'
import { DriftCard } from './drift-card.tsx'
import { HistoryCard } from './history-card.tsx'
import type { ToolPlace } from './use-review.ts'

/** What differs from what was approved and intended, and how it was before. */
export function DriftTab() {
  const [reviewed, setReviewed] = useState<readonly ToolPlace[] | null>(null)
  useRowKeys(reviewed === null)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5 pt-4">
      <Loaded query={useQuery(pinsQuery)} what="what was approved">
        {(pins) => (
          <>
            <Waiting
              pins={pins.filter(({ reason, isOffered }) => reason !== null && isOffered)}
              onReview={setReviewed}
            />
            <Absent pins={pins.filter(({ isOffered, approvedHash }) => !isOffered && approvedHash !== null)} />
          </>
        )}
      </Loaded>
      <DriftCard />
      <HistoryCard />
      {reviewed !== null && <ApproveDialog places={reviewed} onClose={() => setReviewed(null)} />}
    </div>
  )
}

const riskWords = { info: 'Worth a look', warning: 'Suspicious', danger: 'Dangerous' } as const

function Waiting({ pins, onReview }: { pins: readonly PinView[]; onReview: (places: readonly ToolPlace[]) => void }) {
  const mayApprove = useMay('admin')
  const actions = pins.length > 1 && mayApprove && (
    <Button size="sm" onClick={() => onReview(pins)}>
      Review all {pins.length}
    </Button>
  )
  return (
    <Card
      title="Waiting for approval"
      hint="Tools that are new or that a server changed since you approved them."
      actions={actions}
    >
      {pins.length === 0 ? (
        <p className="p-4 text-ink-2">Every tool is as it was approved.</p>
      ) : (
        <Rows label="Tools that wait for approval">
          {pins.map((pin) => (
            <Row
              key={`${pin.connector}/${pin.tool}`}
              title={<span className="font-mono text-sm">{pin.tool}</span>}
              badges={
                <>
                  <Badge tone="warn">{pin.reason === 'new' ? 'New' : 'Changed'}</Badge>
                  {pin.risk !== null && (
                    <Badge tone={pin.risk === 'info' ? 'neutral' : 'bad'}>{riskWords[pin.risk]}</Badge>
                  )}
                  <Badge>{pin.state === 'blocked' ? 'Not served until approved' : 'Served meanwhile'}</Badge>
                </>
              }
              detail={
                <>
                  <ServerLink name={pin.connector} />, seen {formatAgo(pin.seenAt)}
                </>
              }
              actions={
                <Button size="sm" data-row onClick={() => onReview([pin])} aria-label={`Review ${pin.tool}`}>
                  Review
                </Button>
              }
            />
          ))}
        </Rows>
      )}
    </Card>
  )
}

function Absent({ pins }: { pins: readonly PinView[] }) {
  const mayDrop = useMay('admin')
  const drop = useChange({
    send: (server: string) => api.dropAbsentPins({ server }),
    topics: ['catalog', 'drift'],
    done: ({ tools }, server) => `${count(tools.length, 'tool')} of ${server} not expected any more.`,
  })
  if (pins.length === 0) return null
  return (
    <Card title="No longer offered" hint="Approved tools that their server does not list any more.">
      <Rows label="Tools that are gone">
        {[...groupByServer(pins)].map(([server, gone]) => (
          <Row
            key={server}
            title={<ServerLink name={server} />}
            detail={<span className="font-mono">{gone.map(({ tool }) => tool).join(', ')}</span>}
            actions={
              mayDrop && (
                <Button size="sm" pending={drop.isPending} onClick={() => drop.mutate(server)}>
                  Expect no more
                </Button>
              )
            }
          />
        ))}
      </Rows>
      {drop.error !== null && (
        <div className="p-4">
          <Failure title="They are still expected." error={drop.error} />
        </div>
      )}
    </Card>
  )
}

function ServerLink({ name }: { name: string }) {
  return (
    <Link to="/connectors/$name" params={{ name }} className="underline">
      {name}
    </Link>
  )
}
