import type { SessionView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'

export function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list the sessions and how they are doing')
    .action(async () => {
      const hub = await connectHub(cli)
      const answer = await hub.send<{ sessions: SessionView[] }>('GET', '/api/sessions')
      cli.terminal.answer(answer, () => describeList(cli, answer.sessions))
    })
}

function describeList({ terminal }: Cli, sessions: readonly SessionView[]): string {
  if (sessions.length === 0)
    return 'No sessions yet. Add one: herma session add NAME --provider openai --model MODEL --key'
  const rows = sessions.map(({ name, health, provider, model, teams, offered }) => [
    name,
    health.state,
    provider,
    model === '' ? '-' : model,
    teams.join(' ') || '-',
    offered.join(' ') || '-',
  ])
  const table = formatTable([['NAME', 'STATE', 'PROVIDER', 'MODEL', 'TEAMS', 'OFFERS'], ...rows], terminal.columns)
  const [head = '', ...lines] = table.split('\n')
  const problems = sessions.flatMap(({ name, health }) => (health.problem ? [[`${name}: ${health.problem}`]] : []))
  return [terminal.style('bold', head), ...lines, ...(problems.length === 0 ? [] : ['', formatTable(problems)])].join(
    '\n',
  )
}
