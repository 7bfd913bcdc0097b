import type { OverrideView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'

export function overridesCommand(cli: Cli): Command {
  return new Command('overrides').description('list what was said about tools by hand').action(async () => {
    const hub = await connectHub(cli)
    const answer = await hub.send<{ overrides: OverrideView[] }>('GET', '/api/catalog/overrides')
    cli.terminal.answer(answer, () => describeOverrides(cli, answer.overrides))
  })
}

function describeOverrides({ terminal }: Cli, overrides: readonly OverrideView[]): string {
  if (overrides.length === 0) return 'Nothing was said by hand. Say something: herma catalog override --help'
  const rows = overrides.flatMap(({ server, tool, override }) =>
    Object.entries(override).map(([field, value], index) => [
      ...(index === 0 ? [server, tool] : ['', '']),
      field,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
  return formatTable([['SERVER', 'TOOL', 'FIELD', 'OVERRIDE'], ...rows], terminal.columns)
}
