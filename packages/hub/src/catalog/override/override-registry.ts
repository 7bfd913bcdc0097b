import { HubError, ToolOverride, type CatalogFragment, type OverrideState, isGlob } from '@herma/contract'
import { and, eq, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Descriptor } from '../../wire/index.ts'
import type { Events } from '../../platform/events.ts'
import type { Log } from '../../platform/log.ts'
import type { AppliedRules } from '../core/catalog-rules.ts'
import type { CatalogSource } from '../core/catalog-source.ts'
import { nameForMany } from '../fragment/index.ts'
import { baseFor, overriddenFields, rebase, type OverrideBase, type RebasedField } from './rebase.ts'
import { overrideBaseTable, toolOverrideTable } from './table.ts'

export interface StoredOverride {
  readonly server: string
  readonly tool: string
  readonly override: ToolOverride
}

type Bases = Partial<Record<RebasedField, OverrideBase>>

type Changes = Partial<Record<keyof ToolOverride, unknown>>

const maxOverrides = 5000

/** The overrides that people made by hand, and what every override was made against. */
export class OverrideRegistry {
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

  /** What was said about this tool alone; rules with wildcards that fit it are not meant. */
  of(server: string, tool: string): ToolOverride | undefined {
    return this.#overrides.get(keyOf(server, tool))?.override
  }

  list(): StoredOverride[] {
    return [...this.#overrides.values()]
  }

  /** The overrides as a fragment, the last one to be merged. */
  toFragment(): CatalogFragment {
    const byServer = new Map<string, [string, ToolOverride][]>()
    for (const { server, tool, override } of this.list()) {
      const tools = byServer.get(server) ?? []
      tools.push([tool, override])
      byServer.set(server, tools)
    }
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
  async change(server: string, tool: string, change: Changes): Promise<ToolOverride> {
    const [override] = await this.changeAll([{ server, tool, change }])
    return override!
  }

  /** Several at once; all of them or none. They take effect together. */
  async changeAll(changes: readonly { server: string; tool: string; change: Changes }[]): Promise<ToolOverride[]> {
    // One tool may be named twice, and the database takes each only once.
    const next = new Map<string, StoredOverride>()
    const answer = changes.map(({ server, tool, change }) => {
      const key = keyOf(server, tool)
      const override = changed((next.get(key) ?? this.#overrides.get(key))?.override, change)
      if (override.name !== undefined && (isGlob(server) || isGlob(tool)))
        throw new HubError('CATALOG_INVALID', nameForMany)
      next.set(key, { server, tool, override })
      return override
    })
    const [kept, emptied] = [true, false].map((isKept) =>
      [...next.values()].filter(({ override }) => Object.keys(override).length > 0 === isKept),
    ) as [StoredOverride[], StoredOverride[]]
    this.#requireRoom(kept)
    await this.#store(kept, emptied)
    const gone = emptied.filter(({ server, tool }) => this.#overrides.delete(keyOf(server, tool)))
    for (const each of kept) this.#overrides.set(keyOf(each.server, each.tool), each)
    await this.#tell([...kept, ...gone])
    return answer
  }

  #requireRoom(kept: readonly StoredOverride[]): void {
    const added = kept.filter(({ server, tool }) => !this.#overrides.has(keyOf(server, tool)))
    if (added.length > 0 && this.#overrides.size + added.length > maxOverrides)
      throw new HubError('OVERLOADED', `There can be ${maxOverrides} overrides. Use a fragment with wildcards.`)
  }

  async #store(kept: readonly StoredOverride[], emptied: readonly StoredOverride[]): Promise<void> {
    const { server: serverColumn, tool: toolColumn, override: overrideColumn } = toolOverrideTable
    const updatedAt = new Date()
    await this.#db.transaction(async (transaction) => {
      if (kept.length > 0)
        await transaction
          .insert(toolOverrideTable)
          .values(kept.map((each) => ({ ...each, updatedAt })))
          .onConflictDoUpdate({
            target: [serverColumn, toolColumn],
            set: { override: sql`excluded.${sql.identifier(overrideColumn.name)}`, updatedAt },
          })
      const [servers, tools] = [emptied.map(({ server }) => server), emptied.map(({ tool }) => tool)].map((list) =>
        sql.param(list),
      )
      const places = sql`select * from unnest(${servers}::text[], ${tools}::text[])`
      if (emptied.length > 0)
        await transaction.delete(toolOverrideTable).where(sql`(${serverColumn}, ${toolColumn}) in (${places})`)
    })
  }

  async remove(server: string, tool: string): Promise<boolean> {
    const { server: serverColumn, tool: toolColumn } = toolOverrideTable
    await this.#db.delete(toolOverrideTable).where(and(eq(serverColumn, server), eq(toolColumn, tool)))
    const wasThere = this.#overrides.delete(keyOf(server, tool))
    if (wasThere) await this.#tell([{ server, tool }])
    return wasThere
  }

  async #tell(places: readonly { server: string; tool: string }[]): Promise<void> {
    if (places.length === 0) return
    for (const { server, tool } of places) this.#events.emit('override.changed', null, { server, tool })
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

function changed(known: ToolOverride | undefined, change: Changes): ToolOverride {
  const given = Object.entries({ ...known, ...change }).filter(([, value]) => value !== undefined && value !== null)
  return ToolOverride.parse(Object.fromEntries(given))
}

function keyOf(server: string, tool: string): string {
  return `${server}\n${tool}`
}
