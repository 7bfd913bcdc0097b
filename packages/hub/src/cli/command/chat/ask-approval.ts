import type { ApprovalAnswer, ChatEvent } from '@herma/contract'

import { oneLine } from '../../clean-text.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import type { HubClient } from '../../hub-client.ts'
import type { LineReader } from '../../line-reader.ts'
import type { Terminal } from '../../terminal.ts'
import { describeCall } from '../session/describe-message.ts'
import { sessionPath } from '../session/session-path.ts'
import { colourDiff } from './colour-diff.ts'

export type ApprovalWanted = Extract<ChatEvent, { type: 'approval-wanted' }>
type Answer = ApprovalAnswer['answer']

const words: Readonly<Record<string, Answer>> = {
  y: 'once',
  yes: 'once',
  s: 'session',
  session: 'session',
  a: 'always',
  always: 'always',
}

/** Asks the person at the terminal whether a tool may be called. Everything but a clear yes is no. */
export async function askApproval(
  { name, arguments: args }: ApprovalWanted,
  lines: LineReader,
  terminal: Terminal,
): Promise<Answer> {
  const diff = (args as { diff?: unknown } | null | undefined)?.diff
  // Changes are easier to judge as a diff than as arguments.
  if (typeof diff === 'string') terminal.note(colourDiff(diff.trimEnd(), terminal))
  const call = typeof diff === 'string' ? oneLine(name) : describeCall(name, args)
  terminal.note(`It wants to call ${terminal.style('bold', call)}`)
  const answer = await lines.askAnew('Allow it? [y]es, in this [s]ession, [a]lways, [N]o: ')
  return typeof answer === 'string' ? 'refuse' : (words[answer.text.trim().toLowerCase()] ?? 'refuse')
}

/** Tells the hub. An approval that somebody else gave, or that came too late, is only noted. */
export async function sendApproval(
  hub: HubClient,
  { session, approval, answer }: { session: string; approval: string; answer: Answer },
  terminal: Terminal,
): Promise<void> {
  const path = sessionPath(session, `/approvals/${encodeURIComponent(approval)}`)
  try {
    await hub.send('POST', path, { answer } satisfies ApprovalAnswer)
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== exitCodes.notFound) throw error
    terminal.note(error.message)
  }
}
