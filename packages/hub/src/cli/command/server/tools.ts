import type { ServedTool } from '@herma/contract'
import { Command } from 'commander'
import { oneLine } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'
import { serverPath } from './server-path.ts'

export function toolsCommand(cli: Cli): Command {
  return new Command('tools')
    .description('list the tools that clients of a server see, with what each costs a model')
    .argument('<name>', 'name of the server')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const answer = await hub.send<{ tools: ServedTool[] }>('GET', `${serverPath(name)}/tools`)
      cli.terminal.answer(answer, () => describeTools(cli, answer.tools))
    })
}

function describeTools({ terminal }: Cli, tools: readonly ServedTool[]): string {
  if (tools.length === 0) return 'Clients see no tools there.'
  const rows = tools.map(({ name, tokens, title, description }) => [
    oneLine(name),
    String(tokens),
    oneLine(description || (title ?? '')),
  ])
  return formatTable([['TOOL', 'TOKENS', 'DESCRIPTION'], ...rows], terminal.columns)
}
