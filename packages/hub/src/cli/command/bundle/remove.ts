import { Command } from 'commander'

import type { Cli } from '../../cli.ts'
import { carryOut, type CarryOutFlags } from '../discover/carry-out.ts'

export function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('remove what a bundle brought; what was changed since is kept')
    .argument('<name>', 'name of the bundle')
    .option('--force', 'remove what was changed too')
    .option('--plan', 'only show what would be done')
    .option('-y, --yes', 'do not ask')
    .action((name: string, { force, ...flags }: CarryOutFlags & { force?: boolean }) => {
      const body = { kind: 'bundle', name, ...(force === true ? { force } : {}) }
      const paths = { planPath: '/api/discovery/remove-plan', path: '/api/discovery/remove' }
      return carryOut(cli, { ...paths, body, question: `Remove the bundle '${name}'?` }, flags)
    })
}
