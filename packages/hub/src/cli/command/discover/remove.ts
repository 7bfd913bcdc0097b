import { Command } from 'commander'

import type { Cli } from '../../cli.ts'
import { carryOut, type CarryOutFlags } from './carry-out.ts'

export function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('remove a connector with the secrets that were stored for it')
    .argument('<name>', 'name of the connector')
    .option('--plan', 'only show what would be done')
    .option('-y, --yes', 'do not ask')
    .action((name: string, flags: CarryOutFlags) => {
      const body = { kind: 'connector', name }
      const paths = { planPath: '/api/discovery/remove-plan', path: '/api/discovery/remove' }
      return carryOut(cli, { ...paths, body, question: `Remove '${name}'?` }, flags)
    })
}
