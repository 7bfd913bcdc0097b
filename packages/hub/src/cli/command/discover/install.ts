import type {
  DiscoveryNeed,
  DiscoveryPlan,
  DiscoveryReport,
  InstallRequest,
  IsolationView,
  RemoveRequest,
} from '@herma/contract'
import { Command } from 'commander'

import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { formatTable } from '../../terminal/format-table.ts'
import type { HubApi } from '../../hub/hub-client.ts'
import { readNamedValues } from '../../flag/named-values.ts'
import { addStoreSecretsFlag } from '../../flag/store-secrets.ts'
import { addIsolationFlags, type IsolationFlags, readIsolation } from '../../flag/isolation-flags.ts'
import { confirmChange } from '../../terminal/confirm-change.ts'

interface Flags extends InstallFlags {
  option?: string
  as?: string
  at?: string
  registry?: string
}

export function installCommand(cli: Cli): Command {
  return addInstallFlags(new Command('install'))
    .description('install a server of a registry, after its plan was shown')
    .argument('<name>', 'as herma discover search prints it')
    .option('--option <id>', 'one of those that herma discover show prints; absent: the first that works here')
    .option('--as <name>', 'name of the connector')
    .option('--at <version>', 'absent: the latest')
    .option('--registry <url>', 'one of: herma discover registry; absent: the first')
    .action(async (name: string, flags: Flags) => {
      const { option, as, at, registry } = flags
      const body: InstallRequest = {
        source: { kind: 'registry', name, ...(at && { version: at }), ...(registry && { registry }) },
        ...(option && { option }),
        ...(as && { name: as }),
        ...(await readInstallFlags(flags, cli)),
      }
      await carryOut(cli, { ...installation(body), question: 'Install it?' }, flags)
    })
}

export function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('remove a connector with the secrets that were stored for it')
    .argument('<name>', 'name of the connector')
    .option('--plan', 'only show what would be done')
    .option('-y, --yes', 'do not ask')
    .action((name: string, flags: CarryOutFlags) => {
      return carryOut(
        cli,
        { ...removal({ kind: 'connector', name, force: false }), question: `Remove '${name}'?` },
        flags,
      )
    })
}

export interface InstallFlags extends CarryOutFlags, IsolationFlags {
  readonly value: string[]
  readonly force?: boolean
  readonly storeSecrets?: boolean
}

/** The flags of everything that installs. */
export function addInstallFlags(command: Command): Command {
  return addStoreSecretsFlag(addIsolationFlags(command))
    .option(
      '--value <id=value>',
      'a value that it needs; ID=@FILE or ID=@- keeps a secret out of the history',
      collect,
      [],
    )
    .option('--force', 'replace connectors of the same name; go on although a program is missing')
    .option('--plan', 'only show what would be done')
    .option('-y, --yes', 'do not ask')
}

export async function readInstallFlags({ value, force, storeSecrets, ...flags }: InstallFlags, { terminal }: Cli) {
  const values = await readNamedValues('--value', value, terminal)
  const isolation = readIsolation(flags)
  return {
    values: Object.fromEntries(values.map((each) => [each.name, each.value ?? ''])),
    force: force === true,
    storeSecrets: storeSecrets === true,
    ...(isolation && { isolation }),
  }
}

function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

export interface CarryOutFlags {
  readonly plan?: boolean
  readonly yes?: boolean
}

interface Task {
  plan(api: HubApi): Promise<DiscoveryPlan>
  run(api: HubApi): Promise<DiscoveryReport>
  readonly question: string
}

export function installation(body: InstallRequest): Pick<Task, 'plan' | 'run'> {
  return { plan: (api) => api.planInstall({ body }), run: (api) => api.install({ body }) }
}

export function removal(body: RemoveRequest): Pick<Task, 'plan' | 'run'> {
  return { plan: (api) => api.planRemoval({ body }), run: (api) => api.removeInstalled({ body }) }
}

/** Shows the plan, asks, and does it. With `--plan` it is only shown. */
export async function carryOut(cli: Cli, task: Task, flags: CarryOutFlags): Promise<void> {
  const { api } = await connectHub(cli)
  const plan = await task.plan(api)
  if (flags.plan === true || !plan.isReady) {
    if (!plan.isReady) cli.exitCode = exitCodes.failed
    cli.terminal.answer(plan, () => describePlan(cli, plan))
    return
  }
  if (!cli.terminal.isMachine) cli.terminal.note(describePlan(cli, plan))
  if (!(await confirmChange(cli, flags.yes, task.question))) return
  const report = await task.run(api)
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
    ...plan.connectors.flatMap(({ touches }) => (touches === null ? [] : describeTouches(touches))),
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

function describeTouches({ isolated, open }: IsolationView): string[][] {
  return [...isolated.map((line) => ['', 'isolated', line]), ...open.map((line) => ['', 'not isolated', line])]
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

/** What has to be given, one line for each. */
export function describeNeeds(needs: readonly DiscoveryNeed[]): string {
  const rows = needs.map(({ id, isRequired, isSecret, default: byDefault, choices, description }) => [
    `  --value ${id}=…`,
    [isRequired ? 'required' : 'optional', ...(isSecret ? ['secret'] : [])].join(', '),
    [
      description,
      ...(byDefault === null ? [] : [`Default: ${byDefault}`]),
      ...(choices.length === 0 ? [] : [`One of: ${choices.join(', ')}`]),
    ]
      .filter((text) => text !== '')
      .join(' '),
  ])
  return formatTable(rows)
}
