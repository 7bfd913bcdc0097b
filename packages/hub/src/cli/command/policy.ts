import { readFile } from 'node:fs/promises'
import {
  type AccessQuestion,
  AccessRuleInput,
  type AccessRulePatch,
  type AccessRuleView,
  type Decision,
  type PolicyTrial,
  type PolicyTrialReport,
} from '@herma/contract'
import { Command, Option } from 'commander'
import { z } from 'zod'

import { oneLine } from '../terminal/clean-text.ts'
import type { Cli } from '../terminal/cli.ts'
import { connectHub } from '../hub/connect-hub.ts'
import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import { jsonInput, type JsonOption, parseJsonObject } from '../flag/json-option.ts'
import { wholeNumber } from '../flag/whole-number.ts'
import { count } from '../terminal/format-quantity.ts'
import { formatFields, formatTable } from '../terminal/format-table.ts'
import type { HubClient } from '../hub/hub-client.ts'

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
      const { api } = await connectHub(cli)
      const answer = await api.listAccessRules()
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
      const { api } = await connectHub(cli)
      const { description = '', off } = flags
      const rule = { effect: readEffect(effect), when, description, enabled: off !== true }
      const added = await api.addAccessRule({ body: rule })
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
      const { api } = await connectHub(cli)
      const patch = readPatch(flags)
      const isChange = Object.keys(patch).length > 0
      const rule = await (isChange ? api.updateAccessRule({ id, body: patch }) : api.getAccessRule({ id }))
      cli.terminal.answer(rule, () => describeRule(rule))
    })
}

function orderCommand(cli: Cli): Command {
  return new Command('order')
    .description('put the rules into another order: these first, then the others as they are')
    .argument('<id...>', 'ids of rules')
    .action(async (first: string[]) => {
      const { api } = await connectHub(cli)
      const { rules } = await api.listAccessRules()
      const others = rules.map(({ id }) => id).filter((id) => !first.includes(id))
      const answer = await api.orderAccessRules({ body: { ids: [...first, ...others] } })
      cli.terminal.answer(answer, () => describeRules(cli, answer.rules))
    })
}

function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('remove a rule')
    .argument('<id>', 'id of a rule')
    .action(async (id: string) => {
      const { api } = await connectHub(cli)
      await api.removeAccessRule({ id })
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

const explainInputLimitBytes = 16_777_216

interface ExplainFlags {
  server?: string
  method?: string
  remote?: boolean
  json?: JsonOption
}

function explainCommand(cli: Cli): Command {
  return new Command('explain')
    .description('say whether somebody may call something, and why; nothing is called')
    .argument('<principal>', 'operator, user:NAME, key:NAME or client:ID')
    .argument('[target]', 'name of the tool or prompt, or URI of the resource')
    .option('--server <name>', 'the served server; absent: facade')
    .option('--method <method>', 'what is asked for; absent: tools/call')
    .option('--remote', 'as if the request came from another machine')
    .addOption(jsonInput('ARGUMENTS'))
    .addHelpText('after', `\nExit code ${exitCodes.failed} when it is refused.`)
    .action(async (principal: string, target: string | undefined, flags: ExplainFlags) => {
      const { server, method, remote, json } = flags
      const text = json?.text === '-' ? await cli.terminal.readInput(explainInputLimitBytes) : json?.text
      const question: AccessQuestion = {
        principal,
        ...(target !== undefined && { target }),
        ...(server !== undefined && { server }),
        ...(method !== undefined && { method }),
        ...(text !== undefined && { arguments: parseJsonObject(text, 'The arguments') }),
        loopback: remote !== true,
      }
      const { api } = await connectHub(cli)
      const decision = await api.explainAccess({ body: question })
      if (!decision.allowed) cli.exitCode = exitCodes.failed
      cli.terminal.answer(decision, () => describeDecision(cli, decision))
    })
}

function describeDecision({ terminal }: Cli, { allowed, why, trail }: Decision): string {
  const verdict = allowed ? terminal.style('green', 'Allowed.') : terminal.style('red', 'Refused.')
  const steps = trail.flatMap(({ step, outcome, note, values }) => [
    `${outcome.padEnd(8)}  ${step}  ${oneLine(note)}`,
    ...Object.entries(values).map(([field, value]) =>
      terminal.style('dim', `            ${field} = ${oneLine(value)}`),
    ),
  ])
  return [`${verdict} ${oneLine(why)}`, '', ...steps].join('\n')
}

const dryRunInputLimitBytes = 4_000_000
const maxCalls = 10_000

interface DryRunFlags {
  add?: string
  only?: string
  without?: string[]
  calls?: number
}

function dryRunCommand(cli: Cli): Command {
  return new Command('dry-run')
    .description('try other rules on the calls that were recorded last; nothing is stored')
    .option(
      '--add <file>',
      'JSON with {"rules": [{"effect", "when"}]}, beside those that are stored; - = standard input',
    )
    .option('--only <file>', 'the same, in place of those that are stored')
    .option('--without <id...>', 'leave these stored rules out')
    .option('--calls <number>', 'how many calls, the newest first; absent: 1000', wholeNumber('--calls', maxCalls))
    .action(async ({ add, only, without = [], calls }: DryRunFlags) => {
      const proposed = await readRules(cli, only ?? add)
      const hub = await connectHub(cli)
      const kept = only === undefined ? await storedRules(hub, without) : []
      const trial: PolicyTrial = { rules: [...kept, ...proposed], ...(calls !== undefined && { limit: calls }) }
      const report = await hub.api.dryRunAccess({ body: trial })
      cli.terminal.answer(report, () => describeReport(cli, report))
    })
}

async function readRules({ terminal }: Cli, file: string | undefined): Promise<AccessRuleInput[]> {
  if (file === undefined) return []
  const text = file === '-' ? await terminal.readInput(dryRunInputLimitBytes) : await readText(file)
  const read = z.object({ rules: z.array(AccessRuleInput) }).safeParse(parseJsonObject(text, file))
  if (read.success) return read.data.rules
  throw new CliError(exitCodes.usage, `${file} has no rules that can be read: ${z.prettifyError(read.error)}`)
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new CliError(exitCodes.usage, `The rules cannot be read: ${(cause as Error).message}`, { cause })
  }
}

async function storedRules(hub: HubClient, without: readonly string[]): Promise<AccessRuleInput[]> {
  const { rules } = await hub.api.listAccessRules()
  const unknown = without.filter((id) => !rules.some((rule) => rule.id === id))
  if (unknown.length > 0)
    throw new CliError(exitCodes.notFound, `There is no rule '${unknown.join("', '")}'. See: herma policy list`)
  return rules
    .filter(({ id }) => !without.includes(id))
    .map(({ effect, when, description, enabled }) => ({ effect, when, description, enabled }))
}

function describeReport({ terminal }: Cli, report: PolicyTrialReport): string {
  const { calls, undecided, unknown, newlyRefused, newlyAllowed, changes } = report
  const summary = `Of ${count(calls, 'call')}, ${newlyRefused} would be refused and ${newlyAllowed} allowed that were not.`
  const notes = [
    ...(undecided === 0 ? [] : [`${undecided} cannot be told: their arguments were not recorded.`]),
    ...(unknown === 0 ? [] : [`${unknown} came from principals that are gone.`]),
  ]
  if (changes.length === 0) return [summary, ...notes].join('\n')
  const rows = changes.map(({ at, principal, target, method, after }) => [
    at,
    principal,
    oneLine(target === '' ? method : target),
    after.allowed ? 'allowed' : 'refused',
    oneLine(after.why),
  ])
  const table = formatTable([['AT', 'PRINCIPAL', 'TARGET', 'WOULD BE', 'WHY'], ...rows], terminal.columns)
  return [summary, ...notes, '', table].join('\n')
}
