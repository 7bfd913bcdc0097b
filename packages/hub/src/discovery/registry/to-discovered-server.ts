import type { DiscoveredServer } from '@herma/contract'
import { guessNameOf } from '../text/guess-name.ts'
import { cleanForeignLink, cleanForeignText } from './clean-foreign-text.ts'
import { readOptions, type ReadOption } from './read-option.ts'
import type { RegistryEntry } from './registry-entry.ts'

/** A server of a registry as it is shown, and the recipes behind its options. */
export interface FoundServer {
  readonly server: Omit<DiscoveredServer, 'connectors'>
  readonly options: readonly ReadOption[]
}

/** Cleans and cuts an entry of a registry; null when its name is no name. */
export function toFoundServer(entry: RegistryEntry, registry: string): FoundServer | null {
  const { server, _meta } = entry
  const official = _meta?.['io.modelcontextprotocol.registry/official']
  const { name, version } = server
  // A name that reads differently from what it is could not be asked for again.
  if (name !== cleanForeignText(name, 300) || version !== cleanForeignText(version, 300)) return null
  const title = cleanForeignText(server.title, 100)
  const description = cleanForeignText(server.description, 500)
  const head = { name: guessNameOf(name), description }
  const options = readOptions({ packages: server.packages ?? [], remotes: server.remotes ?? [] }, head)
  return {
    server: {
      registry,
      name,
      title: title === '' ? name : title,
      description,
      version,
      status: official?.status ?? 'active',
      statusMessage: cleanForeignText(official?.statusMessage, 500),
      repository: cleanForeignLink(server.repository?.url),
      website: cleanForeignLink(server.websiteUrl),
      publishedAt: official?.publishedAt ?? null,
      options: options.map(({ option }) => option),
    },
    options,
  }
}
