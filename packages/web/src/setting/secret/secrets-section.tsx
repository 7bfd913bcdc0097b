import type { GeneratedSecret, SecretView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EllipsisVertical, Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { secretsQuery } from '../../api/queries.ts'
import { useChange } from '../../api/use-change.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { formatAgo } from '../../ui/format.ts'
import { ConfirmChange } from '../../ui/overlay/confirm-change.tsx'
import { Menu } from '../../ui/overlay/menu.tsx'
import { Once } from '../../ui/overlay/once.tsx'
import { Loaded } from '../../ui/page/page-state.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { EncryptionKeys } from './encryption-keys.tsx'
import { SetSecret } from './set-secret.tsx'

type Open =
  | { readonly what: 'set'; readonly secret: SecretView | null }
  | { readonly what: 'generate' | 'remove'; readonly secret: SecretView }

/** Values that connectors and sessions use by name, and that nobody can read again. */
export function SecretsSection() {
  const secrets = useQuery(secretsQuery)
  const mayChange = useMay('admin')
  const [open, setOpen] = useState<Open | null>(null)
  const [made, setMade] = useState<GeneratedSecret | null>(null)
  const close = () => setOpen(null)
  const generate = useChange({
    send: (name: string) => api.generateSecret({ name, body: {} }),
    topics: ['secrets', 'connectors', 'sessions'],
    onDone: (secret) => {
      close()
      setMade(secret)
    },
  })
  const remove = useChange({
    send: ({ name, usedBy }: SecretView) => api.removeSecret({ name, force: usedBy.length > 0 ? 'true' : 'false' }),
    topics: ['secrets', 'connectors', 'sessions'],
    done: (_, { name }) => `${name} is forgotten.`,
    onDone: close,
  })
  const addButton = (
    <Button size="sm" onClick={() => setOpen({ what: 'set', secret: null })}>
      <Plus aria-hidden /> Add secret
    </Button>
  )
  return (
    <Card
      title="Secrets"
      hint={
        <>
          Write <code className="font-mono">{'{secret:NAME}'}</code> where a connector needs one.
        </>
      }
      {...(mayChange ? { actions: addButton } : {})}
    >
      <Loaded query={secrets} what="the secrets">
        {(found) =>
          found.length === 0 ? (
            <p className="px-4 py-3 text-ink-2">
              No secrets by name. Values in a connector are kept with that connector.
            </p>
          ) : (
            <Rows label="Secrets">
              {found.map((secret) => (
                <Row
                  key={secret.name}
                  title={<span className="font-mono text-sm">{secret.name}</span>}
                  detail={
                    <>
                      {secret.description !== '' && `${secret.description} · `}
                      set {formatAgo(secret.updatedAt)} · <UsedBy names={secret.usedBy} />
                    </>
                  }
                  actions={
                    mayChange && (
                      <Menu
                        label={`Actions for ${secret.name}`}
                        items={[
                          { label: 'Replace', onSelect: () => setOpen({ what: 'set', secret }) },
                          { label: 'Generate another', onSelect: () => setOpen({ what: 'generate', secret }) },
                          { label: 'Remove', isDanger: true, onSelect: () => setOpen({ what: 'remove', secret }) },
                        ]}
                      >
                        <EllipsisVertical aria-hidden />
                      </Menu>
                    )
                  }
                >
                  {secret.problem !== null && <StatusDot tone="bad">{secret.problem}</StatusDot>}
                </Row>
              ))}
            </Rows>
          )
        }
      </Loaded>
      <EncryptionKeys />
      {open?.what === 'set' && (
        <SetSecret secret={open.secret} onClose={close} onGenerate={(name) => generate.mutateAsync(name)} />
      )}
      {open?.what === 'generate' && (
        <ConfirmChange
          title={`Generate another ${open.secret.name}?`}
          action="Generate"
          change={generate}
          input={open.secret.name}
          onClose={close}
        >
          <p>The stored value is replaced by a random one, which you see once.</p>
          {open.secret.usedBy.length > 0 && <p>These start anew with it: {open.secret.usedBy.join(', ')}.</p>}
        </ConfirmChange>
      )}
      {open?.what === 'remove' && (
        <ConfirmChange
          title={`Remove ${open.secret.name}?`}
          action={open.secret.usedBy.length > 0 ? 'Remove it all the same' : 'Remove secret'}
          change={remove}
          input={open.secret}
          onClose={close}
        >
          {open.secret.usedBy.length > 0 ? (
            <p>These use it and will fail until it is set again: {open.secret.usedBy.join(', ')}.</p>
          ) : (
            <p>No connector uses it. The value cannot be brought back.</p>
          )}
        </ConfirmChange>
      )}
      {made !== null && (
        <Once title={`The value of ${made.name}`} label="the value" value={made.value} onClose={() => setMade(null)}>
          <p>It is stored. Copy it for the other side that has to know it.</p>
        </Once>
      )}
    </Card>
  )
}

function UsedBy({ names }: { names: readonly string[] }) {
  if (names.length === 0) return <>not used</>
  return (
    <>
      used by{' '}
      {names.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <Link to="/connectors/$name" params={{ name }} className="underline underline-offset-2">
            {name}
          </Link>
        </span>
      ))}
    </>
  )
}
