import type { TeamView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'

export function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list the teams, their members and what they are doing')
    .action(async () => {
      const hub = await connectHub(cli)
      const answer = await hub.send<{ teams: TeamView[] }>('GET', '/api/teams')
      cli.terminal.answer(answer, () => describeList(cli, answer.teams, hub.url))
    })
}

function describeList({ terminal }: Cli, teams: readonly TeamView[], url: URL): string {
  if (teams.length === 0) return 'No teams yet. Add one: herma team add NAME --member SESSION:ROLE'
  const rows = teams.map(({ name, enabled, problem, members, running, waiting, path }) => [
    name,
    problem === null ? (enabled ? 'on' : 'off') : 'problem',
    members.map(({ session, role }) => `${session}:${role}`).join(' ') || '-',
    `${running} + ${waiting}`,
    new URL(path, url).href,
  ])
  const table = formatTable([['NAME', 'STATE', 'MEMBERS', 'CALLS', 'URL'], ...rows], terminal.columns)
  const [head = '', ...lines] = table.split('\n')
  const problems = teams.flatMap(({ name, problem }) => (problem === null ? [] : [[`${name}: ${problem}`]]))
  return [terminal.style('bold', head), ...lines, ...(problems.length === 0 ? [] : ['', formatTable(problems)])].join(
    '\n',
  )
}
