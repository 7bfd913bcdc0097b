import { writeFile } from 'node:fs/promises'
import type { CatalogHistory, DriftReport, FieldDifference } from '@herma/contract'
import { Command } from 'commander'

import { makeVisible } from '../../../catalog/pin/index.ts'
import { oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { wholeNumber } from '../../flag/whole-number.ts'
import { count } from '../../terminal/format-quantity.ts'
import { formatTable } from '../../terminal/format-table.ts'
import { showProgress } from '../../terminal/show-progress.ts'
import type { Terminal } from '../../terminal/terminal.ts'

export function renderCommand(cli: Cli): Command {
  return new Command('render')
    .description('print the catalog as configuration and approvals want it, as JSON')
    .option('--output <file>', 'write it to a file')
    .action(async ({ output }: { output?: string }) => {
      const { api } = await connectHub(cli)
      const intended = await api.getIntended({}, { patient: true })
      const text = `${JSON.stringify(intended, null, 2)}\n`
      if (output === undefined) return cli.terminal.print(text)
      await writeOut(output, text)
      const tools = intended.tools.length
      cli.terminal.answer({ file: output, tools }, () => `Wrote ${count(tools, 'tool')} to ${output}.`)
    })
}

async function writeOut(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text)
  } catch (cause) {
    throw new CliError(exitCodes.failed, `${file} cannot be written: ${(cause as Error).message}`, { cause })
  }
}

export function verifyCommand(cli: Cli): Command {
  return new Command('verify')
    .description('compare what clients really get with what is intended')
    .option('--fail-on-drift', 'end with exit code 6 when they differ')
    .addHelpText(
      'after',
      `
Exit codes:
  0      they are the same; without --fail-on-drift also when they differ
  6      they differ
  other  they could not be compared, see herma --help`,
    )
    .action(async (flags: { failOnDrift?: boolean }) => {
      const report = await readDrift(cli)
      if (report.hasDrift && flags.failOnDrift) cli.exitCode = exitCodes.drift
      cli.terminal.answer(report, () => describeDrift(report))
    })
}

/** Both lists are taken anew, which may take a moment. */
async function readDrift(cli: Cli): Promise<DriftReport> {
  const { api } = await connectHub(cli)
  const work = api.getDrift({}, { patient: true })
  return showProgress(cli.terminal, 'Comparing', work)
}

function describeDrift({ hasDrift, live, counts: { missing, extra, changed } }: DriftReport): string {
  if (!hasDrift) return `The live catalog is the intended one: ${count(live.tools, 'tool')}.`
  const kinds = [
    missing > 0 && `${missing} missing`,
    extra > 0 && `${extra} extra`,
    changed > 0 && `${changed} changed`,
  ]
  return `The live catalog is not the intended one: ${kinds.filter(Boolean).join(', ')}. See: herma catalog diff`
}

export function diffCommand(cli: Cli): Command {
  return new Command('diff')
    .description('show field by field how what clients get differs from what is intended')
    .action(async () => {
      const report = await readDrift(cli)
      cli.terminal.answer(report, () => describeDiff(cli, report))
    })
}

function describeDiff({ terminal }: Cli, { hasDrift, live, counts, missing, extra, changed }: DriftReport): string {
  if (!hasDrift) return `Nothing differs: ${count(live.tools, 'tool')} as intended.`
  const told = missing.length + extra.length + changed.length
  const rest = counts.missing + counts.extra + counts.changed - told
  return [
    ...missing.map((name) => terminal.style('red', `- ${oneLine(name)}: intended, but clients do not get it`)),
    ...extra.map((name) => terminal.style('green', `+ ${oneLine(name)}: clients get it, but it is not intended`)),
    ...changed.map(({ name, fields }) => `~ ${oneLine(name)}\n${indent(describeDifferences(fields, terminal))}`),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ].join('\n')
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}

const shownHash = 12

export function historyCommand(cli: Cli): Command {
  return new Command('history')
    .description('list earlier catalogs and the drift that was seen, newest first')
    .option('--limit <number>', 'at most so many of each', wholeNumber('--limit', 1000), 20)
    .action(async ({ limit }: { limit: number }) => {
      const { api } = await connectHub(cli)
      const history = await api.getCatalogHistory({ limit })
      cli.terminal.answer(history, () => describeHistory(cli, history))
    })
}

function describeHistory({ terminal }: Cli, { snapshots, drift }: CatalogHistory): string {
  if (snapshots.length === 0) return 'There is no history so far.'
  const catalogs = snapshots.map(({ at, kind, tools, hash }) => [at, kind, String(tools), hash.slice(0, shownHash)])
  const reports = drift.map(({ at, counts, intended, live }) => [
    at,
    ...[counts.missing, counts.extra, counts.changed].map(String),
    intended.hash.slice(0, shownHash),
    live.hash.slice(0, shownHash),
  ])
  return [
    formatTable([['CATALOG SINCE', 'KIND', 'TOOLS', 'HASH'], ...catalogs], terminal.columns),
    ...(drift.length === 0
      ? []
      : [formatTable([['COMPARED', 'MISSING', 'EXTRA', 'CHANGED', 'INTENDED', 'LIVE'], ...reports], terminal.columns)]),
  ].join('\n\n')
}

interface Flags {
  keep?: number
  olderThan?: number
}

export function pruneCommand(cli: Cli): Command {
  return new Command('prune')
    .description('forget old history of the catalog')
    .option('--keep <number>', 'keep the newest so many of each kind (50)', wholeNumber('--keep', 10_000))
    .option('--older-than <days>', 'forget what is older (90)', wholeNumber('--older-than', 36_500))
    .action(async ({ keep, olderThan }: Flags) => {
      const { api } = await connectHub(cli)
      const report = await api.pruneCatalogHistory({
        body: {
          ...(keep === undefined ? {} : { keep }),
          ...(olderThan === undefined ? {} : { olderThanDays: olderThan }),
        },
      })
      cli.terminal.answer(report, () => {
        const { snapshots, drift, descriptors } = report
        return `Forgot ${count(snapshots, 'catalog')}, ${count(drift, 'drift report')} and ${count(descriptors, 'descriptor')}.`
      })
    })
}

const longestLine = 100

/** Field by field, what was there after `-` and what is there after `+`. Characters that do not show are escaped. */
export function describeDifferences(differences: readonly FieldDifference[], terminal: Terminal): string {
  return differences.map((difference) => describeDifference(difference, terminal)).join('\n')
}

function describeDifference(difference: FieldDifference, terminal: Terminal): string {
  const { path, kind, before, after, hunks } = difference
  const head = terminal.style('bold', `${makeVisible(path) || '(the whole)'} (${kind})`)
  const parts =
    hunks !== undefined && hunks.length > 0
      ? hunks.flatMap((hunk) => [
          terminal.style('dim', `  line ${hunk.line}`),
          ...removedLines(hunk.before, terminal),
          ...addedLines(hunk.after, terminal),
        ])
      : [
          ...(kind === 'added' ? [] : removedLines(before, terminal)),
          ...(kind === 'removed' ? [] : addedLines(after, terminal)),
        ]
  return [head, ...parts].join('\n')
}

/** Lines that were there. */
function removedLines(value: unknown, terminal: Terminal): string[] {
  return linesOf(value).map((line) => terminal.style('red', `  - ${line}`))
}

/** Lines that are there now. */
export function addedLines(value: unknown, terminal: Terminal): string[] {
  return linesOf(value).map((line) => terminal.style('green', `  + ${line}`))
}

function linesOf(value: unknown): string[] {
  if (value === '') return []
  const text = typeof value === 'string' ? value : toJson(value)
  return text.split('\n').map(makeVisible)
}

function toJson(value: unknown): string {
  const line = JSON.stringify(value) ?? 'nothing'
  return line.length <= longestLine ? line : JSON.stringify(value, null, 2)
}
