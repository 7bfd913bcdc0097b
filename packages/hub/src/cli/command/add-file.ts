import { readFile } from 'node:fs/promises'

import type { ConnectorView, ImportAnswer, TestReport } from '@herma/contract'

import { oneLine } from '../clean-text.ts'
import { type Cli, connectHub } from '../cli.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { formatTable } from '../format-table.ts'
import { count } from '../format-quantity.ts'
import type { HubClient } from '../hub-client.ts'
import { testConnector } from '../test-connector.ts'

const fileLimitBytes = 1_000_000

/** Adds the servers of a client's configuration file and tests those that are enabled. */
export async function importFile(cli: Cli, file: string, isTested: boolean): Promise<void> {
  const text = await readText(cli, file)
  // Loaded here, because no other command reads client configurations.
  const { parseClientText } = await import('../../discovery/index.ts')
  const config = parseClientText(text, file === '-' ? 'Standard input' : file)
  const hub = await connectHub(cli)
  const report = await hub.send<ImportAnswer>('POST', '/api/import', config)
  const tests = isTested ? await testAdded(cli, hub, report.added) : {}
  if (report.failed.length > 0) cli.exitCode = exitCodes.failed
  else if (Object.values(tests).some(({ ok }) => !ok)) cli.exitCode = exitCodes.downstreamFailed
  cli.terminal.answer({ ...report, tests }, () => describeImport(report, tests))
}

async function readText(cli: Cli, file: string): Promise<string> {
  try {
    if (file === '-') return await cli.terminal.readInput(fileLimitBytes)
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new CliError(exitCodes.usage, `${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

async function testAdded(cli: Cli, hub: HubClient, names: readonly string[]): Promise<Record<string, TestReport>> {
  const { connectors } = await hub.send<{ connectors: ConnectorView[] }>('GET', '/api/connectors')
  const enabled = new Set(connectors.filter((connector) => connector.enabled).map(({ name }) => name))
  const tests: Record<string, TestReport> = {}
  // One after the other: a configuration of fifty commands must not start fifty processes at once.
  for (const name of names) if (enabled.has(name)) tests[name] = await testConnector(cli, hub, name)
  return tests
}

function describeImport(report: ImportAnswer, tests: Record<string, TestReport>): string {
  const added = report.added.map((name) => {
    const test = tests[name]
    const outcome =
      test === undefined
        ? 'not tested'
        : test.ok
          ? count(test.tools.length, 'tool')
          : `test failed: ${test.cause?.replace(/\.$/, '') ?? ''}`
    return ['added', name, oneLine([outcome, ...remarksOf(report, name)].join('. '))]
  })
  const skipped = report.skipped.map(({ name, reason }) => ['skipped', name, reason])
  const failed = report.failed.map(({ name, reason }) => ['failed', name, reason])
  const broken = report.added.find((name) => tests[name]?.ok === false)
  return [
    formatTable([...added, ...skipped, ...failed]),
    ...(broken === undefined ? [] : ['', `See what is wrong: herma test ${broken}`]),
  ].join('\n')
}

function remarksOf(report: ImportAnswer, wanted: string): string[] {
  return report.remarks.filter(({ name }) => name === wanted).map(({ text }) => text)
}
