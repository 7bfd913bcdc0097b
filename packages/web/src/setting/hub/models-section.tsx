import { usualKeySecrets, type SessionView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { sessionsQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/page/page-state.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

/** Which sessions use which provider, and with which key. */
export function ModelsSection() {
  const sessions = useQuery(sessionsQuery)
  return (
    <Card title="Model providers" hint="Each session names its provider and the secret that is its key.">
      <Loaded query={sessions} what="the sessions">
        {(found) =>
          found.length === 0 ? (
            <p className="px-4 py-3 text-ink-2">
              No sessions yet. A provider is chosen when{' '}
              <Link to="/sessions" className="underline">
                a session
              </Link>{' '}
              is added.
            </p>
          ) : (
            <Rows label="Sessions and their providers">
              {found.map((session) => (
                <Row
                  key={session.name}
                  title={
                    <Link
                      to="/sessions/$name/edit"
                      params={{ name: session.name }}
                      className="rounded-sm hover:underline"
                    >
                      {session.name}
                    </Link>
                  }
                  badges={<Badge>{session.provider}</Badge>}
                  detail={[session.model, session.baseUrl].filter(Boolean).join(' · ')}
                  actions={<KeyState session={session} />}
                />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Card>
  )
}

function KeyState({ session: { name, provider, keySecret, hasKey } }: { session: SessionView }) {
  const secret = keySecret ?? usualKeySecrets[provider]
  if (secret === undefined) return <span className="text-sm text-ink-3">needs no key</span>
  return (
    <span className="text-sm">
      <StatusDot tone={hasKey ? 'ok' : 'bad'}>
        {secret}:{' '}
        {hasKey ? (
          'stored'
        ) : (
          <Link to="/sessions/$name/edit" params={{ name }} className="underline">
            missing, enter it
          </Link>
        )}
      </StatusDot>
    </span>
  )
}
