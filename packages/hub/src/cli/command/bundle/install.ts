import { basename, resolve } from 'node:path'

import { Command } from 'commander'

import type { Cli } from '../../cli.ts'
import { carryOut } from '../discover/carry-out.ts'
import { addInstallFlags, readInstallFlags, type InstallFlags } from '../discover/install-flags.ts'

export function installCommand(cli: Cli): Command {
  return addInstallFlags(new Command('install'))
    .description('install a bundle: one that comes with Herma, or a folder with bundle.json on the machine of the hub')
    .argument('<bundle>', 'name of a bundle, or a path such as ./my-bundle')
    .action(async (bundle: string, flags: InstallFlags) => {
      const isFolder = bundle.includes('/') || bundle.startsWith('.')
      const folder = resolve(bundle)
      const source = isFolder ? { kind: 'bundle', name: basename(folder), folder } : { kind: 'bundle', name: bundle }
      const body = { source, ...(await readInstallFlags(flags, cli)) }
      const paths = { planPath: '/api/discovery/plan', path: '/api/discovery/install' }
      await carryOut(cli, { ...paths, body, question: `Install the bundle '${source.name}'?` }, flags)
    })
}
