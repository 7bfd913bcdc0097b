import type { Command } from 'commander'

import type { Cli } from '../cli.ts'
import { eventsCommand } from './traces/list.ts'

export function auditCommand(cli: Cli): Command {
  return eventsCommand(cli, { name: 'audit', path: '/api/audit', empty: 'The audit log has nothing that matches.' })
    .description('show who changed what, who signed in, and what was refused, newest first')
    .addHelpText('after', `\n${examples}`)
}

const examples = `Examples:
  herma audit --since 7d                       what changed this week
  herma audit --kind 'access.refused'          who was kept out
  herma audit --principal user:ada --json      everything that ada did`
