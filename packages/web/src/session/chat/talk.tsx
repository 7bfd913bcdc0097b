import type { SessionView } from '@herma/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowDown } from 'lucide-react'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { Button } from '../../ui/button.tsx'
import { Failure, Loading } from '../../ui/page/page-state.tsx'
import { describeProvider } from '../provider-kinds.ts'
import { threadQuery } from '../threads-query.ts'
import { Composer, keepDraft } from './composer.tsx'
import { wishOf } from './turn/read-commit.ts'
import { TurnView } from './turn/turn-view.tsx'
import { findWaiting, toTurns, type Turn } from './turn/turn.ts'
import { answer, follow, forget, say, stop, useTurn } from './turn/turns.ts'
import { useStick } from './use-stick.ts'

interface TalkProps {
  readonly session: SessionView
  readonly thread: string | undefined
  readonly mayTalk: boolean
  readonly onThread: (thread: string) => void
  readonly onTrace: (traceId: string) => void
}

/** One thread: what was said, what happens now, and where one answers. */
export function Talk({ session, thread, mayTalk, onThread, onTrace }: TalkProps) {
  const { name } = session
  const queries = useQueryClient()
  const mayTrace = useMay('admin')
  const query = useQuery({ ...threadQuery(name, thread ?? ''), enabled: thread !== undefined })
  const live = useTurn(thread)
  const [problem, setProblem] = useState<unknown>(null)
  const [composer, setComposer] = useState(0)
  const draftKey = `${name}/${thread ?? 'new'}`
  const kept = useMemo(() => withHeard(toTurns(query.data?.messages ?? []), live), [query.data, live])
  const shown = isKept(live, kept) ? null : live
  const isRunning = live?.state === 'running' || query.data?.isRunning === true
  const { area, content, isStuck, jump } = useStick()

  const isRunningElsewhere = query.data?.isRunning === true && live?.state !== 'running'
  useEffect(() => {
    if (isRunningElsewhere && mayTalk && thread !== undefined) void follow({ session: name, thread })
  }, [isRunningElsewhere, mayTalk, name, thread])

  const send = async (text: string, cwd: string | undefined): Promise<boolean> => {
    setProblem(null)
    try {
      const into = thread ?? (await api.addThread({ name, body: { title: toTitle(text) } })).id
      void say({ session: name, thread: into }, cwd === undefined ? { text } : { text, cwd })
      if (thread === undefined) {
        await queries.invalidateQueries({ queryKey: ['threads', name] })
        onThread(into)
      }
      jump()
      return true
    } catch (error) {
      setProblem(error)
      return false
    }
  }
  const onAnswer = useCallback<Parameters<typeof TurnView>[0]['onAnswer']>(
    (approval, given) => answer({ session: name, thread: thread ?? '' }, approval, given),
    [name, thread],
  )
  const onAgain = useCallback(
    (said: string) => {
      keepDraft(draftKey, said)
      if (thread !== undefined) forget(thread)
      setComposer((version) => version + 1)
    },
    [draftKey, thread],
  )
  const traceProps = mayTrace ? { onTrace } : {}
  const waiting = findWaiting(live)

  return (
    <section aria-label="Conversation" className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="relative min-h-0 flex-1">
        <div
          ref={area}
          // What scrolls has to be reached without a mouse.
          {...{ tabIndex: 0, role: 'group', 'aria-label': 'Messages' }}
          className="h-full overflow-y-auto rounded-md -outline-offset-2"
        >
          <div ref={content} className="mx-auto grid max-w-[760px] grid-cols-[minmax(0,1fr)] gap-7 px-1 pt-2 pb-6">
            {thread === undefined && <Welcome session={session} />}
            {thread !== undefined && query.data === undefined && query.error === null && <Loading what="the thread" />}
            {query.data === undefined && query.error !== null && (
              <Failure title="Cannot show this thread." error={query.error} onRetry={() => void query.refetch()} />
            )}
            {kept.map((turn) => (
              <TurnView key={turn.key} turn={turn} session={name} onAnswer={onAnswer} {...traceProps} />
            ))}
            {shown !== null && (
              <TurnView turn={shown} session={name} onAnswer={onAnswer} onAgain={onAgain} {...traceProps} />
            )}
          </div>
        </div>
        {!isStuck && (
          <Button
            size="sm"
            onClick={jump}
            className="absolute bottom-2 left-1/2 -translate-x-1/2 rounded-full shadow-pop"
          >
            <ArrowDown aria-hidden />
            Jump to the newest
          </Button>
        )}
      </div>
      <div className="mx-auto grid w-full max-w-[760px] grid-cols-[minmax(0,1fr)] gap-2 px-1 pt-2 pb-3">
        <output className="sr-only">{tell(live, name)}</output>
        {waiting !== undefined && (
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-warn">
            <span className="min-w-0 [overflow-wrap:anywhere]">
              {name} waits for your answer: it wants to {wishOf(waiting)}.
            </span>
            <Button size="sm" onClick={focusApproval}>
              Go to the question
            </Button>
          </p>
        )}
        {problem !== null && <Failure title="It was not sent." error={problem} />}
        {mayTalk && session.provider !== 'sampling' ? (
          <Composer
            key={`${draftKey} ${composer}`}
            session={name}
            draftKey={draftKey}
            isRunning={isRunning}
            workingDir={session.workingDir}
            onSend={send}
            onStop={() => {
              if (thread !== undefined) stop({ session: name, thread }).catch(setProblem)
            }}
          />
        ) : (
          <p className="text-sm text-ink-2">
            {mayTalk
              ? 'This session works with the model of the client that calls it, so it cannot be talked to from here.'
              : 'You may look, not talk. Ask an admin for the role member.'}
          </p>
        )}
      </div>
    </section>
  )
}

/** What was heard of the newest turn tells more than what is kept of it: answers to questions, changes, warnings. */
function withHeard(kept: Turn[], live: Turn | null): Turn[] {
  if (live?.state !== 'done' || live.traceId === null) return kept
  return kept.map((turn) => (turn.traceId === live.traceId ? { ...turn, blocks: live.blocks } : turn))
}

/** A turn that is over is shown as it was kept; one that failed was not. */
function isKept(live: Turn | null, kept: readonly Turn[]): boolean {
  if (live === null) return true
  if (live.traceId !== null && kept.some(({ traceId }) => traceId === live.traceId)) return true
  return live.state === 'done' && live.said === ''
}

/** Said aloud when it changes: that it works, that it asks, that it is done; not every word. */
function tell(live: Turn | null, session: string): string {
  const waiting = findWaiting(live)
  if (waiting !== undefined) return `${session} wants to ${wishOf(waiting)}. Allow or refuse it.`
  if (live?.state === 'running') return `${session} is at work.`
  if (live?.state === 'done') return `${session} has answered.`
  return live?.isStopped === true ? 'Stopped.' : ''
}

/** A thread is found again by what it began with, also when its first turn fails. */
function toTitle(text: string): string {
  const line = text.split('\n', 1)[0]!.trim()
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

function focusApproval(): void {
  document.querySelector<HTMLElement>('[role="group"][aria-label^="Allow"] button.bg-accent')?.focus()
}

function Welcome({ session }: { session: SessionView }) {
  return (
    <div className="grid justify-items-center gap-1.5 px-4 pt-[12dvh] text-center">
      <p className="text-lg font-medium">Talk to {session.name}</p>
      <p className="max-w-[52ch] text-ink-2">
        {session.description || describeProvider(session)}
        {session.bindings.length === 0 && (
          <>
            {' '}
            It has no connectors yet.{' '}
            <Link to="/bindings" className="text-accent-text underline">
              Attach some
            </Link>{' '}
            to give it tools.
          </>
        )}
      </p>
    </div>
  )
}
