import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { useChange } from '../../api/use-change.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBox } from '../../ui/code-box.tsx'
import { ConfirmChange } from '../../ui/overlay/confirm-change.tsx'
import { Loaded } from '../../ui/page/page-state.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { issuersQuery, providersQuery } from '../setting-queries.ts'
import { AddIssuer } from './add-issuer.tsx'
import { AddProvider } from './add-provider.tsx'

interface Removal {
  readonly kind: 'providers' | 'issuers'
  readonly name: string
}

/** Whom the hub believes when somebody says who they are. */
export function SignInSection() {
  const providers = useQuery(providersQuery)
  const issuers = useQuery(issuersQuery)
  const isOwner = useMay('owner')
  const [adding, setAdding] = useState<'provider' | 'issuer' | null>(null)
  const [removing, setRemoving] = useState<Removal | null>(null)
  const remove = useChange({
    send: ({ kind, name }: Removal) =>
      kind === 'providers' ? api.removeIdentityProvider({ name }) : api.removeTrustedIssuer({ name }),
    topics: ['access'],
    done: (_, { name }) => `${name} is gone.`,
    onDone: () => setRemoving(null),
  })
  const removeButton = (removal: Removal) =>
    isOwner && (
      <Button size="sm" variant="danger" aria-label={`Remove ${removal.name}`} onClick={() => setRemoving(removal)}>
        Remove
      </Button>
    )
  const actions = (
    <div className="flex flex-wrap gap-2">
      <Button size="sm" onClick={() => setAdding('provider')}>
        <Plus aria-hidden /> Add provider
      </Button>
      <Button size="sm" onClick={() => setAdding('issuer')}>
        <Plus aria-hidden /> Trust an issuer
      </Button>
    </div>
  )
  return (
    <Card
      title="Sign-in providers"
      hint="Identity providers that people sign in with, and issuers whose tokens count."
      {...(isOwner ? { actions } : {})}
    >
      <Loaded query={providers} what="the identity providers">
        {(found) =>
          found.length === 0 ? (
            <p className="px-4 py-3 text-ink-2">No identity providers: people sign in with a password of this hub.</p>
          ) : (
            <Rows label="Identity providers">
              {found.map(({ name, label, issuer, domains, createUsers, role, callbackUrl, problem }) => (
                <Row
                  key={name}
                  title={label}
                  badges={<Badge>{name}</Badge>}
                  detail={[
                    issuer,
                    domains.length === 0 ? 'any domain' : domains.join(', '),
                    createUsers ? `new people become ${role}` : 'only people who are users already',
                  ].join(' · ')}
                  actions={removeButton({ kind: 'providers', name })}
                >
                  {problem !== null && <StatusDot tone="bad">{problem}</StatusDot>}
                  <details className="text-sm">
                    <summary className="text-ink-2">Redirect address to register there</summary>
                    <div className="mt-2">
                      <CodeBox text={callbackUrl} label="the redirect address" />
                    </div>
                  </details>
                </Row>
              ))}
            </Rows>
          )
        }
      </Loaded>
      {issuers.data !== undefined && issuers.data.length > 0 && (
        <>
          <h3 className="border-t border-line px-4 pt-3 pb-1 text-sm font-medium text-ink-2">Trusted issuers</h3>
          <Rows label="Trusted issuers">
            {issuers.data.map(({ name, issuer, audience, role, scopes, problem }) => (
              <Row
                key={name}
                title={name}
                badges={<Badge>{role}</Badge>}
                detail={[issuer, audience ?? 'for the address of the server', scopes.join(', ')].join(' · ')}
                actions={removeButton({ kind: 'issuers', name })}
              >
                {problem !== null && <StatusDot tone="bad">{problem}</StatusDot>}
              </Row>
            ))}
          </Rows>
        </>
      )}
      {adding === 'provider' && <AddProvider onClose={() => setAdding(null)} />}
      {adding === 'issuer' && <AddIssuer onClose={() => setAdding(null)} />}
      {removing !== null && (
        <ConfirmChange
          title={`Remove ${removing.name}?`}
          action="Remove"
          change={remove}
          input={removing}
          onClose={() => setRemoving(null)}
        >
          <p>
            {removing.kind === 'providers'
              ? 'Its users stay. They need a password or another provider to sign in.'
              : 'Its tokens are refused from now on.'}
          </p>
        </ConfirmChange>
      )}
    </Card>
  )
}
