import { ApiKeyInput, type ApiKeyView, type NewApiKey } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { keysQuery } from '../../api/queries.ts'
import { useChange } from '../../api/use-change.ts'
import { useForm } from '../../form/use-form.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { describe, Field, Input } from '../../ui/form/field.tsx'
import { formatAgo } from '../../ui/format.ts'
import { Confirm } from '../../ui/overlay/dialog.tsx'
import { Once } from '../../ui/overlay/once.tsx'
import { Failure, Loaded } from '../../ui/page/page-state.tsx'
import { Row, Rows } from '../../ui/rows.tsx'

interface ServerKeysProps {
  readonly server: string
  readonly keyHeader: string
}

/** The API keys that open a server: made here for it alone, shown once, stored as a hash. */
export function ServerKeys({ server, keyHeader }: ServerKeysProps) {
  const mayAdd = useMay('member')
  const keys = useQuery({ ...keysQuery, enabled: mayAdd })
  const [made, setMade] = useState<NewApiKey | null>(null)
  if (!mayAdd) return null
  return (
    <Card title="API keys" hint="A key that you make here is for this server alone. It is stored as a hash.">
      <Loaded query={keys} what="the keys">
        {(all) => <KeyRows keys={all.filter(({ servers }) => servers === null || servers.includes(server))} />}
      </Loaded>
      <NewKey server={server} onMade={setMade} />
      {made !== null && (
        <KeyOnce value={made.key} keyHeader={keyHeader} name={made.view.name} onClose={() => setMade(null)} />
      )}
    </Card>
  )
}

/** A new key, this one time. */
export function KeyOnce(props: { value: string; keyHeader: string; name: string; onClose: () => void }) {
  const { value, keyHeader, name, onClose } = props
  const isBearer = keyHeader.toLowerCase() === 'authorization'
  return (
    <Once title={`The key ${name}`} label="the key" value={value} onClose={onClose}>
      <p>
        Clients send it in this header:{' '}
        <code className="font-mono">{isBearer ? 'Authorization: Bearer …' : `${keyHeader}: …`}</code>
      </p>
    </Once>
  )
}

function KeyRows({ keys }: { keys: readonly ApiKeyView[] }) {
  const [ending, setEnding] = useState<string | null>(null)
  const revoke = useChange({
    send: (name: string) => api.revokeKey({ name }),
    topics: ['access'],
    done: (_, name) => `The key ${name} is refused from now on`,
    onDone: () => setEnding(null),
  })
  if (keys.length === 0) return <p className="px-4 py-3 text-ink-2">No key opens this server yet.</p>
  return (
    <>
      <Rows label="API keys">
        {keys.map(({ name, hint, servers, lastUsedAt, expiresAt }) => (
          <Row
            key={name}
            title={<span className="font-mono text-sm">{name}</span>}
            badges={<Badge>{servers === null ? 'all servers' : 'this server'}</Badge>}
            detail={
              <>
                <span className="font-mono">{hint}…</span> used {formatAgo(lastUsedAt)}
                {expiresAt !== null && `, ends ${new Date(expiresAt).toLocaleDateString()}`}
              </>
            }
            actions={
              <Button size="sm" variant="danger" aria-label={`Revoke ${name}`} onClick={() => setEnding(name)}>
                Revoke
              </Button>
            }
          />
        ))}
      </Rows>
      <Confirm
        isOpen={ending !== null}
        title={`Revoke ${ending}?`}
        action="Revoke key"
        pending={revoke.isPending}
        onClose={() => setEnding(null)}
        onConfirm={() => ending !== null && revoke.mutate(ending)}
      >
        <p>Whoever uses this key is refused from now on. It cannot be taken back; make a new key instead.</p>
        {revoke.error !== null && <Failure title="The key was not revoked." error={revoke.error} />}
      </Confirm>
    </>
  )
}

const toInput = ({ keyName }: { keyName: string }) => ({ name: keyName.trim() })

function NewKey({ server, onMade }: { server: string; onMade: (key: NewApiKey) => void }) {
  const [initial] = useState(() => ({ keyName: '' }))
  const form = useForm({ initial, schema: ApiKeyInput, toInput })
  const make = useChange({
    send: (body: ApiKeyInput) => api.addKey({ body }),
    topics: ['access'],
    onDone: (key) => {
      form.reset({ keyName: '' })
      onMade(key)
    },
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    const input = form.submit()
    if (input !== null) make.mutate({ name: input.name, servers: [server] }, { onError: form.refuse })
  }
  const error = form.problem('name')
  return (
    <form noValidate onSubmit={submit} className="grid grid-cols-[minmax(0,1fr)] gap-3 border-t border-line px-4 py-3">
      <div className="flex flex-wrap items-end gap-2">
        <Field id="name" label="New key for this server" error={error} className="w-full sm:w-60">
          <Input
            {...describe('name', error)}
            mono
            placeholder="my-laptop"
            value={form.draft.keyName}
            onChange={(event) => form.change({ keyName: event.target.value })}
          />
        </Field>
        <Button type="submit" className="h-8.5" pending={make.isPending}>
          <KeyRound aria-hidden />
          Make key
        </Button>
      </div>
      {make.error !== null && form.problem('name') === undefined && (
        <Failure title="The key was not made." error={make.error} />
      )}
    </form>
  )
}
