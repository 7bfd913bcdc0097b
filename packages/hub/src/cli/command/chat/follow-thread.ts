import type { Cli } from '../../cli.ts'
import type { HubClient } from '../../hub-client.ts'
import { askApproval } from './ask-approval.ts'
import { reportFailure } from './one-shot.ts'
import { showTurn } from './show-turn.ts'

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
