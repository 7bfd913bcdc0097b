import type { ImportAnswer } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { exitCodes } from '../../exit-codes.ts'
import { formatTable } from '../../format-table.ts'

export function importCommand(cli: Cli): Command {
  return new Command('import')
    .description('add servers that a client on the machine of the hub has')
    .argument('<client>', 'as herma discover clients prints it')
    .argument('<names...>', 'names of servers, as the client calls them')
    .action(async (client: string, names: string[]) => {
      const hub = await connectHub(cli)
      const answer = await hub.send<ImportAnswer>('POST', '/api/discovery/clients/import', { client, names })
      if (answer.failed.length > 0) cli.exitCode = exitCodes.failed
      cli.terminal.answer(answer, () => describeImport(answer))
    })
}

function describeImport({ added, skipped, failed, remarks }: ImportAnswer): string {
  const remarksOf = (wanted: string) => remarks.filter(({ name }) => name === wanted).map(({ text }) => text)
  return formatTable([
    ...added.map((name) => ['added', name, remarksOf(name).join(' ')]),
    ...skipped.map(({ name, reason }) => ['skipped', name, reason]),
    ...failed.map(({ name, reason }) => ['failed', name, reason]),
  ])
}
