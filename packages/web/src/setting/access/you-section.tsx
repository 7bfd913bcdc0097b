import type { Role } from '@herma/contract'
import { useMe } from '../../api/me.ts'
import { buttonStyle } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/page/page-state.tsx'
import { Facts } from '../../ui/rows.tsx'

/** What each role may do, for whoever gives or has one. */
export const roleTexts: Readonly<Record<Role, string>> = {
  owner: 'Everything, also owners, encryption keys and whom the hub trusts.',
  admin: 'Manages everything but owners, encryption keys and whom the hub trusts.',
  member: 'Uses every server; makes own keys and signs in to servers.',
  viewer: 'Looks and reads; calls only tools that are marked read-only.',
}

const kinds = {
  operator: 'The operator of this machine',
  user: 'A user of this hub',
  key: 'An API key',
  client: 'A program',
}

/** As whom one looks at the hub. */
export function YouSection() {
  const me = useMe()
  return (
    <Card title="You" hint="As whom this browser is signed in.">
      <Loaded query={me} what="who you are">
        {({ name, kind, role, scopes, servers }) => (
          <>
            <Facts
              facts={[
                ['Name', name],
                ['Signed in as', kinds[kind]],
                ['Role', `${role}. ${roleTexts[role]}`],
                ...(scopes === null ? [] : [['Scopes', scopes.join(', ')] as const]),
                ...(servers === null ? [] : [['Servers', servers.join(', ')] as const]),
              ]}
            />
            {kind === 'user' && (
              <div className="border-t border-line px-4 py-2.5">
                <a href="/auth/account" className={buttonStyle({ size: 'sm' })}>
                  Password, second factor, sign out
                </a>
              </div>
            )}
            {kind === 'operator' && (
              <p className="border-t border-line px-4 py-2.5 text-sm text-ink-2">
                This browser came in with <code className="font-mono">herma open</code>. To sign every such browser out,
                remove the file <code className="font-mono">operator-token</code> in the state home and start the hub
                again.
              </p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}
