import { readFile } from 'node:fs/promises'
import { AccessRuleInput, type AccessRuleView, type PolicyTrial, type PolicyTrialReport } from '@herma/contract'
import { Command } from 'commander'
import { z } from 'zod'

import { oneLine } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { count } from '../../format-quantity.ts'
import { formatTable } from '../../format-table.ts'
import type { HubClient } from '../../hub-client.ts'
import { parseJsonObject } from '../../json-option.ts'
import { wholeNumber } from '../catalog/whole-number.ts'
import { rulesPath } from './rules-path.ts'

const inputLimitBytes = 4_000_000
const maxCalls = 10_000

interface DryRunFlags {
  add?: string
  only?: string
  without?: string[]
  calls?: number
}

export function dryRunCommand(cli: Cli): Command {
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
      const report = await hub.send<PolicyTrialReport>('POST', '/api/access/dry-run', trial)
      cli.terminal.answer(report, () => describeReport(cli, report))
    })
}

async function readRules({ terminal }: Cli, file: string | undefined): Promise<AccessRuleInput[]> {
  if (file === undefined) return []
  const text = file === '-' ? await terminal.readInput(inputLimitBytes) : await readText(file)
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
  const { rules } = await hub.send<{ rules: AccessRuleView[] }>('GET', rulesPath())
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
