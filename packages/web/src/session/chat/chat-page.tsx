import type { SessionView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Info, MessagesSquare, PanelRight, Settings2, Waypoints } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useMay } from '../../api/me.ts'
import { sessionsQuery } from '../../api/queries.ts'
import { Button, buttonStyle } from '../../ui/button.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { Failure, Loaded } from '../../ui/page/page-state.tsx'
import { Page } from '../../ui/page/page.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useMedia } from '../../ui/use-media.ts'
import { describeSessionHealth } from '../describe-session-health.ts'
import { describeProvider } from '../provider-kinds.ts'
import { SessionFacts } from './session-facts.tsx'
import { Talk } from './talk.tsx'
import { ThreadList } from './thread-list.tsx'
import { TracePanel } from './trace-panel.tsx'

const above = [{ label: 'Sessions', to: '/sessions' }]

export default function ChatPage() {
  const { name } = useParams({ from: '/sessions/$name' })
  const query = useQuery(sessionsQuery)
  const session = query.data?.find((each) => each.name === name)
  if (session !== undefined) return <Chat key={name} session={session} />
  return (
    <Page title={name} above={above}>
      <Loaded query={query} what="the session">
        {(sessions) => (
          <Failure
            title={`No session is named ${name}.`}
            error={
              new Error(
                sessions.length === 0
                  ? 'There is none yet. Create one first.'
                  : `There are: ${sessions.map((each) => each.name).join(', ')}`,
              )
            }
          />
        )}
      </Loaded>
    </Page>
  )
}

/** Threads, talk and details beside each other; on a narrow window the first and the last are behind buttons. */
function Chat({ session }: { session: SessionView }) {
  const { name } = session
  const { thread, trace } = useSearch({ from: '/sessions/$name' })
  const navigate = useNavigate()
  const [mayTalk, mayChange] = [useMay('member'), useMay('admin')]
  const isWide = useMedia('(min-width: 64rem)')
  const [showsThreads, setShowsThreads] = useState(false)
  const [showsDetails, setShowsDetails] = useState(() => matchMedia('(min-width: 96rem)').matches)
  const open = useCallback(
    (next: { thread?: string; trace?: string }) =>
      void navigate({ to: '/sessions/$name', params: { name }, search: next }),
    [navigate, name],
  )
  const onTrace = useCallback(
    (traceId: string) => open({ ...(thread !== undefined && { thread }), trace: traceId }),
    [open, thread],
  )
  const hasDetails = showsDetails || trace !== undefined
  const closeDetails = () => {
    setShowsDetails(false)
    if (trace !== undefined) open(thread === undefined ? {} : { thread })
  }
  const threads = (
    <ThreadList
      session={name}
      open={thread}
      mayTalk={mayTalk}
      onPick={() => setShowsThreads(false)}
      onOpen={(next) => {
        setShowsThreads(false)
        open(next === undefined ? {} : { thread: next })
      }}
    />
  )
  const details = (
    <Details session={session} trace={trace} onFacts={() => open(thread === undefined ? {} : { thread })} />
  )
  const { tone, text } = describeSessionHealth(session)
  return (
    <Page
      title={name}
      above={above}
      width="wide"
      className="h-[calc(100dvh-3rem)] grid-rows-[auto_minmax(0,1fr)] gap-3 pt-3 pb-0"
      hint={
        <span className="flex flex-wrap gap-x-3 text-sm">
          {describeProvider(session)}
          <StatusDot tone={tone}>{text}</StatusDot>
        </span>
      }
      actions={
        <>
          {!isWide && (
            <Button onClick={() => setShowsThreads(true)}>
              <MessagesSquare aria-hidden />
              Threads
            </Button>
          )}
          <Button
            aria-pressed={hasDetails}
            onClick={() => (hasDetails ? closeDetails() : setShowsDetails(true))}
            className="aria-pressed:bg-well"
          >
            <PanelRight aria-hidden />
            Details
          </Button>
          {mayChange && (
            <Link to="/sessions/$name/edit" params={{ name }} className={buttonStyle()}>
              <Settings2 aria-hidden />
              Edit
            </Link>
          )}
        </>
      }
    >
      <div className="flex min-h-0 border-t border-line">
        {isWide && (
          <aside aria-label="Threads" className="flex w-60 shrink-0 flex-col border-r border-line pt-3 pr-3">
            {threads}
          </aside>
        )}
        <div className="flex min-h-0 min-w-0 flex-1 flex-col lg:px-4">
          <Talk
            key={thread ?? ''}
            session={session}
            thread={thread}
            mayTalk={mayTalk}
            onThread={(next) => open({ thread: next })}
            onTrace={onTrace}
          />
        </div>
        {isWide && hasDetails && (
          <aside aria-label="Details" className="w-80 shrink-0 overflow-y-auto border-l border-line pl-4">
            {details}
          </aside>
        )}
      </div>
      <Dialog isOpen={!isWide && showsThreads} title="Threads" shape="drawer" onClose={() => setShowsThreads(false)}>
        <div className="flex flex-col p-3">{threads}</div>
      </Dialog>
      <Dialog isOpen={!isWide && hasDetails} title="Details" shape="drawer" onClose={closeDetails}>
        <div className="px-4 pb-4">{details}</div>
      </Dialog>
    </Page>
  )
}

interface DetailsProps {
  readonly session: SessionView
  readonly trace: string | undefined
  readonly onFacts: () => void
}

function Details({ session, trace, onFacts }: DetailsProps) {
  const facts = (
    <div className="py-4">
      <SessionFacts session={session} />
    </div>
  )
  if (trace === undefined) return facts
  return (
    <Tabs
      label="Details"
      listClassName="px-0"
      value="trace"
      onChange={(id) => id === 'facts' && onFacts()}
      tabs={[
        {
          id: 'trace',
          label: (
            <span className="flex items-center gap-1.5">
              <Waypoints className="size-4" aria-hidden /> Trace
            </span>
          ),
          body: (
            <div className="py-4">
              <TracePanel traceId={trace} />
            </div>
          ),
        },
        {
          id: 'facts',
          label: (
            <span className="flex items-center gap-1.5">
              <Info className="size-4" aria-hidden /> Session
            </span>
          ),
          body: facts,
        },
      ]}
    />
  )
}
