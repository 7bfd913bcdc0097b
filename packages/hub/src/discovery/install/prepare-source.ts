import { isAbsolute } from 'node:path'
import {
  HubError,
  type ConnectorInput,
  type DiscoveryNeed,
  type InstallRequest,
  type InstallSource,
} from '@herma/contract'
import type { BundleShelf } from '../bundle/bundle-shelf.ts'
import { readBundle } from '../bundle/read-bundle.ts'
import { findPlaceholders, placeholder, type ClientServer } from '../client-config.ts'
import type { FoundClient } from '../client/find-clients.ts'
import { isSecretName } from '../../secret/index.ts'
import type { NamedRecipe, Recipe } from '../recipe/recipe.ts'
import type { FoundServer } from '../registry/to-discovered-server.ts'
import type { Prepared } from './prepared.ts'

/** Where the things that can be installed are found. */
export interface Sources {
  readonly shelf: BundleShelf
  findClient(id: string): Promise<FoundClient>
  findServer(source: Extract<InstallSource, { kind: 'registry' }>): Promise<FoundServer>
}

/** Finds what a request is about. Throws when there is no such thing. */
export async function prepareSource({ source, option }: InstallRequest, sources: Sources): Promise<Prepared> {
  if (source.kind === 'registry') return prepareServer(source, await sources.findServer(source), option)
  if (source.kind === 'bundle') return prepareBundle(source, sources.shelf)
  const client = await sources.findClient(source.client)
  const server = client.servers.find(({ name }) => name === source.name)
  if (server !== undefined) return prepareClientServer(source, server, client.title)
  const failed = client.failed.find(({ name }) => name === source.name)
  const why =
    failed === undefined ? `${client.file} names no server '${source.name}'.` : `'${source.name}': ${failed.reason}`
  throw new HubError('SERVER_NOT_FOUND', why)
}

function prepareServer(source: InstallSource, { server, options }: FoundServer, wanted?: string): Prepared {
  const chosen =
    wanted === undefined
      ? (options.find(({ option }) => option.isInstallable) ?? options[0])
      : options.find(({ option }) => option.id === wanted)
  if (chosen === undefined) {
    const ids = options.map(({ option }) => option.id)
    const there = ids.length === 0 ? 'It has none: see its repository.' : `There are: ${ids.join(', ')}`
    throw new HubError('SERVER_NOT_FOUND', `'${server.name}' has no option '${wanted ?? ''}'. ${there}`)
  }
  const { option, recipe, warnings } = chosen
  const aged =
    server.status === 'active' ? [] : [`The registry calls it ${server.status}. ${server.statusMessage}`.trim()]
  return {
    source,
    title: server.title,
    needs: option.needs,
    recipes: recipe === null ? [] : [recipe],
    bundle: null,
    tools: [],
    conflicts: option.whyNot === null ? [] : [option.whyNot],
    warnings: [...aged, ...warnings],
  }
}

async function prepareBundle(
  source: Extract<InstallSource, { kind: 'bundle' }>,
  shelf: BundleShelf,
): Promise<Prepared> {
  const { name, folder } = source
  if (folder !== undefined && !isAbsolute(folder))
    throw new HubError('INVALID_PARAMS', `'${folder}' is not an absolute path. Write it from the root on.`)
  const bundle = folder === undefined ? await shelf.findShipped(name) : await readBundle(folder)
  const { manifest, needs, recipes, files, tools } = bundle
  const isNamed = manifest.name === name
  return {
    source,
    title: manifest.title,
    needs,
    recipes,
    bundle: { name, folder: shelf.folderOf(name), files },
    tools,
    conflicts: isNamed ? [] : [`The bundle in ${bundle.folder} is named '${manifest.name}', not '${name}'.`],
    warnings: [],
  }
}

function prepareClientServer(source: InstallSource, { input, remarks }: ClientServer, client: string): Prepared {
  const needs: DiscoveryNeed[] = []
  const read = (where: 'env' | 'header', values: ConnectorInput['env'] = []) =>
    values.map(({ name, value = '' }): NamedRecipe => {
      if (!placeholder.test(value)) return { name, value: [value], isSecret: isSecretName(name) }
      const need = askFor(name, where, value)
      needs.push(need)
      return { name, value: [{ need: need.id }], isSecret: need.isSecret }
    })
  const recipe: Recipe = {
    name: input.name,
    description: input.description ?? '',
    enabled: true,
    transport: input.transport,
    baseUrl: input.baseUrl === undefined ? null : [input.baseUrl],
    headers: read('header', input.headers),
    cmd: input.cmd ?? null,
    args: (input.args ?? []).map((arg) => ({ flag: null, value: [arg] })),
    env: read('env', input.env),
    workingDir: input.workingDir === undefined ? null : [input.workingDir],
    options: {},
  }
  const unknown = findPlaceholders({ ...input, headers: [], env: [] })
  return {
    source,
    title: `${input.name} of ${client}`,
    needs,
    recipes: [recipe],
    bundle: null,
    tools: [],
    conflicts: unknown.length === 0 ? [] : [`Only the client can fill in ${unknown.join(', ')}. Add it by hand.`],
    warnings: [...remarks],
  }
}

function askFor(name: string, where: 'env' | 'header', value: string): DiscoveryNeed {
  const isWhole = value.replace(placeholder, '') === ''
  return {
    id: `${where}:${name}`,
    name,
    in: where,
    description: isWhole ? 'Only the client has this value.' : `Its form is: ${value.replace(placeholder, '<value>')}`,
    isRequired: true,
    isSecret: isSecretName(name),
    isRepeated: false,
    format: 'string',
    default: null,
    placeholder: null,
    choices: [],
  }
}
