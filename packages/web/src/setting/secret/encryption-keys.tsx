import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { useChange } from '../../api/use-change.ts'
import { Button } from '../../ui/button.tsx'
import { count, formatAgo } from '../../ui/format.ts'
import { ConfirmChange } from '../../ui/overlay/confirm-change.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { secretKeysQuery } from '../setting-queries.ts'

type KeyKind = 'data' | 'master'

const places = {
  home: 'the file key in the state home',
  file: 'the file that HERMA_KEY_FILE names',
  command: 'what HERMA_KEY_COMMAND prints',
}

/** The two keys that seal every stored secret, and their replacement. */
export function EncryptionKeys() {
  const { data: keys } = useQuery(secretKeysQuery)
  const isOwner = useMay('owner')
  const [rotating, setRotating] = useState<KeyKind | null>(null)
  const rotate = useChange({
    send: (kind: KeyKind) =>
      api.rotateSecretKeys({ body: kind === 'master' ? { master: true } : {} }, { timeoutMs: 120_000 }),
    topics: ['secrets'],
    done: () => 'Every value is sealed with the new key.',
    onDone: () => setRotating(null),
  })
  if (keys === undefined) return null
  const active = keys.dataKeys.find(({ state }) => state === 'active')
  const button = (kind: KeyKind) =>
    isOwner && (
      <Button size="sm" aria-label={`Rotate the ${kind} key`} onClick={() => setRotating(kind)}>
        Rotate
      </Button>
    )
  return (
    <>
      <h3 className="border-t border-line px-4 pt-3 pb-1 text-sm font-medium text-ink-2">Encryption keys</h3>
      {keys.unopened > 0 && (
        <div className="px-4 py-2">
          <StatusDot tone="bad">
            {count(keys.unopened, 'stored value')} cannot be opened: another master key sealed{' '}
            {keys.unopened === 1 ? 'it' : 'them'}. Put that key back, or enter the values again.
          </StatusDot>
        </div>
      )}
      <Rows label="Encryption keys">
        <Row
          title="Data key"
          detail={active === undefined ? 'none yet' : `seals values since ${formatAgo(active.createdAt)}`}
          actions={button('data')}
        />
        <Row
          title="Master key"
          detail={`${places[keys.master.source]}, since ${formatAgo(keys.master.since)}${keys.master.next === null ? '' : ' · another one is prepared'}`}
          actions={button('master')}
        />
      </Rows>
      {rotating !== null && (
        <ConfirmChange
          title={`Rotate the ${rotating} key?`}
          action="Rotate"
          change={rotate}
          input={rotating}
          onClose={() => setRotating(null)}
        >
          {rotating === 'data' ? (
            <p>The hub makes another data key and seals every value anew. It serves on meanwhile.</p>
          ) : (
            <>
              <p>The hub replaces the key that seals the data keys. It serves on meanwhile.</p>
              <p>Back the new key up afterwards: copies of the database open only with it from then on.</p>
            </>
          )}
        </ConfirmChange>
      )}
    </>
  )
}
