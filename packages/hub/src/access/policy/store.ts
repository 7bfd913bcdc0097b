import type { AccessRulePatch } from '@herma/contract'
import { asc, eq, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { accessRuleTable } from './table.ts'

export interface StoredRule extends Required<AccessRulePatch> {
  readonly id: string
  readonly position: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The rows of rules. */
export class RuleStore {
  readonly #db: NodePgDatabase

  constructor(db: NodePgDatabase) {
    this.#db = db
  }

  /** By position. */
  async loadAll(): Promise<StoredRule[]> {
    const { position, createdAt, id } = accessRuleTable
    const rows = await this.#db.select().from(accessRuleTable).orderBy(asc(position), asc(createdAt), asc(id))
    // An effect that nobody knows must not allow anything.
    return rows.map((row) => ({ ...row, effect: row.effect === 'allow' ? 'allow' : 'deny' }))
  }

  async insert(id: string, rule: Required<AccessRulePatch>): Promise<void> {
    await this.#db.insert(accessRuleTable).values({ id, ...rule })
  }

  async update(id: string, rule: Required<AccessRulePatch>): Promise<void> {
    const { effect, description, when, enabled } = rule
    await this.#db
      .update(accessRuleTable)
      .set({ effect, description, when, enabled, updatedAt: sql`now()` })
      .where(eq(accessRuleTable.id, id))
  }

  async remove(id: string): Promise<void> {
    await this.#db.delete(accessRuleTable).where(eq(accessRuleTable.id, id))
  }

  /** The first id comes first. */
  async order(ids: readonly string[]): Promise<void> {
    const list = sql.param([...ids])
    await this.#db.execute(
      sql`update access_rule set position = wanted.position
          from unnest(${list}::text[]) with ordinality as wanted (id, position) where access_rule.id = wanted.id`,
    )
  }
}
