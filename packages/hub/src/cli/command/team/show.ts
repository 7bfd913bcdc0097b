import type { TeamCall, TeamMemberView, TeamPathQuestion, TeamView } from '@herma/contract'
import { Command } from 'commander'

import { cleanText, oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { formatDuration } from '../../terminal/format-quantity.ts'
import { formatFields, formatTable } from '../../terminal/format-table.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { describeVerdict } from '../session/show.ts'

export function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list the teams, their members and what they are doing')
    .action(async () => {
      const hub = await connectHub(cli)
      const answer = await hub.api.listTeams()
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

export function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('show one team with its members, its rules and what it is doing')
    .argument('<team>', 'name of the team')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const team = await hub.api.getTeam({ name })
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
  return `${shown}\n\n${formatMembers(team, terminal)}`
}

export function formatMembers({ name, members }: TeamView, terminal: Terminal): string {
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

export function pathCommand(cli: Cli): Command {
  return new Command('path')
    .description('say whether the path policy of a team lets its members read or write a path, and why')
    .argument('<team>', 'name of the team')
    .argument('<path>', 'absolute, or relative to where the team works')
    .option('--cwd <dir>', 'as if a call worked there')
    .addHelpText('after', `\nExit code ${exitCodes.failed} when it is refused.`)
    .action(async (name: string, path: string, { cwd }: { cwd?: string }) => {
      const { api } = await connectHub(cli)
      const question: TeamPathQuestion = { path, ...(cwd !== undefined && { cwd }) }
      const verdict = await api.testTeamPath({ name, body: question })
      if (!verdict.allowed) cli.exitCode = exitCodes.failed
      cli.terminal.answer(verdict, () => describeVerdict(cli, verdict))
    })
}

export function callsCommand(cli: Cli): Command {
  return new Command('calls')
    .description('calls that a team works on, and those that wait, in their order')
    .argument('<team>', 'name of the team')
    .action(async (name: string) => {
      const { api } = await connectHub(cli)
      const answer = await api.listTeamCalls({ name })
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
