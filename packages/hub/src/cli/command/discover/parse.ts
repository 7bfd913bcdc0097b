import { readFile } from 'node:fs/promises'

import type { ConnectorDraft, NamedValue, PasteReport } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { formatFields } from '../../format-table.ts'

const limitBytes = 1_000_000

export function parseCommand(cli: Cli): Command {
  return new Command('parse')
    .description('show which connectors a text would make: client JSON or TOML, a command, curl, a URL, a link, a .env')
    .argument('<file>', 'a file, or - for standard input')
    .action(async (file: string) => {
      const text = await readText(cli, file)
      const hub = await connectHub(cli)
      const report = await hub.send<PasteReport>('POST', '/api/discovery/parse', { text })
      cli.terminal.answer(report, () => describeReport(report))
    })
}

async function readText(cli: Cli, file: string): Promise<string> {
  try {
    return file === '-' ? await cli.terminal.readInput(limitBytes) : await readFile(file, 'utf8')
  } catch (cause) {
    throw new CliError(exitCodes.usage, `${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

function describeReport({ connectors, env, notes }: PasteReport): string {
  return [
    ...connectors.map((draft) => `${formatFields(fieldsOf(draft))}\n`),
    ...(env.length === 0 ? [] : [`${env.map(describeValue).join('\n')}\n`]),
    ...notes.map((note) => `Note: ${note}`),
  ]
    .join('\n')
    .trimEnd()
}

function fieldsOf({
  name,
  transport,
  baseUrl,
  cmd,
  args,
  headers,
  env,
  workingDir,
}: ConnectorDraft): [string, string][] {
  const fields: [string, string | undefined][] = [
    ['name', name],
    ['transport', transport],
    ['url', baseUrl],
    ['command', cmd === undefined ? undefined : [cmd, ...args].join(' ')],
    ['folder', workingDir],
    ['headers', headers.map(describeValue).join('\n')],
    ['env', env.map(describeValue).join('\n')],
  ]
  return fields.flatMap(([field, value]) => (value === undefined || value === '' ? [] : [[field, value]]))
}

/** The terminal keeps what it shows, so a secret is not shown. */
function describeValue({ name, value, secret }: NamedValue): string {
  if (value === undefined) return `${name} (needs a value)`
  return secret === true ? `${name} (secret)` : `${name}=${value}`
}
