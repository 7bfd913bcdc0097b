import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { accessSettingsQuery } from '../../api/queries.ts'
import { Card } from '../../ui/card.tsx'
import { CodeBox } from '../../ui/code-box.tsx'

/** Where clients that have no key send a person to sign in. */
export function SignInCard({ path }: { path: string }) {
  const settings = useQuery(accessSettingsQuery).data
  if (settings === undefined) return null
  const issuer = settings.publicUrl ?? location.origin
  const addresses = [
    ['Issuer', issuer, 'Where people sign in.'],
    ['Metadata', `${issuer}/.well-known/oauth-protected-resource${path}`, 'Clients find everything else from here.'],
  ] as const
  return (
    <Card title="Sign-in with OAuth" hint="A client without a key sends its person here, who signs in and agrees.">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
        {settings.publicUrl === null && (
          <p className="text-ink-2">
            Only this machine reaches the hub now. Give it a public address in{' '}
            <Link to="/settings" className="underline">
              Settings
            </Link>{' '}
            so that others can sign in.
          </p>
        )}
        {addresses.map(([label, address, hint]) => (
          <div key={label} className="grid grid-cols-[minmax(0,1fr)] gap-1">
            <h3 className="text-sm font-medium">{label}</h3>
            <CodeBox text={address} label={`the ${label.toLowerCase()}`} />
            <p className="text-sm text-ink-3">{hint}</p>
          </div>
        ))}
        <p className="text-sm text-ink-3">
          {settings.registration
            ? 'Clients register themselves.'
            : 'Clients cannot register themselves; turn it on in Settings when one needs it.'}
        </p>
      </div>
    </Card>
  )
}
