import type { ToolSelector, View } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'

export function viewsCommand(cli: Cli): Command {
  return new Command('views').description('list the views that servers and clients can have').action(async () => {
    const hub = await connectHub(cli)
    const answer = await hub.send<{ views: View[] }>('GET', '/api/catalog/views')
    cli.terminal.answer(answer, () => describeViews(cli, answer.views))
  })
}

function describeViews({ terminal }: Cli, views: readonly View[]): string {
  if (views.length === 0) return 'There are no views. A fragment of the catalog adds them: "views": [{ "name": … }]'
  const rows = views.map(({ name, mode, for: whom, include, exclude, description }) => [
    name,
    mode ?? '-',
    describeWhom(whom),
    include.length === 0 ? 'all' : include.map(describeSelector).join('; '),
    exclude.length === 0 ? '-' : exclude.map(describeSelector).join('; '),
    description ?? '',
  ])
  return formatTable([['NAME', 'MODE', 'FOR', 'INCLUDES', 'EXCLUDES', 'DESCRIPTION'], ...rows], terminal.columns)
}

function describeWhom(whom: View['for']): string {
  const parts = Object.entries(whom ?? {}).map(([kind, names]) => `${kind} ${names.join(', ')}`)
  return parts.length === 0 ? '-' : parts.join('; ')
}

function describeSelector(selector: ToolSelector): string {
  const parts = Object.entries(selector).map(([field, value]) => `${field}=${value}`)
  return parts.length === 0 ? 'all' : parts.join(' ')
}
