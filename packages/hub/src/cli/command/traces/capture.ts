import { CaptureLevel, type CapturePatch, type CaptureView } from '@herma/contract'
import { Command, Option } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { formatBytes } from '../../format-quantity.ts'
import { formatTable } from '../../format-table.ts'
import { wholeNumber } from '../catalog/whole-number.ts'

interface Flags {
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
    .action(async (server: string | undefined, flags: Flags) => {
      const { level, sample, maxBodyBytes } = flags
      const patch: CapturePatch = Object.fromEntries(
        Object.entries({ level, sample, maxBodyBytes }).filter(([, value]) => value !== undefined),
      )
      const isChange = Object.keys(patch).length > 0
      if (isChange && server === undefined) throw new CliError(exitCodes.usage, 'Say which server. See: herma server')
      const hub = await connectHub(cli)
      const captures =
        isChange && server !== undefined
          ? [await hub.send<CaptureView>('PATCH', `/api/traces/capture/${encodeURIComponent(server)}`, patch)]
          : (await hub.send<{ captures: CaptureView[] }>('GET', '/api/traces/capture')).captures
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
