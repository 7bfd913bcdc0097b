import type { ServerPatch, ServerView, View } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../cli.ts'
import { formatFields, formatTable } from '../format-table.ts'
import type { HubClient } from '../hub-client.ts'
import { addServerFlags, readServerFlags, type ServerFlags } from '../server-flags.ts'

const facade = 'facade'

export function serverCommand(cli: Cli): Command {
  return addServerFlags(new Command('server'))
    .description('show the MCP servers that Herma serves, change one, add one, remove one')
    .argument('[name]', `name of a server; absent: all, or the ${facade} to change`)
    .addHelpText('after', `\n${examples}`)
    .addCommand(addCommand(cli))
    .addCommand(removeCommand(cli))
    .action(async (name: string | undefined, flags: ServerFlags) => {
      const hub = await connectHub(cli)
      const patch = readServerFlags(flags)
      const isChange = Object.keys(patch).length > 0
      if (name === undefined && !isChange) {
        const answer = await hub.send<{ servers: ServerView[] }>('GET', '/api/servers')
        return cli.terminal.answer(answer, () => describeServers(cli, answer.servers, hub.url))
      }
      const path = serverPath(name ?? facade)
      const server = await (isChange ? hub.send<ServerView>('PATCH', path, patch) : hub.send<ServerView>('GET', path))
      cli.terminal.answer({ servers: [server] }, () => describeServer(server, hub.url))
      await noteMissingView(cli, hub, patch)
    })
}

const examples = `Examples:
  herma server facade --mode search           three tools in place of a hundred
  herma server add reader --view read-only    another endpoint, with its own view
  herma server remove reader`

function addCommand(cli: Cli): Command {
  return addServerFlags(new Command('add'))
    .description('serve the catalog once more, with a view or mode of its own')
    .argument('<name>', 'name of the server')
    .action(async (name: string, flags: ServerFlags) => {
      const hub = await connectHub(cli)
      const patch = readServerFlags(flags)
      const server = await hub.send<ServerView>('POST', '/api/servers', { name, ...patch })
      cli.terminal.answer(server, () => `Added '${name}'.\n\n${describeServer(server, hub.url)}`)
      await noteMissingView(cli, hub, patch)
    })
}

function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('serve it no more; clients that are connected are cut off')
    .argument('<name>', 'name of the server')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      await hub.send('DELETE', serverPath(name))
      cli.terminal.answer({ name, removed: true }, () => `Removed '${name}'.`)
    })
}

/** A view that does not exist shows nothing, which somebody who mistyped its name would look for elsewhere. */
async function noteMissingView({ terminal }: Cli, hub: HubClient, { view }: ServerPatch): Promise<void> {
  if (view === undefined || view === null) return
  const { views } = await hub.send<{ views: View[] }>('GET', '/api/catalog/views')
  if (views.some(({ name }) => name === view)) return
  const known = views.length === 0 ? 'There are none.' : `There are: ${views.map(({ name }) => name).join(', ')}.`
  terminal.note(`No view is named '${view}' so far, so clients see no tools. ${known}`)
}

function serverPath(name: string): string {
  return `/api/servers/${encodeURIComponent(name)}`
}

function describeServers({ terminal }: Cli, servers: readonly ServerView[], url: URL): string {
  const rows = servers.map((server) => [
    server.name,
    server.kind,
    server.mode,
    server.view ?? '-',
    new URL(server.path, url).href,
    describeSse(server, url),
  ])
  return formatTable([['NAME', 'KIND', 'MODE', 'VIEW', 'URL', 'HTTP+SSE'], ...rows], terminal.columns)
}

function describeServer(server: ServerView, url: URL): string {
  return formatFields([
    ['Name', server.name],
    ['Kind', server.kind],
    ['URL', new URL(server.path, url).href],
    ['HTTP+SSE', describeSse(server, url)],
    ['Mode', server.mode],
    ['View', server.view ?? 'the one that is for the client'],
    ['Metadata', server.metadata ? 'on' : 'off'],
    ['Schemas', server.schemas],
    ['Fallbacks', server.fallbacks],
    ['Access', accessText[server.access]],
    ['Key header', server.keyHeader === 'authorization' ? 'Authorization: Bearer KEY' : `${server.keyHeader}: KEY`],
  ])
}

const accessText = {
  auto: 'open to programs of this machine, while the hub has no public URL',
  local: 'open to programs of this machine; others need a key',
  required: 'everybody needs a key',
}

function describeSse({ sse, ssePath }: ServerView, url: URL): string {
  return sse ? new URL(ssePath, url).href : 'off'
}
