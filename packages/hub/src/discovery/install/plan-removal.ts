import { join } from 'node:path'
import type { ConnectorView, DiscoveryPlan, PlannedConnector, PlannedFile, RemoveRequest } from '@herma/contract'
import { previewCommand, previewUrl } from '../recipe/preview-command.ts'
import type { StoredInstall } from '../store.ts'
import { hashConnector } from '../bundle/hash-connector.ts'

/** What a removal has to know of the hub. */
export interface RemovalWorld {
  readonly connectors: readonly ConnectorView[]
  /** Files of the bundle's folder as they are now. */
  readonly files: readonly { readonly path: string; readonly hash: string }[]
  readonly folder: string
  /** Who refers to a secret; undefined when there is no such secret. */
  usersOf(secret: string): readonly string[] | undefined
}

/** Says what a removal would take away and what it would keep. Nothing is changed. */
export function planRemoval(record: StoredInstall, request: RemoveRequest, world: RemovalWorld): DiscoveryPlan {
  const connectors = record.connectors.flatMap((brought) => planConnector(brought, request, world) ?? [])
  const files = world.files.map((file) => planFile(file, record, { request, folder: world.folder }))
  const going = new Set(connectors.filter(({ action }) => action === 'remove').map(({ name }) => name))
  const secrets = record.secrets.filter((name) => world.usersOf(name)?.every((user) => going.has(user)))
  const fragment = files.find(({ path }) => path === join(world.folder, 'catalog.json'))
  return {
    title: record.title,
    isReady: true,
    connectors,
    programs: [],
    files,
    secrets,
    tools: [],
    needs: [],
    missing: [],
    conflicts: [],
    warnings: fragment?.action === 'keep' ? ['Its catalog fragment is kept, and so are the tools in it.'] : [],
  }
}

function planConnector(
  brought: StoredInstall['connectors'][number],
  { kind, force }: RemoveRequest,
  { connectors }: RemovalWorld,
): PlannedConnector | null {
  const connector = connectors.find(({ id }) => id === brought.id)
  if (connector === undefined) return null
  // Who names a connector means it, whatever became of it.
  const isGoing = force || kind === 'connector' || hashConnector(connector) === brought.hash
  return describe(connector, isGoing ? 'remove' : 'keep', isGoing ? '' : 'It was changed since it was installed.')
}

function planFile(
  { path, hash }: RemovalWorld['files'][number],
  { files }: StoredInstall,
  { request, folder }: { request: RemoveRequest; folder: string },
): PlannedFile {
  const brought = files.find((file) => file.path === path)
  const why = brought === undefined ? 'It is not from the bundle.' : 'It was changed since it was installed.'
  const isGoing = brought !== undefined && (request.force || brought.hash === hash)
  return { path: join(folder, path), action: isGoing ? 'remove' : 'keep', why: isGoing ? '' : why }
}

function describe(connector: ConnectorView, action: PlannedConnector['action'], why: string): PlannedConnector {
  const { name, transport, cmd, args, baseUrl, headers, env } = connector
  return {
    name,
    action,
    why,
    transport,
    command: cmd === null ? null : previewCommand(cmd, args),
    url: baseUrl === null ? null : previewUrl(baseUrl),
    env: env.map((each) => each.name),
    headers: headers.map((each) => each.name),
    secrets: [...headers, ...env].filter(({ secret }) => secret).map((each) => each.name),
    touches: connector.touches,
  }
}
