import { TeamMember } from '@herma/contract'
import { asc, eq, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { teamMemberTable, teamTable } from './table.ts'
import { TeamSettings, type MemberRecord, type TeamRecord } from './team-record.ts'

export interface StoredTeam extends TeamRecord {
  readonly updatedAt: Date
}

type TeamRow = typeof teamTable.$inferSelect
type MemberRow = typeof teamMemberTable.$inferSelect

/** The rows of teams and their members. */
export class TeamStore {
  readonly #db: NodePgDatabase

  constructor(db: NodePgDatabase) {
    this.#db = db
  }

  /** Oldest first. A bad row comes disabled, with its problem, instead of failing the others. */
  async loadAll(): Promise<StoredTeam[]> {
    const rows = await this.#db.select().from(teamTable).orderBy(asc(teamTable.createdAt), asc(teamTable.name))
    const members = await this.#db.select().from(teamMemberTable)
    return rows.map((row) =>
      readRow(
        row,
        members.filter(({ teamId }) => teamId === row.id),
      ),
    )
  }

  /** Writes a team and its members, all or nothing, whether it is there already or not. */
  async save({ id, name, settings, members }: TeamRecord): Promise<Date> {
    return this.#db.transaction(async (transaction) => {
      const [row] = await transaction
        .insert(teamTable)
        .values({ id, name, ...settings })
        .onConflictDoUpdate({ target: teamTable.id, set: { ...settings, updatedAt: sql`now()` } })
        .returning({ updatedAt: teamTable.updatedAt })
      await transaction.delete(teamMemberTable).where(eq(teamMemberTable.teamId, id))
      if (members.length > 0)
        await transaction.insert(teamMemberTable).values(members.map((member) => ({ teamId: id, ...member })))
      return row!.updatedAt
    })
  }

  async remove(id: string): Promise<void> {
    await this.#db.delete(teamTable).where(eq(teamTable.id, id))
  }
}

function readRow({ id, name, createdAt: _, updatedAt, ...row }: TeamRow, rows: readonly MemberRow[]): StoredTeam {
  const read = TeamSettings.safeParse(row)
  const members = rows.map(readMember).filter((member) => member !== null)
  const isWhole = members.length === rows.length
  if (read.success && isWhole) return { id, name, settings: read.data, members, updatedAt, problem: null }
  const issue = read.error?.issues[0]
  const what = issue === undefined ? 'a member' : `${issue.path.join('.')} (${issue.message})`
  const settings = { ...(read.data ?? TeamSettings.parse({})), enabled: false }
  const problem = `What is stored of team '${name}' cannot be read: ${what}. Set it again: herma team edit ${name}`
  return { id, name, settings, members, updatedAt, problem }
}

function readMember({ teamId: _, sessionId, sessionName, ...row }: MemberRow): MemberRecord | null {
  const read = TeamMember.omit({ session: true }).safeParse(row)
  return read.success ? { sessionId, sessionName, ...read.data } : null
}
