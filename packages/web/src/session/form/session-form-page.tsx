import { ProviderKind, type SessionView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { sessionsQuery } from '../../api/queries.ts'
import { buttonStyle } from '../../ui/button.tsx'
import { Failure, Loaded } from '../../ui/page/page-state.tsx'
import { Page } from '../../ui/page/page.tsx'
import { SessionForm } from './session-form.tsx'

const above = [{ label: 'Sessions', to: '/sessions' }]

/** A new session, or one that is edited. */
export default function SessionFormPage() {
  const { name } = useParams({ strict: false })
  const { provider } = useSearch({ strict: false })
  const query = useQuery({ ...sessionsQuery, enabled: name !== undefined })
  if (name === undefined) {
    const first = ProviderKind.safeParse(provider)
    return (
      <Page title="New session" above={above} className="pb-0">
        <SessionForm session={null} provider={first.success ? first.data : 'openai'} />
      </Page>
    )
  }
  return (
    <Page title={name} above={above} className="pb-0" actions={<Links name={name} />}>
      <Loaded query={query} what="the session">
        {(sessions) => <Stored session={sessions.find((each) => each.name === name)} name={name} />}
      </Loaded>
    </Page>
  )
}

function Stored({ session, name }: { session: SessionView | undefined; name: string }) {
  if (session === undefined)
    return <Failure title={`No session is named ${name}.`} error={new Error('Choose one from the list of sessions.')} />
  return <SessionForm key={session.id} session={session} provider={session.provider} />
}

function Links({ name }: { name: string }) {
  return (
    <>
      <Link to="/bindings" search={{ text: name }} className={buttonStyle()}>
        Attach connectors
      </Link>
      <Link to="/sessions/$name" params={{ name }} className={buttonStyle()}>
        Chat
      </Link>
    </>
  )
}
