import type { SessionView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../api/me.ts'
import { sessionsQuery } from '../../api/queries.ts'
import { Button, buttonStyle } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Input } from '../../ui/form/field.tsx'
import { Empty, Failure, Loaded } from '../../ui/page/page-state.tsx'
import { Page } from '../../ui/page/page.tsx'
import { useRowKeys } from '../../ui/page/use-row-keys.ts'
import { describeProvider } from '../provider-kinds.ts'
import { totalsQuery } from '../threads-query.ts'
import { SessionRow } from './session-row.tsx'

/** The agents that a person can talk to, and that teams and clients can use. */
export default function SessionsPage() {
  const sessions = useQuery(sessionsQuery)
  const mayChange = useMay('admin')
  const actions = mayChange && sessions.data !== undefined && sessions.data.length > 0 && (
    <Link to="/sessions/new" className={buttonStyle({ variant: 'primary' })}>
      <Plus aria-hidden />
      New session
    </Link>
  )
  const hint = sessions.data === undefined || sessions.data.length === 0 ? undefined : summarize(sessions.data)
  return (
    <Page title="Sessions" hint={hint} actions={actions}>
      <Loaded query={sessions} what="the sessions">
        {(all) => (all.length === 0 ? <First mayChange={mayChange} /> : <SessionList sessions={all} />)}
      </Loaded>
    </Page>
  )
}

function First({ mayChange }: { mayChange: boolean }) {
  return (
    <Empty
      title="No session yet"
      actions={
        mayChange && (
          <>
            <Link to="/sessions/new" search={{ provider: 'openai' }} className={buttonStyle({ variant: 'primary' })}>
              <Plus aria-hidden />
              With a provider’s key
            </Link>
            <Link to="/sessions/new" search={{ provider: 'openai-compatible' }} className={buttonStyle()}>
              With Ollama or another local model
            </Link>
            <Link to="/sessions/new" search={{ provider: 'sampling' }} className={buttonStyle()}>
              With your client’s model
            </Link>
          </>
        )
      }
    >
      <p>
        A session is a model with instructions, a folder and tools. Talk to it here, let your clients call it as a
        server, or make it a member of a team.
      </p>
      {!mayChange && <p className="mt-2">An admin can create one.</p>}
    </Empty>
  )
}

function SessionList({ sessions }: { sessions: readonly SessionView[] }) {
  const { filter = '' } = useSearch({ from: '/sessions' })
  const navigate = useNavigate({ from: '/sessions' })
  const totals = useQuery(totalsQuery).data ?? []
  const [problem, setProblem] = useState<{ title: string; error: unknown } | null>(null)
  useRowKeys()
  const words = filter.toLowerCase().split(/\s+/)
  const shown = sessions.filter((session) => matches(session, words))
  const search = (text: string) => void navigate({ search: text === '' ? {} : { filter: text }, replace: true })
  return (
    <>
      <div className="w-full sm:w-72">
        <Input
          data-filter
          type="search"
          aria-label="Filter sessions"
          placeholder="Filter by name, model or ability"
          value={filter}
          onChange={(event) => search(event.target.value)}
        />
      </div>
      {problem !== null && <Failure {...problem} />}
      {shown.length === 0 ? (
        <Empty title="No session matches" actions={<Button onClick={() => search('')}>Show all sessions</Button>} />
      ) : (
        <Card className="overflow-x-clip">
          <table className="w-full table-fixed text-left">
            <caption className="sr-only">Sessions</caption>
            <thead className="text-sm text-ink-3">
              <tr className="border-b border-line *:px-2 *:py-2 *:font-medium">
                <th scope="col" className="pl-4! sm:w-[36%] md:w-[22%]">
                  Name
                </th>
                <th scope="col" className="hidden w-[22%] md:table-cell">
                  Model
                </th>
                <th scope="col" className="hidden sm:table-cell">
                  Health
                </th>
                <th scope="col" className="hidden w-[14%] xl:table-cell">
                  Offers
                </th>
                <th scope="col" className="hidden w-25 lg:table-cell">
                  Your threads
                </th>
                <th scope="col" className="w-18">
                  Enabled
                </th>
                <th scope="col" className="w-12 pr-2!">
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {shown.map((session) => (
                <SessionRow
                  key={session.id}
                  session={session}
                  totals={totals.find((each) => each.session === session.name)}
                  onProblem={setProblem}
                />
              ))}
            </tbody>
          </table>
        </Card>
      )}
    </>
  )
}

function matches(session: SessionView, words: readonly string[]): boolean {
  const { name, description, offered, bindings } = session
  const text = [name, description, describeProvider(session), ...offered, ...bindings].join(' ').toLowerCase()
  return words.every((word) => text.includes(word))
}

function summarize(sessions: readonly SessionView[]): string {
  const bad = sessions.filter(({ health }) => health.state === 'unready' || health.state === 'failing').length
  if (bad === 0) return 'Talk to one, or let your clients and teams use it.'
  return bad === 1 ? '1 needs attention.' : `${bad} need attention.`
}
