import { DiscoverySettings, HubError } from '@herma/contract'
import type { Events } from '../platform/events.ts'
import type { Log } from '../platform/log.ts'
import type { DiscoveryStore } from './store.ts'

/** Which registries are asked. */
export class DiscoverySettingsRegistry {
  readonly #store: DiscoveryStore
  readonly #events: Events
  #settings = DiscoverySettings.parse({})

  constructor(store: DiscoveryStore, events: Events) {
    this.#store = store
    this.#events = events
  }

  async start(log: Log): Promise<void> {
    const read = DiscoverySettings.safeParse((await this.#store.loadSettings()) ?? {})
    if (read.success) this.#settings = read.data
    else log.error('the stored settings of discovery cannot be read, so the defaults hold', { error: read.error })
  }

  get(): DiscoverySettings {
    return this.#settings
  }

  async set(settings: DiscoverySettings): Promise<DiscoverySettings> {
    const before = this.#settings
    const value = { registries: [...new Set(settings.registries.map((url) => url.replace(/\/+$/, '')))] }
    const secret = value.registries.find((url) => new URL(url).password !== '')
    if (secret !== undefined)
      throw new HubError('INVALID_PARAMS', 'An address of a registry must not hold a password. Leave it out.')
    await this.#store.saveSettings(value)
    this.#settings = value
    this.#events.emit('discovery.changed', null, { before, after: value })
    return value
  }

  /** The address to ask: one of the list, the first when none is named. Others are refused, so that nobody is led elsewhere. */
  choose(wanted?: string): string {
    const { registries } = this.#settings
    const url = wanted?.replace(/\/+$/, '') ?? registries[0]!
    if (registries.includes(url)) return url
    throw new HubError(
      'INVALID_PARAMS',
      `${url} is not one of the registries: ${registries.join(', ')}. Add it with: herma discover registry --add ${url}`,
    )
  }
}
