import type { ApprovalAnswer, ChatEvent } from '@herma/contract'

import { cleanText, oneLine } from '../../terminal/clean-text.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import type { Prompter } from '../../terminal/line-reader.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { describeCall } from './describe-message.ts'

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
  lines: Prompter,
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
  try {
    await hub.api.answerApproval({ name: session, approval, body: { answer } })
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== exitCodes.notFound) throw error
    terminal.note(error.message)
  }
}

/** A unified diff for people. */
export function colourDiff(diff: string, terminal: Terminal): string {
  return cleanText(diff)
    .split('\n')
    .map((line) => (line.startsWith('+') ? terminal.style('green', line) : colourRemoved(line, terminal)))
    .join('\n')
}

function colourRemoved(line: string, terminal: Terminal): string {
  return line.startsWith('-') ? terminal.style('red', line) : line
}
