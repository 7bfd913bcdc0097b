import type { InstallRequest } from '@herma/contract'
import { Command } from 'commander'

import type { Cli } from '../../cli.ts'
import { carryOut } from './carry-out.ts'
import { addInstallFlags, readInstallFlags, type InstallFlags } from './install-flags.ts'

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
      const body: Partial<InstallRequest> = {
        source: { kind: 'registry', name, ...(at && { version: at }), ...(registry && { registry }) },
        ...(option && { option }),
        ...(as && { name: as }),
        ...(await readInstallFlags(flags, cli)),
      }
      const task = { planPath: '/api/discovery/plan', path: '/api/discovery/install', body, question: 'Install it?' }
      await carryOut(cli, task, flags)
    })
}
