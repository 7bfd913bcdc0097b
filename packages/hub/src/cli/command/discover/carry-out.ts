import type { DiscoveryPlan, DiscoveryReport } from '@herma/contract'

import { type Cli, connectHub } from '../../cli.ts'
import { exitCodes } from '../../exit-codes.ts'
import { formatTable } from '../../format-table.ts'
import { confirmChange } from '../catalog/confirm-change.ts'
import { describeNeeds } from './show.ts'

export interface CarryOutFlags {
  readonly plan?: boolean
  readonly yes?: boolean
}

interface Task {
  readonly planPath: string
  readonly path: string
  readonly body: unknown
  readonly question: string
}

/** Shows the plan, asks, and does it. With `--plan` it is only shown. */
export async function carryOut(
  cli: Cli,
  { planPath, path, body, question }: Task,
  flags: CarryOutFlags,
): Promise<void> {
  const hub = await connectHub(cli)
  const plan = await hub.send<DiscoveryPlan>('POST', planPath, body)
  if (flags.plan === true || !plan.isReady) {
    if (!plan.isReady) cli.exitCode = exitCodes.failed
    cli.terminal.answer(plan, () => describePlan(cli, plan))
    return
  }
  if (!cli.terminal.isMachine) cli.terminal.note(describePlan(cli, plan))
  if (!(await confirmChange(cli, flags.yes, question))) return
  const report = await hub.send<DiscoveryReport>('POST', path, body)
  if (report.status === 'failed') cli.exitCode = exitCodes.failed
  cli.terminal.answer(report, () => describeReport(report))
}

function describePlan({ terminal }: Cli, plan: DiscoveryPlan): string {
  const rows = [
    ...plan.connectors.map(({ action, name, command, url, why }) => [
      action,
      `connector ${name}`,
      [command ?? url ?? '', why].filter((text) => text !== '').join('  '),
    ]),
    ...plan.files.map(({ action, path, why }) => [action, path, why]),
    ...plan.secrets.map((name) => ['', `stored secret ${name}`, '']),
    ...plan.tools.map((name) => ['', `tool ${name}`, '']),
  ]
  const missing = plan.needs.filter(({ id }) => plan.missing.includes(id))
  return [
    terminal.style('bold', plan.title),
    formatTable(rows),
    ...plan.warnings.map((text) => `Warning: ${text}`),
    ...plan.conflicts.map((text) => terminal.style('red', `In the way: ${text}`)),
    ...(missing.length === 0 ? [] : [terminal.style('red', 'These values are missing:'), describeNeeds(missing)]),
  ].join('\n')
}

function describeReport({ status, details, errors, warnings }: DiscoveryReport): string {
  if (status === 'failed') return ['Nothing was changed.', ...errors].join('\n')
  const { added, replaced, removed, kept, tools } = details
  const lines = Object.entries({ Added: added, Replaced: replaced, Removed: removed, Kept: kept, Tools: tools })
    .filter(([, names]) => names.length > 0)
    .map(([word, names]) => `${word}: ${names.join(', ')}`)
  const next = added[0] === undefined ? [] : [`Test it: herma test ${added[0]}`]
  return [...lines, ...warnings.map((text) => `Warning: ${text}`), ...next].join('\n') || 'Done.'
}
