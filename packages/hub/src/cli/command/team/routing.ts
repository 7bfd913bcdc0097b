import { type DispatchSettings, type RoutingRule, type TeamDecision, TeamTool } from '@herma/contract'
import { Argument, Command, Option } from 'commander'

import { cleanText, oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { collect } from '../../flag/connector-flags.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { nearest } from '../../flag/nearest.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { describeRules } from './show.ts'

interface RuleFlags {
  prefer?: string[]
  fallback?: string[]
  clear?: boolean
}

export function ruleCommand(cli: Cli): Command {
  return new Command('rule')
    .description('who is asked first for a tool, and who when nobody else can; without flags, show the rules')
    .argument('<team>', 'name of the team')
    .argument('[tool]', 'generate_code, run_tests, search_web or plan_task')
    .option('--prefer <who>', 'a member, or a provider: all members on it; several with commas', collectNames)
    .option('--fallback <who>', 'the same, for when the others cannot', collectNames)
    .addOption(new Option('--clear', 'no rule for this tool any more').conflicts(['prefer', 'fallback']))
    .addHelpText('after', `\n${examples}`)
    .action(async (name: string, word: string | undefined, flags: RuleFlags) => {
      const isChange = flags.prefer !== undefined || flags.fallback !== undefined || flags.clear === true
      if (isChange && word === undefined)
        throw new CliError(
          exitCodes.usage,
          `For which tool? For example: herma team rule ${name} generate_code --prefer openai`,
        )
      const tool = word === undefined ? undefined : findTeamTool(word)
      const { api } = await connectHub(cli)
      const stored = await api.getTeam({ name })
      const { [tool ?? 'team.plan_task']: before, ...others } = stored.routing
      const routing =
        tool === undefined || !isChange
          ? stored.routing
          : { ...others, ...(flags.clear === true ? {} : { [tool]: changeRule(before, flags) }) }
      const team = isChange ? await api.updateTeam({ name, body: { routing } }) : stored
      const shown = Object.entries(team.routing).filter(([each]) => tool === undefined || each === tool)
      const answer = { routing: Object.fromEntries(shown) }
      cli.terminal.answer(
        answer,
        () => describeRules(answer) || `No rule: roles and priorities alone decide. See: herma team who ${name}`,
      )
    })
}

const examples = `Examples:
  herma team rule alpha generate_code --prefer openai --fallback anthropic
  herma team rule alpha run_tests --prefer tester
  herma team rule alpha run_tests --clear`

function collectNames(text: string, previous: string[] = []): string[] {
  const names = text.split(',').map((name) => name.trim())
  return [...previous, ...names.filter((name) => name !== '')]
}

/** What is not mentioned stays. */
function changeRule(before: RoutingRule | undefined, { prefer, fallback }: RuleFlags): RoutingRule {
  return { prefer: prefer ?? before?.prefer ?? [], fallback: fallback ?? before?.fallback ?? [] }
}

interface DispatchFlags {
  /** False for `--no-allow`. */
  allow?: string[] | false
}

export function dispatchCommand(cli: Cli): Command {
  return new Command('dispatch')
    .description('whether clients may name a member and a tool of it themselves (team.dispatch); absent: show it')
    .argument('<team>', 'name of the team')
    .addArgument(new Argument('[switch]', 'on or off').choices(['on', 'off']))
    .option('--allow <glob>', 'tools of members that it may call; all of them are replaced', collect)
    .option('--no-allow', 'none any more')
    .addHelpText('after', `\nExample:\n  herma team dispatch alpha on --allow 'code.*' --allow review.changes`)
    .action(async (name: string, word: 'on' | 'off' | undefined, { allow }: DispatchFlags) => {
      const { api } = await connectHub(cli)
      const { dispatch: stored } = await api.getTeam({ name })
      const dispatch: DispatchSettings = {
        enabled: word === undefined ? stored.enabled : word === 'on',
        allow: allow === undefined ? stored.allow : allow === false ? [] : allow,
      }
      const isChange = word !== undefined || allow !== undefined
      const team = isChange ? await api.updateTeam({ name, body: { dispatch } }) : { dispatch }
      cli.terminal.answer({ dispatch: team.dispatch }, () => describeDispatch(name, team.dispatch))
    })
}

function describeDispatch(name: string, { enabled, allow }: DispatchSettings): string {
  if (!enabled) return `team.dispatch is off. Switch it on: herma team dispatch ${name} on --allow GLOB`
  if (allow.length > 0) return `team.dispatch is on, for ${allow.join(', ')}.`
  return `team.dispatch is on, but may call nothing. Say what: herma team dispatch ${name} --allow GLOB`
}

export function whoCommand(cli: Cli): Command {
  return new Command('who')
    .description('who would answer each tool of a team now, and why; nobody is asked')
    .argument('<team>', 'name of the team')
    .argument('[tool]', 'one tool of the team, or of its members, such as review.changes')
    .action(async (name: string, word: string | undefined) => {
      const { api } = await connectHub(cli)
      const tool = TeamTool.options.find((each) => each === `team.${word}`) ?? word
      const answer = await api.decideTeamCalls({ name, tool })
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

/** The tool of a team that somebody means; `team.` in front may be left out. */
function findTeamTool(text: string): TeamTool {
  const found = TeamTool.options.find((tool) => tool === text || tool === `team.${text}`)
  if (found !== undefined) return found
  const near = nearest(
    text.replace(/^team\./, ''),
    TeamTool.options.map((tool) => tool.slice('team.'.length)),
  )
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  throw new CliError(exitCodes.usage, `A team has no tool '${text}'.${hint} There are: ${TeamTool.options.join(', ')}`)
}
