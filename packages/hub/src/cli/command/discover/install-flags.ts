import type { Command } from 'commander'

import type { Cli } from '../../cli.ts'
import { readNamedValues } from '../../named-values.ts'
import type { CarryOutFlags } from './carry-out.ts'

export interface InstallFlags extends CarryOutFlags {
  readonly value: string[]
  readonly force?: boolean
}

/** The flags of everything that installs. */
export function addInstallFlags(command: Command): Command {
  return command
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

export async function readInstallFlags({ value, force }: InstallFlags, { terminal }: Cli) {
  const values = await readNamedValues('--value', value, terminal)
  return {
    values: Object.fromEntries(values.map((each) => [each.name, each.value ?? ''])),
    ...(force === true ? { force } : {}),
  }
}

function collect(value: string, before: string[]): string[] {
  return [...before, value]
}
