import type { ServerHealth, ServerView } from '@herma/contract'
import { cleanText } from '../../clean-text.ts'
import type { Cli } from '../../cli.ts'
import { formatFields, formatTable } from '../../format-table.ts'

/** A served server for people; its health where it was asked for. */
export function describeServer(server: ServerView, url: URL, health?: ServerHealth): string {
  const link = (path: string) => new URL(path, url).href
  return formatFields([
    ['Name', server.name],
    ['Kind', server.kind],
    ...(server.description === '' ? [] : [['Description', cleanText(server.description)] as [string, string]]),
    ['Enabled', server.enabled ? 'yes' : 'no'],
    ...(health === undefined ? [] : describeHealth(health)),
    ['Tools', server.tools === null ? '-' : String(server.tools)],
    ['Last client', server.lastHandshake ?? 'none since the hub started'],
    ['Hosts', server.connector ?? (isOwn(server) ? `the ${server.kind}` : 'the catalog')],
    ['URL', link(server.path)],
    ['JSON-RPC', link(server.rpcPath)],
    ['Health', link(server.healthPath)],
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

function isOwn({ kind }: ServerView): boolean {
  return kind === 'team' || kind === 'session'
}

export function describeServers({ terminal }: Cli, servers: readonly ServerView[], url: URL): string {
  const rows = servers.map((server) => [
    server.name,
    server.kind,
    server.enabled ? (server.tools === null ? '-' : String(server.tools)) : 'disabled',
    server.connector ?? '-',
    server.mode,
    server.view ?? '-',
    new URL(server.path, url).href,
    describeSse(server, url),
  ])
  const head = ['NAME', 'KIND', 'TOOLS', 'HOSTS', 'MODE', 'VIEW', 'URL', 'HTTP+SSE']
  return formatTable([head, ...rows], terminal.columns)
}

function describeHealth({ state, inFlight, problem }: ServerHealth): [string, string][] {
  return [
    ['State', problem === null ? state : `${state}: ${cleanText(problem)}`],
    ['Under way', String(inFlight)],
  ]
}

const accessText = {
  auto: 'open to programs of this machine, while the hub has no public URL',
  local: 'open to programs of this machine; others need a key',
  required: 'everybody needs a key',
}

function describeSse({ sse, ssePath }: ServerView, url: URL): string {
  return sse ? new URL(ssePath, url).href : 'off'
}
