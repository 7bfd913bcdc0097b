import type { SecretView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'

export function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list the secrets and who uses them; values are never shown')
    .action(async () => {
      const hub = await connectHub(cli)
      const answer = await hub.send<{ secrets: SecretView[] }>('GET', '/api/secrets')
      cli.terminal.answer(answer, () => describeSecrets(cli, answer.secrets))
    })
}

function describeSecrets({ terminal }: Cli, secrets: readonly SecretView[]): string {
  if (secrets.length === 0) return 'There is none yet. Store one with: herma secret set NAME'
  const rows = secrets.map(({ name, updatedAt, usedBy, description, problem }) => [
    name,
    updatedAt,
    usedBy.length === 0 ? '-' : usedBy.join(', '),
    problem === null ? description : `cannot be used: ${problem}`,
  ])
  return formatTable([['NAME', 'CHANGED', 'USED BY', 'DESCRIPTION'], ...rows], terminal.columns)
}
