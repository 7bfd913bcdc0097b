import {
  CaptureLevel,
  type CapturePatch,
  type CaptureView,
  type OtlpInput,
  type TraceSettings,
  type TraceSettingsPatch,
} from '@herma/contract'
import { Command, Option } from 'commander'

import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { wholeNumber } from '../../flag/whole-number.ts'
import { formatBytes } from '../../terminal/format-quantity.ts'
import { formatFields, formatTable } from '../../terminal/format-table.ts'
import { readNamedValues } from '../../flag/named-values.ts'

interface SettingsFlags {
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
    .action(async (flags: SettingsFlags) => {
      const { api } = await connectHub(cli)
      const before = await api.getTraceSettings()
      const patch = await readPatch(cli, flags, before)
      const isChange = Object.keys(patch).length > 0
      const settings = isChange ? await api.changeTraceSettings({ body: patch }) : before
      cli.terminal.answer(settings, () => describeSettings(settings))
    })
}

async function readPatch(cli: Cli, flags: SettingsFlags, before: TraceSettings): Promise<TraceSettingsPatch> {
  const otlp = await readOtlp(cli, flags, before)
  return {
    ...(flags.days === undefined ? {} : { days: flags.days }),
    ...(flags.maxMegabytes === undefined ? {} : { maxBytes: flags.maxMegabytes * megabyte }),
    ...(flags.auditDays === undefined ? {} : { auditDays: flags.auditDays }),
    ...(flags.auditMaxMegabytes === undefined ? {} : { auditMaxBytes: flags.auditMaxMegabytes * megabyte }),
    ...(otlp === undefined ? {} : { otlp }),
  }
}

async function readOtlp(cli: Cli, flags: SettingsFlags, before: TraceSettings): Promise<OtlpInput | null | undefined> {
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

interface CaptureFlags {
  readonly level?: CaptureLevel
  readonly sample?: number
  readonly maxBodyBytes?: number
}

export function captureCommand(cli: Cli): Command {
  return new Command('capture')
    .description('show or change what is recorded of the traffic of a served server')
    .argument('[server]', 'name of the server; absent: show all')
    .addOption(new Option('--level <level>', String(CaptureLevel.description)).choices(CaptureLevel.options))
    .option('--sample <share>', 'share of requests of which messages and bodies are recorded, 0 to 1', parseShare)
    .option(
      '--max-body-bytes <number>',
      'of a longer body the begin is recorded',
      wholeNumber('--max-body-bytes', 2 ** 20),
    )
    .action(async (server: string | undefined, flags: CaptureFlags) => {
      const { level, sample, maxBodyBytes } = flags
      const patch: CapturePatch = Object.fromEntries(
        Object.entries({ level, sample, maxBodyBytes }).filter(([, value]) => value !== undefined),
      )
      const isChange = Object.keys(patch).length > 0
      if (isChange && server === undefined) throw new CliError(exitCodes.usage, 'Say which server. See: herma server')
      const { api } = await connectHub(cli)
      const captures =
        isChange && server !== undefined
          ? [await api.changeCapture({ server, body: patch })]
          : (await api.listCaptures()).captures
      const shown = server === undefined ? captures : captures.filter((each) => each.server === server)
      if (shown.length === 0)
        throw new CliError(exitCodes.notFound, `No server is named '${server}'. See: herma server`)
      cli.terminal.answer({ captures: shown }, () => describeCaptures(cli, shown))
    })
}

function describeCaptures({ terminal }: Cli, captures: readonly CaptureView[]): string {
  const rows = captures.map(({ server, level, sample, maxBodyBytes }) => [
    server,
    level,
    level === 'messages' || level === 'bodies' ? `${sample * 100} %` : '-',
    level === 'bodies' ? formatBytes(maxBodyBytes) : '-',
  ])
  return formatTable([['SERVER', 'LEVEL', 'SAMPLE', 'BODIES UP TO'], ...rows], terminal.columns)
}

function parseShare(text: string): number {
  const share = Number(text)
  if (text.trim() !== '' && share >= 0 && share <= 1) return share
  throw new CliError(exitCodes.usage, `--sample needs a number from 0 to 1, not '${text}'.`)
}
