import type { ApprovalAnswer } from '@herma/contract'
import { useState } from 'react'
import { useMay } from '../../../api/me.ts'
import { Button } from '../../../ui/button.tsx'
import { CodeBox } from '../../../ui/code-box.tsx'
import { explain } from '../../../ui/explain.ts'
import { JsonBox } from '../../../ui/json-box.tsx'
import { readCommit, wishOf } from './read-commit.ts'
import type { ToolBlock } from './turn.ts'

interface ApprovalProps {
  readonly session: string
  readonly call: ToolBlock
  readonly onAnswer: (approval: string, answer: ApprovalAnswer['answer']) => Promise<void>
}

/** Asks whether a tool may be called. The session waits meanwhile. */
export function Approval({ session, call, onAnswer }: ApprovalProps) {
  const mayAlways = useMay('admin')
  const [pending, setPending] = useState<ApprovalAnswer['answer'] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const commit = readCommit(call)
  async function give(answer: ApprovalAnswer['answer']) {
    if (pending !== null) return
    setPending(answer)
    setProblem(null)
    try {
      await onAnswer(call.approval!.id, answer)
    } catch (error) {
      setProblem(explain(error))
    } finally {
      setPending(null)
    }
  }
  const button = (answer: ApprovalAnswer['answer'], label: string) => (
    <Button
      size="sm"
      variant={answer === 'once' ? 'primary' : answer === 'refuse' ? 'danger' : 'outline'}
      pending={pending === answer}
      onClick={() => void give(answer)}
    >
      {label}
    </Button>
  )
  return (
    <div
      role="group"
      aria-label={`Allow ${session} to ${wishOf(call)}?`}
      className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2.5 rounded-md border border-warn bg-warn-soft p-3"
    >
      <p className="[overflow-wrap:anywhere]">
        <strong>{session}</strong> wants to {wishOf(call)}:
      </p>
      {commit === null ? (
        <JsonBox value={call.arguments} label={`what ${call.name} would get`} />
      ) : (
        <CodeBox text={commit.diff} label="the changes" isTall />
      )}
      <div className="flex flex-wrap gap-2">
        {button('once', 'Allow once')}
        {button('session', 'Allow in this thread')}
        {mayAlways && button('always', 'Always allow')}
        {button('refuse', 'Refuse')}
      </div>
      {problem !== null && (
        <p role="alert" className="text-sm text-bad">
          {problem}
        </p>
      )}
    </div>
  )
}

const answers = {
  once: 'Allowed once.',
  session: 'Allowed in this thread.',
  always: 'Always allowed from now on.',
  refuse: 'Refused.',
  gone: 'Nothing waits for this answer any more.',
} as const

export function ApprovalOutcome({ call }: { call: ToolBlock }) {
  const answer = call.approval?.answer ?? null
  return answer === null ? null : <p className="pl-2.5 text-sm text-ink-3">{answers[answer]}</p>
}
