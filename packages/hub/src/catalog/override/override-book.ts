import { HubError, ToolOverride, type CatalogFragment, type OverrideState } from '@herma/contract'
import { and, eq } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Events } from '../../platform/events.ts'
import type { Log } from '../../platform/log.ts'
import type { AppliedRules } from '../catalog-rules.ts'
import type { CatalogSource, Descriptor } from '../catalog-source.ts'
import { nameForMany } from '../fragment/index.ts'
import { isGlob } from '../../platform/match-glob.ts'
import { baseFor, overriddenFields, rebase, type OverrideBase, type RebasedField } from './rebase.ts'
import { overrideBaseTable, toolOverrideTable } from './table.ts'

export interface StoredOverride {
  readonly server: string
  readonly tool: string
  readonly override: ToolOverride
}

type Bases = Partial<Record<RebasedField, OverrideBase>>

const maxOverrides = 5000

/** The overrides that people made by hand, and what every override was made against. */
export class OverrideBook {
  readonly #db: NodePgDatabase
  readonly #events: Events
  readonly #log: Log
  readonly #overrides = new Map<string, StoredOverride>()
  readonly #bases = new Map<string, Bases>()
  #writing: Promise<void> = Promise.resolve()
  /** Called when an override came, changed or went. */
  onChange: () => void | Promise<void> = () => {}

  constructor({ db, events, log }: { db: NodePgDatabase; events: Events; log: Log }) {
    this.#db = db
    this.#events = events
    this.#log = log
  }

  async start(): Promise<void> {
    for (const { server, tool, override } of await this.#db.select().from(toolOverrideTable)) {
      const read = ToolOverride.safeParse(override)
      if (read.success) this.#overrides.set(keyOf(server, tool), { server, tool, override: read.data })
      else this.#log.warn('an override in the database is left out', { server, tool, error: read.error.message })
    }
    for (const { connectorId, tool, field, base, override } of await this.#db.select().from(overrideBaseTable)) {
      const key = keyOf(connectorId, tool)
      this.#bases.set(key, { ...this.#bases.get(key), [field]: { base, override } })
    }
  }

  /** Resolves when everything is written. */
  async stop(): Promise<void> {
    await this.#writing
  }

  list(): StoredOverride[] {
    return [...this.#overrides.values()]
  }

  /** The overrides as a fragment, the last one to be merged. */
  toFragment(): CatalogFragment {
    const byServer = new Map<string, [string, ToolOverride][]>()
    for (const { server, tool, override } of this.list())
      byServer.set(server, [...(byServer.get(server) ?? []), [tool, override]])
    const servers = Object.fromEntries(
      [...byServer].map(([server, tools]) => [server, { tools: Object.fromEntries(tools) }]),
    )
    return {
      schemaVersion: 1,
      toolOverrides: { schemaVersion: 2, servers },
      hiddenTools: [],
      aggregations: [],
      pipelines: [],
      views: [],
    }
  }

  /** Changes what is said about a tool: given fields replace, null takes one back. */
  async change(
    server: string,
    tool: string,
    changes: Partial<Record<keyof ToolOverride, unknown>>,
  ): Promise<ToolOverride> {
    const known = this.#overrides.get(keyOf(server, tool))
    if (known === undefined && this.#overrides.size >= maxOverrides)
      throw new HubError('OVERLOADED', `There are ${maxOverrides} overrides, the limit. Use a fragment with wildcards.`)
    const merged = Object.entries({ ...known?.override, ...changes }).filter(
      ([, value]) => value !== undefined && value !== null,
    )
    const override = ToolOverride.parse(Object.fromEntries(merged))
    if (override.name !== undefined && (isGlob(server) || isGlob(tool)))
      throw new HubError('CATALOG_INVALID', nameForMany)
    if (Object.keys(override).length === 0) await this.remove(server, tool)
    else {
      const set = { override, updatedAt: new Date() }
      await this.#db
        .insert(toolOverrideTable)
        .values({ server, tool, ...set })
        .onConflictDoUpdate({ target: [toolOverrideTable.server, toolOverrideTable.tool], set })
      this.#overrides.set(keyOf(server, tool), { server, tool, override })
      await this.#tell(server, tool)
    }
    return override
  }

  async remove(server: string, tool: string): Promise<boolean> {
    const { server: serverColumn, tool: toolColumn } = toolOverrideTable
    await this.#db.delete(toolOverrideTable).where(and(eq(serverColumn, server), eq(toolColumn, tool)))
    const wasThere = this.#overrides.delete(keyOf(server, tool))
    if (wasThere) await this.#tell(server, tool)
    return wasThere
  }

  async #tell(server: string, tool: string): Promise<void> {
    this.#events.emit('override.changed', null, { server, tool })
    await this.onChange()
  }

  /** Notes what overrides were made against, when they are new or different. */
  note(source: CatalogSource, tools: readonly { descriptor: Descriptor; applied: AppliedRules }[]): void {
    for (const { descriptor, applied } of tools) {
      const tool = String(descriptor['name'])
      const key = keyOf(source.id, tool)
      const known = this.#bases.get(key) ?? {}
      const bases: Bases = {}
      for (const field of overriddenFields(applied.override)) {
        bases[field] = baseFor(known[field], applied.override[field], descriptor[field])
        if (bases[field] !== known[field]) this.#write(source.id, tool, field, bases[field])
      }
      this.#bases.set(key, bases)
    }
  }

  /** Where each overridden field of a tool stands. */
  statesOf(
    connectorId: string,
    descriptor: Descriptor,
  ): Partial<Record<RebasedField, { state: OverrideState; base: unknown }>> {
    const bases = this.#bases.get(keyOf(connectorId, String(descriptor['name']))) ?? {}
    return Object.fromEntries(
      Object.entries(bases).map(([field, base]) => [
        field,
        { state: rebase(base, descriptor[field]), base: base.base },
      ]),
    )
  }

  /** A person saw what the server says now, and wants the override all the same. */
  accept(connectorId: string, descriptor: Descriptor): void {
    const tool = String(descriptor['name'])
    const bases = this.#bases.get(keyOf(connectorId, tool)) ?? {}
    for (const [field, { override }] of Object.entries(bases) as [RebasedField, OverrideBase][]) {
      bases[field] = { base: descriptor[field] ?? null, override }
      this.#write(connectorId, tool, field, bases[field])
    }
  }

  forget(connectorId: string): void {
    for (const key of this.#bases.keys()) if (key.startsWith(`${connectorId}\n`)) this.#bases.delete(key)
    this.#queue(() => this.#db.delete(overrideBaseTable).where(eq(overrideBaseTable.connectorId, connectorId)))
  }

  #write(connectorId: string, tool: string, field: string, { base, override }: OverrideBase): void {
    const { connectorId: id, tool: toolColumn, field: fieldColumn } = overrideBaseTable
    this.#queue(() =>
      this.#db
        .insert(overrideBaseTable)
        .values({ connectorId, tool, field, base, override })
        .onConflictDoUpdate({ target: [id, toolColumn, fieldColumn], set: { base, override } }),
    )
  }

  /** The catalog does not wait for this; after a crash the base is what the server says then. */
  #queue(write: () => PromiseLike<unknown>): void {
    this.#writing = this.#writing
      .then(async () => void (await write()))
      .catch((error: unknown) => {
        this.#log.warn('what an override was made against could not be stored', { error })
      })
  }
}

function keyOf(server: string, tool: string): string {
  return `${server}\n${tool}`
}
