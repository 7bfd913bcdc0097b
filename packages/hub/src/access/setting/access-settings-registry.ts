import { AccessSettings, AccessSettingsPatch } from '@herma/contract'
import { eq } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Events } from '../../platform/events.ts'
import type { Log } from '../../platform/log.ts'
import { accessSettingTable } from './table.ts'

const part = 'access'

/** The settings of access as they are now. */
export class AccessSettingsRegistry {
  readonly #db: NodePgDatabase
  readonly #events: Events
  readonly #log: Log
  #settings = AccessSettings.parse({})
  #changing: Promise<void> = Promise.resolve()
  /** Called when they changed, and once at the start. */
  onChange: (settings: AccessSettings) => void = () => {}

  constructor(db: NodePgDatabase, events: Events, log: Log) {
    this.#db = db
    this.#events = events
    this.#log = log
  }

  async start(): Promise<void> {
    const [row] = await this.#db.select().from(accessSettingTable).where(eq(accessSettingTable.part, part))
    const read = AccessSettings.safeParse(row?.value ?? {})
    // What cannot be read must not open anything: the defaults are the narrowest settings.
    if (read.success) this.#settings = read.data
    else this.#log.error('the stored access settings cannot be read, so the defaults hold', { error: read.error })
    this.onChange(this.#settings)
  }

  get(): AccessSettings {
    return this.#settings
  }

  /** One change after the other: each builds on what the one before left. */
  update(patch: AccessSettingsPatch): Promise<AccessSettings> {
    const change = this.#changing.then(() => this.#change(patch))
    this.#changing = change.then(ignore, ignore)
    return change
  }

  async #change(patch: AccessSettingsPatch): Promise<AccessSettings> {
    const before = this.#settings
    const value = { ...before, ...AccessSettingsPatch.parse(patch) }
    const set = { value, updatedAt: new Date() }
    await this.#db
      .insert(accessSettingTable)
      .values({ part, ...set })
      .onConflictDoUpdate({ target: accessSettingTable.part, set })
    this.#settings = value
    this.onChange(value)
    this.#events.emit('access.changed', null, { before: pick(before, patch), after: pick(value, patch) })
    return value
  }
}

/** Whoever asked for a change hears of its failure; the next one does not. */
function ignore(): void {}

function pick(settings: AccessSettings, patch: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => name in patch))
}
