import type { ApprovalAnswer, ChatInput } from '@herma/contract'

import { oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import type { Prompter } from '../../terminal/line-reader.ts'
import { type ApprovalWanted, askApproval } from './ask-approval.ts'
import { listenInterrupts, showTurn } from './show-turn.ts'

interface OneShot {
  readonly session: string
  readonly thread: string
  /** Whether it was begun for this. */
  readonly isNew: boolean
  readonly input: ChatInput
  /** Whether every tool call that wants an approval gets it. */
  readonly isApproving: boolean
}

/** Says one thing to a session and shows its answer. */
export async function runOneShot(cli: Cli, hub: HubClient, { isApproving, isNew, ...turn }: OneShot): Promise<void> {
  const lines = cli.terminal.isInteractive ? cli.terminal.openLines() : null
  let isKept = false
  try {
    await reportFailure(cli, async () => {
      const { state } = await showTurn(cli, hub, {
        ...turn,
        approve: (wanted) => approve(cli, turn.session, { wanted, lines, isApproving }),
        onInterrupt: (listener) => listenInterrupts(lines, listener),
      })
      isKept = state === 'done'
      if (isKept) return
      cli.exitCode = exitCodes.failed
      cli.terminal.note('Cancelled. Nothing of it is kept.')
    })
  } finally {
    lines?.close()
    // Nothing was kept of the only turn, so that there is nothing to go on with.
    if (isNew && !isKept) await forget(cli, hub, turn)
  }
  if (isKept && cli.terminal.isScreen) cli.terminal.note(`Go on: herma chat ${turn.session} --thread ${turn.thread}`)
}

async function forget({ terminal }: Cli, hub: HubClient, { session, thread }: Pick<OneShot, 'session' | 'thread'>) {
  await hub.api.removeThread({ name: session, thread }).catch((error: Error) => terminal.note(error.message))
}

async function approve(
  { terminal }: Cli,
  session: string,
  { wanted, lines, isApproving }: { wanted: ApprovalWanted; lines: Prompter | null; isApproving: boolean },
): Promise<ApprovalAnswer['answer']> {
  if (isApproving) return 'once'
  if (lines !== null) return askApproval(wanted, lines, terminal)
  const next = `Allow all with --yes, or this one for good: herma session edit ${session} --approved NAME`
  terminal.note(`'${oneLine(wanted.name)}' is not called: it needs an approval, and nobody is here to ask. ${next}`)
  return 'refuse'
}

/** A program has seen the failure as an event already. */
export async function reportFailure(cli: Cli, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!cli.terminal.isMachine || !(error instanceof CliError) || error.exitCode !== exitCodes.downstreamFailed)
      throw error
    cli.exitCode = error.exitCode
  }
}

/** Shows the turn that is under way in a thread. Ctrl-C ends the watching, not the turn. */
export async function followThread(cli: Cli, hub: HubClient, place: { session: string; id: string }): Promise<void> {
  const { terminal } = cli
  const turn = { session: place.session, thread: place.id, input: null }
  await reportFailure(cli, async () => {
    await showTurn(cli, hub, {
      ...turn,
      async approve(wanted) {
        // Whoever began the turn may be there to answer.
        if (!terminal.isInteractive) return null
        const lines = terminal.openLines()
        try {
          return await askApproval(wanted, lines, terminal)
        } finally {
          lines.close()
        }
      },
    })
  })
}
