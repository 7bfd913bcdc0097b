import type { AccessRulePatch, AccessRuleView } from '@herma/contract'
import { Command, Option } from 'commander'

import { oneLine } from '../clean-text.ts'
import { type Cli, connectHub } from '../cli.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { formatFields, formatTable } from '../format-table.ts'
import { dryRunCommand } from './policy/dry-run.ts'
import { explainCommand } from './policy/explain.ts'
import { rulesPath } from './policy/rules-path.ts'

/** Rules of access. */
export function policyCommand(cli: Cli): Command {
  return new Command('policy')
    .description('rules about who may call what with which arguments, in CEL; why a call is refused')
    .addHelpText('after', `\n${examples}`)
    .addCommand(listCommand(cli))
    .addCommand(addCommand(cli))
    .addCommand(editCommand(cli))
    .addCommand(orderCommand(cli))
    .addCommand(removeCommand(cli))
    .addCommand(explainCommand(cli))
    .addCommand(dryRunCommand(cli))
}

const examples = `Examples:
  herma policy add deny 'annotations.destructiveHint && !loopback' --description 'ask first'
  herma policy add allow 'principal.id == "user:vic" && tool == "wiki__edit"'
  herma policy add deny 'tool == "files__read" && arguments.path.matches("^/etc/")'
  herma policy explain user:vic wiki__edit           may vic, and why?
  herma policy dry-run --add rules.json              what would have been refused lately?

A rule sees: principal (id, kind, name, role, scopes, clientId), server, connector, tool, original, method,
target, arguments, annotations (readOnlyHint, destructiveHint, idempotentHint, openWorldHint), loopback, now.`

function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('every rule, in order')
    .action(async () => {
      const hub = await connectHub(cli)
      const answer = await hub.send<{ rules: AccessRuleView[] }>('GET', rulesPath())
      cli.terminal.answer(answer, () => describeRules(cli, answer.rules))
    })
}

function addCommand(cli: Cli): Command {
  return new Command('add')
    .description('add a rule after the others; it holds from the next call on')
    .argument('<effect>', 'allow or deny; a deny that matches always wins')
    .argument('<when>', 'where it applies, in CEL')
    .option('--description <text>', 'what whoever is refused is told')
    .option('--off', 'store it without using it')
    .action(async (effect: string, when: string, flags: { description?: string; off?: boolean }) => {
      const hub = await connectHub(cli)
      const { description = '', off } = flags
      const rule = { effect: readEffect(effect), when, description, enabled: off !== true }
      const added = await hub.send<AccessRuleView>('POST', rulesPath(), rule)
      cli.terminal.answer(added, () => `Added rule ${added.id}.\n\n${describeRule(added)}`)
    })
}

interface EditFlags {
  when?: string
  description?: string
  effect?: 'allow' | 'deny'
  on?: boolean
  off?: boolean
}

function editCommand(cli: Cli): Command {
  return new Command('edit')
    .description('change a rule, switch it on or off; without flags, show it')
    .argument('<id>', 'id of a rule')
    .option('--when <cel>', 'where it applies')
    .option('--description <text>', 'what whoever is refused is told')
    .addOption(new Option('--effect <effect>', 'what it does').choices(['allow', 'deny']))
    .addOption(new Option('--on', 'use it').conflicts('off'))
    .option('--off', 'keep it without using it')
    .action(async (id: string, flags: EditFlags) => {
      const hub = await connectHub(cli)
      const patch = readPatch(flags)
      const isChange = Object.keys(patch).length > 0
      const rule = await (isChange
        ? hub.send<AccessRuleView>('PATCH', rulesPath(id), patch)
        : hub.send<AccessRuleView>('GET', rulesPath(id)))
      cli.terminal.answer(rule, () => describeRule(rule))
    })
}

function orderCommand(cli: Cli): Command {
  return new Command('order')
    .description('put the rules into another order: these first, then the others as they are')
    .argument('<id...>', 'ids of rules')
    .action(async (first: string[]) => {
      const hub = await connectHub(cli)
      const { rules } = await hub.send<{ rules: AccessRuleView[] }>('GET', rulesPath())
      const others = rules.map(({ id }) => id).filter((id) => !first.includes(id))
      const answer = await hub.send<{ rules: AccessRuleView[] }>('PUT', rulesPath(), { ids: [...first, ...others] })
      cli.terminal.answer(answer, () => describeRules(cli, answer.rules))
    })
}

function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('remove a rule')
    .argument('<id>', 'id of a rule')
    .action(async (id: string) => {
      const hub = await connectHub(cli)
      await hub.send('DELETE', rulesPath(id))
      cli.terminal.answer({ id, removed: true }, () => `Removed rule ${id}.`)
    })
}

function readEffect(text: string): 'allow' | 'deny' {
  if (text === 'allow' || text === 'deny') return text
  throw new CliError(
    exitCodes.usage,
    `A rule allows or denies, it cannot '${text}'. Write: herma policy add deny 'CEL'`,
  )
}

function readPatch({ when, description, effect, on, off }: EditFlags): AccessRulePatch {
  return {
    ...(when !== undefined && { when }),
    ...(description !== undefined && { description }),
    ...(effect !== undefined && { effect }),
    ...((on === true || off === true) && { enabled: on === true }),
  }
}

function describeRules({ terminal }: Cli, rules: readonly AccessRuleView[]): string {
  if (rules.length === 0) return "There are no rules: roles and keys alone decide. Add one: herma policy add deny 'CEL'"
  const rows = rules.map(({ id, effect, when, description, enabled, problem }) => [
    id,
    effect,
    problem === null ? (enabled ? 'on' : 'off') : 'fails',
    oneLine(when),
    oneLine(problem ?? description),
  ])
  return formatTable([['ID', 'EFFECT', 'STATE', 'WHEN', 'DESCRIPTION'], ...rows], terminal.columns)
}

function describeRule(rule: AccessRuleView): string {
  return formatFields([
    ['Id', rule.id],
    ['Effect', rule.effect],
    ['State', rule.enabled ? 'on' : 'off'],
    ['When', rule.when],
    ['Description', rule.description === '' ? '-' : rule.description],
    ...(rule.problem === null ? [] : [['Problem', rule.problem] as const]),
  ])
}
