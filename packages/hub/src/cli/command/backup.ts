import type { Backup, RestoreReport } from '@herma/contract'
import { findSecrets, type SecretPlaces } from '@herma/contract/plain'
import { Command } from 'commander'
import { readFile, writeFile } from 'node:fs/promises'

import { cleanText, oneLine } from '../terminal/clean-text.ts'
import type { Cli } from '../terminal/cli.ts'
import { connectHub } from '../hub/connect-hub.ts'
import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import { formatTable } from '../terminal/format-table.ts'
import { parseJsonObject } from '../flag/json-option.ts'

export function backupCommand(cli: Cli): Command {
  return new Command('backup')
    .description('write everything that configures the hub into one file, without secrets')
    .argument('<file>', 'where to write it')
    .action(async (file: string) => {
      const { api } = await connectHub(cli)
      const backup = await api.writeBackup({}, { patient: true })
      await writeFile(file, `${JSON.stringify(backup, null, 2)}\n`, { mode: 0o600 }).catch((cause: Error) => {
        throw new CliError(exitCodes.failed, `${file} cannot be written: ${cause.message}`, { cause })
      })
      const counts = Object.entries(backup.parts).map(([part, entries]) => [part, String(entries.length)])
      const inClear = findInClear(backup)
      if (!cli.terminal.isMachine) for (const warning of inClear) cli.terminal.note(`Warning: ${cleanText(warning)}`)
      cli.terminal.answer({ file, counts: Object.fromEntries(counts), warnings: inClear }, () =>
        [
          `Wrote ${file}. It holds no stored secret and no key. Keep the master key in another place than the database.`,
          '',
          formatTable(counts),
        ].join('\n'),
      )
    })
}

/** What somebody put into a plain field is in the file as it is everywhere else. */
function findInClear({ parts }: Backup): string[] {
  return (parts.connectors ?? []).flatMap((entry) => {
    const places = findSecrets(entry as unknown as SecretPlaces).filter(({ isSealed }) => !isSealed)
    return [...new Set(places.map(({ label }) => label))].map(
      (label) =>
        `${String(entry['name'])}: ${label} looks like a secret in clear, and is in the file. ` +
        `Store it by name, and write the file again: herma edit ${String(entry['name'])} --store-secrets`,
    )
  })
}

export function restoreCommand(cli: Cli): Command {
  return new Command('restore')
    .description('put a backup back, entry by entry; nothing is removed')
    .argument('<file>', 'a file of herma backup')
    .option('--plan', 'only say what would be done')
    .action(async (file: string, { plan = false }: { plan?: boolean }) => {
      const text = await readFile(file, 'utf8').catch((cause: Error) => {
        throw new CliError(exitCodes.usage, `${file} cannot be read: ${cause.message}`, { cause })
      })
      const request = { file: parseJsonObject(text, file) as Backup, plan }
      const { api } = await connectHub(cli)
      const report = await api.restoreBackup({ body: request }, { patient: true })
      if (report.entries.some(({ action }) => action === 'fail')) cli.exitCode = exitCodes.failed
      cli.terminal.answer(report, () => describeReport(cli, report))
    })
}

function describeReport({ terminal }: Cli, { plan, entries, needed }: RestoreReport): string {
  const told = entries.filter(({ action }) => action !== 'keep')
  const kept = entries.length - told.length
  const rows = told.map(({ part, name, action, why }) => [action, part, oneLine(name), cleanText(why ?? '')])
  const missing = needed.map(({ part, name, field }) => [part, oneLine(name), field])
  return [
    ...(rows.length === 0 ? [] : [formatTable(rows, terminal.columns), '']),
    `${kept} of ${entries.length} are as they are already.${plan ? ' Nothing was changed.' : ''}`,
    ...(missing.length === 0 ? [] : ['', 'To be entered again:', formatTable(missing, terminal.columns)]),
  ].join('\n')
}
