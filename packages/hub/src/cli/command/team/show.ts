import type { TeamMemberView, TeamView } from '@herma/contract'
import { Command } from 'commander'

import { cleanText, oneLine } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import { formatDuration } from '../../format-quantity.ts'
import { formatFields, formatTable } from '../../format-table.ts'
import type { Terminal } from '../../terminal.ts'
import { teamPath } from './team-path.ts'

export function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('show one team with its members, its rules and what it is doing')
    .argument('<team>', 'name of the team')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const team = await hub.send<TeamView>('GET', teamPath(name))
      cli.terminal.answer(team, () => describeTeam(team, hub.url, cli.terminal))
    })
}

/** Fields without a value are left out. */
export function describeTeam(team: TeamView, url: URL, terminal: Terminal): string {
  const { paths, hasPathPolicy, dispatch } = team
  const fields: [string, string][] = [
    ['Name', team.name],
    ['Description', cleanText(team.description)],
    ['State', team.problem === null ? (team.enabled ? 'on' : 'off') : `cannot serve: ${cleanText(team.problem)}`],
    ['MCP', new URL(team.path, url).href],
    ['Tools', team.tools.join(', ')],
    ['Working dir', team.workingDir ?? ''],
    ['Roots', hasPathPolicy ? paths.roots.join('\n') || 'the working directory' : ''],
    ['Denied', hasPathPolicy ? (paths.denied?.join('\n') ?? '') : ''],
    ['Rules', describeRules(team)],
    ['Dispatch', dispatch.enabled ? dispatch.allow.join(' ') || 'on, but nothing is allowed' : 'off'],
    ['Hop limit', String(team.hopLimit)],
    ['Calls', `${team.running} under way of ${team.maxConcurrency}, ${team.waiting} waiting of ${team.maxQueue}`],
    ['Deadline', formatDuration(team.deadlineMs)],
    ['Changed', team.updatedAt],
  ]
  const shown = formatFields(fields.filter(([, value]) => value !== ''))
  return `${shown}\n\n${describeMembers(team, terminal)}`
}

export function describeMembers({ name, members }: TeamView, terminal: Terminal): string {
  if (members.length === 0) return `It has no members yet. Add one: herma team member add ${name} SESSION --role code`
  const ordered = members.toSorted((a, b) => a.priority - b.priority)
  return formatTable(
    [['MEMBER', 'ROLE', 'PRIORITY', 'STATE', 'PROVIDER', 'AT ONCE', 'PROBLEM'], ...ordered.map(row)],
    terminal.columns,
  )
}

function row({ session, role, priority, enabled, provider, model, maxConcurrency, running, health }: TeamMemberView) {
  const state = health === null ? 'gone' : enabled ? health.state : 'off'
  return [
    session,
    role,
    String(priority),
    state,
    provider === null ? '-' : oneLine(`${provider} ${model ?? ''}`),
    maxConcurrency === null ? String(running) : `${running} of ${maxConcurrency}`,
    health?.problem ?? '',
  ]
}

/** One line for each tool that has a rule. */
export function describeRules({ routing }: Pick<TeamView, 'routing'>): string {
  const rules = Object.entries(routing).map(([tool, { prefer, fallback }]) =>
    [
      tool,
      ...(prefer.length === 0 ? [] : [`prefer ${prefer.join(', ')}`]),
      ...(fallback.length === 0 ? [] : [`fall back to ${fallback.join(', ')}`]),
    ].join('  '),
  )
  return rules.join('\n')
}
