import type { RoutingRule, TeamView } from '@herma/contract'
import { Command, Option } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { describeRules } from './show.ts'
import { teamPath } from './team-path.ts'
import { findTeamTool } from './team-tool.ts'

interface Flags {
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
    .action(async (name: string, word: string | undefined, flags: Flags) => {
      const isChange = flags.prefer !== undefined || flags.fallback !== undefined || flags.clear === true
      if (isChange && word === undefined)
        throw new CliError(
          exitCodes.usage,
          `For which tool? For example: herma team rule ${name} generate_code --prefer openai`,
        )
      const tool = word === undefined ? undefined : findTeamTool(word)
      const hub = await connectHub(cli)
      const stored = await hub.send<TeamView>('GET', teamPath(name))
      const { [tool ?? 'team.plan_task']: before, ...others } = stored.routing
      const routing =
        tool === undefined || !isChange
          ? stored.routing
          : { ...others, ...(flags.clear === true ? {} : { [tool]: changeRule(before, flags) }) }
      const team = isChange ? await hub.send<TeamView>('PATCH', teamPath(name), { routing }) : stored
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
function changeRule(before: RoutingRule | undefined, { prefer, fallback }: Flags): RoutingRule {
  return { prefer: prefer ?? before?.prefer ?? [], fallback: fallback ?? before?.fallback ?? [] }
}
