import type { ServerPatch, ServerView } from '@herma/contract'
import { Command, Option } from 'commander'
import { type Cli, connectHub } from '../cli.ts'
import { formatTable } from '../format-table.ts'

export function serverCommand(cli: Cli): Command {
  return new Command('server')
    .description('show the MCP servers that Herma serves, or change one')
    .argument('[name]', 'name of a server')
    .addOption(new Option('--sse <switch>', 'serve clients of HTTP+SSE (2024-11-05) too').choices(['on', 'off']))
    .action(async (name: string | undefined, options: { sse?: 'on' | 'off' }) => {
      const hub = await connectHub(cli)
      const servers = await change()
      cli.terminal.answer({ servers }, () => describeServers(servers, hub.url))

      async function change(): Promise<ServerView[]> {
        const patch: ServerPatch = options.sse === undefined ? {} : { sse: options.sse === 'on' }
        if (name === undefined && options.sse === undefined)
          return (await hub.send<{ servers: ServerView[] }>('GET', '/api/servers')).servers
        const path = `/api/servers/${encodeURIComponent(name ?? 'facade')}`
        if (options.sse === undefined) return [await hub.send<ServerView>('GET', path)]
        return [await hub.send<ServerView>('PATCH', path, patch)]
      }
    })
}

function describeServers(servers: readonly ServerView[], url: URL): string {
  const rows = servers.map(({ name, kind, path, sse, ssePath }) => [
    name,
    kind,
    new URL(path, url).href,
    sse ? new URL(ssePath, url).href : 'off',
  ])
  return formatTable([['NAME', 'KIND', 'URL', 'HTTP+SSE'], ...rows])
}
