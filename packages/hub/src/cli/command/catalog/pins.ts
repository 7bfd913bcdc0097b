import type { PinView } from '@herma/contract'
import { Command } from 'commander'

import { oneLine } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import { quote } from '../../describe-place.ts'
import { formatTable } from '../../format-table.ts'

interface Flags {
  server?: string
  pending?: boolean
}

export function pinsCommand(cli: Cli): Command {
  return new Command('pins')
    .description('list which tools are as they were approved, and which wait for a person')
    .option('--server <name>', 'only those of one connector')
    .option('--pending', 'only those that wait')
    .action(async (flags: Flags) => {
      const hub = await connectHub(cli)
      const query = new URLSearchParams({
        ...(flags.server === undefined ? {} : { server: flags.server }),
        ...(flags.pending ? { pending: 'true' } : {}),
      })
      const answer = await hub.send<{ pins: PinView[] }>('GET', `/api/catalog/pins?${query.toString()}`)
      cli.terminal.answer(answer, () => describePins(cli, answer.pins, flags))
    })
}

function describePins({ terminal }: Cli, pins: readonly PinView[], { pending }: Flags): string {
  if (pins.length === 0) return pending ? 'Nothing waits for approval.' : 'No tools were seen so far. See: herma list'
  const rows = pins.map((pin) => [pin.connector, pin.tool, describePinState(pin), pin.risk ?? '-', pin.seenAt])
  const table = formatTable([['SERVER', 'TOOL', 'STATE', 'RISK', 'SEEN LIKE THIS SINCE'], ...rows], terminal.columns)
  const waiting = pins.find(({ reason }) => reason !== null)
  if (waiting === undefined) return table
  return `${table}\n\nLook at one that waits: herma catalog review ${waiting.connector} ${quote(oneLine(waiting.tool))}`
}

/** For example `approved`, `blocked (changed)`, `approved, not offered now`. */
export function describePinState({ state, reason, isOffered }: PinView): string {
  return `${state}${reason === null ? '' : ` (${reason})`}${isOffered ? '' : ', not offered now'}`
}
