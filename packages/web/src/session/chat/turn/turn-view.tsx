import type { ApprovalAnswer } from '@herma/contract'
import { Link } from '@tanstack/react-router'
import { CornerDownLeft, FileDiff, Info, LoaderCircle, Settings2, TriangleAlert } from 'lucide-react'
import { memo } from 'react'
import { Button, buttonStyle } from '../../../ui/button.tsx'
import { CodeBox } from '../../../ui/code-box.tsx'
import { count, formatTime } from '../../../ui/format.ts'
import { Failure } from '../../../ui/page/page-state.tsx'
import { formatCost } from '../../format-cost.ts'
import { Approval, ApprovalOutcome } from './approval.tsx'
import { Markdown } from './markdown.tsx'
import { readCommit } from './read-commit.ts'
import { ToolCall } from './tool-call.tsx'
import { isWaiting, type Block, type Turn } from './turn.ts'

export interface TurnViewProps {
  readonly turn: Turn
  readonly session: string
  readonly onAnswer: (approval: string, answer: ApprovalAnswer['answer']) => Promise<void>
  /** Shows the trace beside the talk; absent for those who may not see traces. */
  readonly onTrace?: ((traceId: string) => void) | undefined
  /** Puts what was said back where it was typed; absent once it is kept. */
  readonly onAgain?: ((said: string) => void) | undefined
}

/** What somebody said, and all that came of it. */
export const TurnView = memo(({ turn, session, onAnswer, onTrace, onAgain }: TurnViewProps) => {
  const isRunning = turn.state === 'running'
  return (
    <article className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3">
      {turn.said !== '' && (
        <div className="max-w-[85%] justify-self-end rounded-lg bg-accent-soft px-3.5 py-2 leading-6 whitespace-pre-wrap [overflow-wrap:anywhere]">
          <span className="sr-only">You: </span>
          {turn.said}
        </div>
      )}
      {turn.blocks.map((block, index) => (
        <BlockView key={index} block={block} isRunning={isRunning} session={session} onAnswer={onAnswer} />
      ))}
      {isRunning && !turn.blocks.some((block) => block.type === 'tool' && isWaiting(block)) && (
        <p className="flex items-center gap-2 text-sm text-ink-3">
          <LoaderCircle className="size-3.5 animate-spin" aria-hidden />
          {session} is at work
        </p>
      )}
      {turn.state === 'failed' && <Failed turn={turn} session={session} onAgain={onAgain} />}
      <Foot turn={turn} onTrace={onTrace} />
    </article>
  )
})
TurnView.displayName = 'TurnView'

interface BlockViewProps extends Pick<TurnViewProps, 'session' | 'onAnswer'> {
  readonly block: Block
  readonly isRunning: boolean
}

function BlockView({ block, isRunning, session, onAnswer }: BlockViewProps) {
  switch (block.type) {
    case 'text':
      return <Markdown text={block.text} />
    case 'reasoning':
      return (
        <details className="text-ink-2">
          <summary className="w-fit cursor-pointer text-sm text-ink-3 hover:text-ink">Thinking</summary>
          <p className="mt-1 border-l-2 border-line pl-3 text-sm [overflow-wrap:anywhere] whitespace-pre-wrap">
            {block.text}
          </p>
        </details>
      )
    case 'note':
    case 'warning': {
      const Sign = block.type === 'note' ? Info : TriangleAlert
      return (
        <p className="flex items-start gap-2 text-sm [overflow-wrap:anywhere] text-ink-2">
          <Sign className={`mt-px size-4 shrink-0 ${block.type === 'warning' ? 'text-warn' : ''}`} aria-hidden />
          <span className="min-w-0">{block.text}</span>
        </p>
      )
    }
    case 'image':
      return (
        <img
          src={`data:${block.mediaType};base64,${block.data}`}
          alt={`From ${session}`}
          className="max-h-96 max-w-full justify-self-start rounded-md border border-line"
        />
      )
    case 'diff':
      return (
        <details className="min-w-0 rounded-md border border-line bg-surface">
          <summary className="flex min-h-9 cursor-pointer list-none items-center gap-2 px-2.5 text-sm hover:bg-well">
            <FileDiff className="size-4 shrink-0 text-ink-3" aria-hidden />
            <span className="min-w-0 truncate">
              {count(block.files.length, 'file')} changed: <span className="font-mono">{block.files.join(', ')}</span>
            </span>
          </summary>
          <div className="border-t border-line p-2.5">
            <CodeBox text={block.diff} label="the changes" isTall />
          </div>
        </details>
      )
    case 'tool':
      return (
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
          {isRunning && isWaiting(block) ? (
            <Approval session={session} call={block} onAnswer={onAnswer} />
          ) : (
            // What is written stands above as a list of changes.
            readCommit(block) === null && <ToolCall call={block} isRunning={isRunning} />
          )}
          <ApprovalOutcome call={block} />
        </div>
      )
  }
}

function Failed({ turn, session, onAgain }: Pick<TurnViewProps, 'turn' | 'session' | 'onAgain'>) {
  const again = onAgain !== undefined && turn.said !== '' && (
    <Button size="sm" onClick={() => onAgain(turn.said)}>
      <CornerDownLeft aria-hidden />
      Edit and send again
    </Button>
  )
  if (turn.isStopped === true)
    return (
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-ink-2">
        You stopped this turn. Nothing of it was kept.
        {again}
      </div>
    )
  const isAboutSettings = /^(PROVIDER|SESSION|LIMIT|SECRET)_/.test(turn.problem?.code ?? '')
  const fix = (
    <>
      {again}
      {isAboutSettings && (
        <Link to="/sessions/$name/edit" params={{ name: session }} className={buttonStyle({ size: 'sm' })}>
          <Settings2 aria-hidden />
          Look at its settings
        </Link>
      )}
    </>
  )
  return <Failure title="The turn failed. Nothing of it was kept." error={new Error(turn.problem?.message)} fix={fix} />
}

/** What the turn took, and where all of it was recorded. */
function Foot({ turn: { usage, costUsd, traceId, at, state }, onTrace }: Pick<TurnViewProps, 'turn' | 'onTrace'>) {
  const figures = [
    ...(at === null ? [] : [formatTime(at)]),
    ...(usage === null ? [] : [count(usage.totalTokens, 'token')]),
    ...(costUsd === null ? [] : [formatCost(costUsd)]),
  ]
  if (figures.length === 0 && (traceId === null || onTrace === undefined)) return null
  return (
    <p className="tnum flex flex-wrap items-center gap-x-2 text-sm text-ink-3">
      {figures.join(' · ')}
      {traceId !== null && onTrace !== undefined && (
        <button
          type="button"
          onClick={() => onTrace(traceId)}
          className="rounded-sm underline hover:text-ink pointer-coarse:min-h-11"
        >
          {state === 'running' ? 'Follow its trace' : 'Trace'}
        </button>
      )}
    </p>
  )
}
