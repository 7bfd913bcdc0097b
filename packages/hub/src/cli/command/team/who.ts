import type { TeamDecision } from '@herma/contract'
import { Command } from 'commander'

import { cleanText, oneLine } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import type { Terminal } from '../../terminal.ts'
import { teamPath } from './team-path.ts'
import { teamTools } from './team-tool.ts'

export function whoCommand(cli: Cli): Command {
  return new Command('who')
    .description('who would answer each tool of a team now, and why; nobody is asked')
    .argument('<team>', 'name of the team')
    .argument('[tool]', 'one tool of the team, or of its members, such as review.changes')
    .action(async (name: string, word: string | undefined) => {
      const hub = await connectHub(cli)
      const tool = teamTools.find((each) => each === `team.${word}`) ?? word
      const query = tool === undefined ? '' : `?tool=${encodeURIComponent(tool)}`
      const answer = await hub.send<{ decisions: TeamDecision[] }>('GET', teamPath(name, `/decisions${query}`))
      const describe = (decision: TeamDecision) => describeDecision(decision, cli.terminal)
      cli.terminal.answer(answer, () => answer.decisions.map(describe).join('\n\n'))
    })
}

function describeDecision({ tool, role, chosen, wouldWait, candidates, warnings }: TeamDecision, terminal: Terminal) {
  const who = chosen === null ? terminal.style('red', 'nobody') : terminal.style('green', chosen)
  const asked = role === null ? '' : ` (role ${role})`
  return [
    `${terminal.style('bold', tool)}${asked}: ${who}${wouldWait ? ', after a wait' : ''}`,
    ...candidates.map(({ session, eligible, because }, index) =>
      oneLine(`${eligible ? `${index + 1}.` : '-'} ${session}: ${because.join('; ')}`),
    ),
    ...warnings.map((warning) => terminal.style('yellow', `! ${cleanText(warning)}`)),
  ].join('\n  ')
}
