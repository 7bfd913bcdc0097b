import type { TeamCall } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatDuration } from '../../format-quantity.ts'
import { formatTable } from '../../format-table.ts'
import { teamPath } from './team-path.ts'

export function callsCommand(cli: Cli): Command {
  return new Command('calls')
    .description('calls that a team works on, and those that wait, in their order')
    .argument('<team>', 'name of the team')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const answer = await hub.send<{ calls: TeamCall[] }>('GET', teamPath(name, '/calls'))
      cli.terminal.answer(answer, () => describeCalls(cli, answer.calls))
    })
}

function describeCalls({ terminal }: Cli, calls: readonly TeamCall[]): string {
  if (calls.length === 0) return 'It works on nothing, and nothing waits.'
  const rows = calls.map(({ tool, state, session, before, principal, ageMs, traceId }) => [
    tool,
    state === 'running' ? (session ?? '-') : `waits behind ${before ?? 0}`,
    formatDuration(ageMs),
    principal,
    traceId,
  ])
  return formatTable([['TOOL', 'MEMBER', 'SINCE', 'WHO', 'TRACE'], ...rows], terminal.columns)
}
