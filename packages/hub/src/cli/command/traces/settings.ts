import type { OtlpInput, TraceSettings, TraceSettingsPatch } from '@herma/contract'
import { Command, Option } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { formatBytes } from '../../format-quantity.ts'
import { formatFields } from '../../format-table.ts'
import { readNamedValues } from '../../named-values.ts'
import { wholeNumber } from '../catalog/whole-number.ts'

interface Flags {
  readonly days?: number
  readonly maxMegabytes?: number
  readonly auditDays?: number
  readonly auditMaxMegabytes?: number
  readonly otlp?: string
  readonly otlpHeader?: string[]
  readonly otlpMetrics?: 'on' | 'off'
  readonly otlpInterval?: number
}

const megabyte = 1_048_576
const maxMegabytes = 1_048_576
const maxDays = 3650

export function settingsCommand(cli: Cli): Command {
  return new Command('settings')
    .description('show or change how long events are kept, and where spans and figures are sent')
    .option('--days <number>', 'delete events that are older', wholeNumber('--days', maxDays))
    .option(
      '--max-megabytes <number>',
      'delete the oldest when all take more',
      wholeNumber('--max-megabytes', maxMegabytes),
    )
    .option('--audit-days <number>', 'the same for the audit log', wholeNumber('--audit-days', maxDays))
    .option('--audit-max-megabytes <number>', 'the same', wholeNumber('--audit-max-megabytes', maxMegabytes))
    .option('--otlp <url>', 'base URL of an OpenTelemetry collector (OTLP over HTTP), or none')
    .option('--otlp-header <pair...>', 'NAME=VALUE, NAME=@FILE or NAME=@- for each request to it; kept encrypted')
    .addOption(
      new Option('--otlp-metrics <switch>', 'whether it gets the figures of /metrics too').choices(['on', 'off']),
    )
    .option('--otlp-interval <seconds>', 'how often it gets something', wholeNumber('--otlp-interval', 600))
    .action(async (flags: Flags) => {
      const hub = await connectHub(cli)
      const before = await hub.send<TraceSettings>('GET', '/api/traces/settings')
      const patch = await readPatch(cli, flags, before)
      const isChange = Object.keys(patch).length > 0
      const settings = isChange ? await hub.send<TraceSettings>('PATCH', '/api/traces/settings', patch) : before
      cli.terminal.answer(settings, () => describeSettings(settings))
    })
}

async function readPatch(cli: Cli, flags: Flags, before: TraceSettings): Promise<TraceSettingsPatch> {
  const otlp = await readOtlp(cli, flags, before)
  return {
    ...(flags.days === undefined ? {} : { days: flags.days }),
    ...(flags.maxMegabytes === undefined ? {} : { maxBytes: flags.maxMegabytes * megabyte }),
    ...(flags.auditDays === undefined ? {} : { auditDays: flags.auditDays }),
    ...(flags.auditMaxMegabytes === undefined ? {} : { auditMaxBytes: flags.auditMaxMegabytes * megabyte }),
    ...(otlp === undefined ? {} : { otlp }),
  }
}

async function readOtlp(cli: Cli, flags: Flags, before: TraceSettings): Promise<OtlpInput | null | undefined> {
  const { otlp, otlpHeader, otlpMetrics, otlpInterval } = flags
  if (otlp === 'none') return null
  if ([otlp, otlpHeader, otlpMetrics, otlpInterval].every((flag) => flag === undefined)) return undefined
  const endpoint = otlp ?? before.otlp?.endpoint
  if (endpoint === undefined) throw new CliError(exitCodes.usage, 'Say where the collector is: --otlp URL')
  const headers = otlpHeader && (await readNamedValues('--header', otlpHeader, cli.terminal))
  return {
    endpoint,
    metrics: otlpMetrics === undefined ? (before.otlp?.metrics ?? true) : otlpMetrics === 'on',
    intervalMs: otlpInterval === undefined ? (before.otlp?.intervalMs ?? 10_000) : otlpInterval * 1000,
    ...(headers && { headers: Object.fromEntries(headers.map(({ name, value }) => [name, value ?? ''])) }),
  }
}

function describeSettings({ days, maxBytes, auditDays, auditMaxBytes, otlp }: TraceSettings): string {
  return formatFields([
    ['Events', `${days} days, at most ${formatBytes(maxBytes)}`],
    ['Audit log', `${auditDays} days, at most ${formatBytes(auditMaxBytes)}`],
    ['Collector', otlp === null ? 'none' : otlp.endpoint],
    ...(otlp === null
      ? []
      : ([
          ['Headers', otlp.headers.length === 0 ? 'none' : `${otlp.headers.join(', ')} (stored)`],
          ['Sends', `spans${otlp.metrics ? ' and figures' : ''}, every ${otlp.intervalMs / 1000} s`],
        ] as const)),
  ])
}
