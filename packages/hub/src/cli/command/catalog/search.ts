import type { ToolMatch } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'
import { wholeNumber } from './whole-number.ts'

export function searchCommand(cli: Cli): Command {
  return new Command('search')
    .description('find the tools that fit a few words, the best first, as clients in search mode do')
    .argument('<words...>', 'what the tool shall do')
    .option('--limit <number>', 'at most so many', wholeNumber('--limit', 100), 10)
    .action(async (words: string[], { limit }: { limit: number }) => {
      const hub = await connectHub(cli)
      const query = new URLSearchParams({ query: words.join(' '), limit: String(limit) })
      const answer = await hub.send<{ tools: ToolMatch[] }>('GET', `/api/catalog/search?${query.toString()}`)
      cli.terminal.answer(answer, () => describeMatches(cli, answer.tools))
    })
}

function describeMatches({ terminal }: Cli, tools: readonly ToolMatch[]): string {
  if (tools.length === 0) return 'Nothing fits these words. All tools: herma catalog list'
  const rows = tools.map(({ name, server, tokens, description }) => [name, server, String(tokens), description])
  return formatTable([['NAME', 'SERVER', 'TOKENS', 'DESCRIPTION'], ...rows], terminal.columns)
}
