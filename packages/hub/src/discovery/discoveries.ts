import { homedir } from 'node:os'
import {
  HubError,
  type Isolation,
  type IsolationView,
  type BundleView,
  type ClientConfigView,
  type ClientImport,
  type ConnectorInput,
  type DiscoverySettings,
  type ImportAnswer,
  type RegistryPage,
  type RegistryQuery,
} from '@herma/contract'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Events } from '../platform/events.ts'
import type { Log } from '../platform/log.ts'
import type { HostPolicy } from '../platform/process/host-policy.ts'
import type { AddressGuard } from '../platform/network/index.ts'
import { BundleShelf } from './bundle/bundle-shelf.ts'
import { viewBundle } from './bundle/view-bundle.ts'
import { disableUnfilled } from './client-config.ts'
import type { ClientMachine } from './client/client-places.ts'
import { findClients, type FoundClient } from './client/find-clients.ts'
import { viewClient } from './client/view-client.ts'
import { addServers } from './import-connectors.ts'
import { findPrograms } from './install/find-programs.ts'
import { Installer } from './install/installer.ts'
import { isolate } from './install/isolate.ts'
import type { DiscoveryConnectors, DiscoverySecrets } from './ports.ts'
import { RegistryClient } from './registry/registry-client.ts'
import { DiscoverySettingsRegistry } from './discovery-settings-registry.ts'
import { DiscoveryStore } from './store.ts'

export interface DiscoveryOptions {
  readonly db: NodePgDatabase
  readonly configHome: string
  readonly connectors: DiscoveryConnectors
  readonly secrets: DiscoverySecrets
  readonly guard: AddressGuard
  /** Says who may bring a bundle of a folder. */
  readonly hostPolicy: HostPolicy
  readonly events: Events
  readonly log: Log
  /** What the process of a server may touch. */
  touches(isolation: Isolation | undefined, command: string): IsolationView
  /** Whether a server is this hub itself. */
  isHerma(input: ConnectorInput): boolean
}

/** Finds servers: in registries, in the configurations of clients, in bundles. Its installer brings and removes them. */
export class Discoveries {
  readonly installer: Installer
  readonly #options: DiscoveryOptions
  readonly #store: DiscoveryStore
  readonly #settings: DiscoverySettingsRegistry
  readonly #registry: RegistryClient
  readonly #shelf: BundleShelf

  constructor(options: DiscoveryOptions) {
    this.#options = options
    this.#store = new DiscoveryStore(options.db)
    this.#settings = new DiscoverySettingsRegistry(this.#store, options.events)
    this.#registry = new RegistryClient(options.guard)
    this.#shelf = new BundleShelf(options.configHome)
    this.installer = new Installer({
      ...options,
      touches: (isolation, command) => options.touches(isolation, command),
      store: this.#store,
      sources: {
        shelf: this.#shelf,
        findClient: (id) => this.#findClient(id),
        findServer: ({ name, version, registry }) => this.#registry.get(this.#settings.choose(registry), name, version),
      },
    })
  }

  async start(): Promise<void> {
    await Promise.all([this.#settings.start(this.#options.log), this.#sweep()])
  }

  stop(): Promise<void> {
    return this.#registry.stop()
  }

  settings(): DiscoverySettings {
    return this.#settings.get()
  }

  setSettings(settings: DiscoverySettings): Promise<DiscoverySettings> {
    return this.#settings.set(settings)
  }

  async search({ query, cursor, registry: wanted }: RegistryQuery): Promise<RegistryPage> {
    const registry = this.#settings.choose(wanted)
    const [{ servers, nextCursor, skipped }, installs] = await Promise.all([
      this.#registry.search(registry, query.trim(), cursor),
      this.#store.loadInstalls(),
    ])
    const connectors = this.#options.connectors.list()
    const connectorsOf = (name: string) =>
      installs
        .filter(({ source }) => source.kind === 'registry' && source.name === name)
        .flatMap(({ key }) => connectors.find(({ id }) => id === key)?.name ?? [])
    const found = servers.map(({ server }) => ({ ...server, connectors: connectorsOf(server.name) }))
    return { registry, servers: found, nextCursor, skipped }
  }

  async clients(): Promise<ClientConfigView[]> {
    const around = {
      connectors: this.#options.connectors.list(),
      isHerma: (input: ConnectorInput) => this.#options.isHerma(input),
    }
    return (await findClients(thisMachine())).map((client) => viewClient(client, around))
  }

  /** Adds servers of a client's configuration. One that is refused does not stop the others. */
  async importFrom({ client: id, names, storeSecrets, isolation }: ClientImport): Promise<ImportAnswer> {
    const { servers, failed, file } = await this.#findClient(id)
    const isWanted = ({ name }: { name: string }) => names.includes(name)
    const known = new Set([...servers, ...failed].map(({ name }) => name))
    const absent = names.filter((name) => !known.has(name))
    const chosen = {
      servers: servers
        .filter(isWanted)
        .map(disableUnfilled)
        .map((server) => ({ ...server, input: isolate(server.input, isolation) })),
      failed: [
        ...failed.filter(isWanted),
        ...absent.map((name) => ({ name, reason: `${file} does not name it any more.` })),
      ],
    }
    return addServers(chosen, this.#options.connectors, { storeSecrets })
  }

  async bundles(): Promise<BundleView[]> {
    const [shipped, installed, installs] = await Promise.all([
      this.#shelf.shipped(),
      this.#shelf.installed(),
      this.#store.loadInstalls(),
    ])
    const records = installs.filter(({ kind }) => kind === 'bundle')
    const names = [...shipped, ...installed].map(({ name }) => name)
    const all = new Set([...names, ...records.map(({ key }) => key)])
    const connectors = this.#options.connectors.list()
    return Promise.all(
      [...all].map(async (name) => {
        const facts = {
          shipped: shipped.find((each) => each.name === name),
          installed: installed.find((each) => each.name === name),
          record: records.find(({ key }) => key === name),
          connectors,
        }
        const { recipes = [] } = facts.installed?.bundle ?? facts.shipped?.bundle ?? {}
        const programs = await findPrograms(recipes.flatMap(({ cmd }) => cmd ?? []))
        return viewBundle(name, { ...facts, programs })
      }),
    )
  }

  /** Records of connectors that somebody removed by hand would pile up. */
  async #sweep(): Promise<void> {
    const ids = new Set(this.#options.connectors.list().map(({ id }) => id))
    for (const { kind, key } of await this.#store.loadInstalls())
      if (kind === 'connector' && !ids.has(key)) await this.#store.removeInstall(kind, key)
  }

  async #findClient(id: string): Promise<FoundClient> {
    const clients = await findClients(thisMachine())
    const client = clients.find((each) => each.id === id)
    if (client === undefined) {
      const ids = clients.filter(({ exists }) => exists).map((each) => each.id)
      const there = ids.length === 0 ? 'No client has one on this machine.' : `There are: ${ids.join(', ')}`
      throw new HubError('FILE_NOT_FOUND', `There is no configuration of a client '${id}'. ${there}`)
    }
    if (client.problem !== null) throw new HubError('FILE_UNREADABLE', client.problem)
    return client
  }
}

function thisMachine(): ClientMachine {
  const { env } = process
  return { home: env['HOME'] || homedir(), folder: process.cwd(), platform: process.platform, env }
}
