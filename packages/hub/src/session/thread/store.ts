import { randomUUID } from 'node:crypto'
import { MessagePart, Usage, type ThreadMessage, type ThreadQuery, type ThreadTotals } from '@herma/contract'
import { and, asc, desc, eq, lt, or, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { z } from 'zod'
import type { TurnMessage } from '../turn/types.ts'
import { sessionTable } from '../table.ts'
import { threadMessageTable, threadTable } from './table.ts'

export interface StoredThread {
  readonly id: string
  readonly sessionId: string
  readonly principal: string
  readonly title: string
  readonly approved: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly messageCount: number
  readonly usage: Usage
  readonly costUsd: number | null
}

/** A turn that is over, to be kept. */
export interface FinishedTurn {
  readonly messages: readonly TurnMessage[]
  readonly traceId: string
  readonly usage: Usage
  readonly costUsd: number | null
  /** For a thread that has none. */
  readonly title: string
}

/** The oldest threads of somebody with a session go when there are more; nobody pushes out those of others. */
const maxThreads = 1000

/** The rows of threads and their messages. */
export class ThreadStore {
  readonly #db: NodePgDatabase

  constructor(db: NodePgDatabase) {
    this.#db = db
  }

  async add(sessionId: string, principal: string, title: string): Promise<StoredThread> {
    const id = randomUUID()
    await this.#db.insert(threadTable).values({ id, sessionId, principal, title })
    await this.#db.execute(sql`
      delete from session_thread where id in (
        select id from session_thread where session_id = ${sessionId} and principal = ${principal}
        order by updated_at desc, id offset ${maxThreads}
      )`)
    return (await this.find(sessionId, id))!
  }

  async find(sessionId: string, id: string): Promise<StoredThread | undefined> {
    const [row] = await this.#select().where(and(eq(threadTable.id, id), eq(threadTable.sessionId, sessionId)))
    return row === undefined ? undefined : readThread(row)
  }

  /** The newest first. `principal` null = of everybody. */
  async list(sessionId: string, principal: string | null, query: ThreadQuery) {
    const before = readCursor(query.cursor)
    const rows = await this.#select()
      .where(
        and(
          eq(threadTable.sessionId, sessionId),
          principal === null ? undefined : eq(threadTable.principal, principal),
          before === null
            ? undefined
            : or(
                lt(threadTable.updatedAt, before.at),
                and(eq(threadTable.updatedAt, before.at), lt(threadTable.id, before.id)),
              ),
        ),
      )
      .orderBy(desc(threadTable.updatedAt), desc(threadTable.id))
      .limit(query.limit + 1)
    const threads = rows.slice(0, query.limit).map(readThread)
    const last = rows.length > query.limit ? threads.at(-1) : undefined
    return { threads, next: last === undefined ? null : `${last.updatedAt.getTime()}_${last.id}` }
  }

  /** Of everything that somebody talked about, by session. */
  async totals(principal: string): Promise<ThreadTotals[]> {
    const rows = await this.#db
      .select({
        session: sessionTable.name,
        threads: sql<number>`count(distinct ${threadTable.id})::int`,
        lastAt: sql<string>`max(${threadTable.updatedAt})`,
        totalTokens: sql<number>`coalesce(sum((${threadMessageTable.usage}->>'totalTokens')::float8), 0)`,
        costUsd: sql<number | null>`sum(${threadMessageTable.costUsd})`,
      })
      .from(threadTable)
      .innerJoin(sessionTable, eq(sessionTable.id, threadTable.sessionId))
      .leftJoin(threadMessageTable, eq(threadMessageTable.threadId, threadTable.id))
      .where(eq(threadTable.principal, principal))
      .groupBy(sessionTable.name)
    return rows.map((row) => ({ ...row, lastAt: new Date(row.lastAt).toISOString() }))
  }

  async rename(id: string, title: string): Promise<void> {
    await this.#db.update(threadTable).set({ title }).where(eq(threadTable.id, id))
  }

  async approve(id: string, tool: string): Promise<void> {
    const approved = sql`(select coalesce(jsonb_agg(distinct tool), '[]') from jsonb_array_elements(${threadTable.approved} || to_jsonb(${tool}::text)) as tool)`
    await this.#db.update(threadTable).set({ approved }).where(eq(threadTable.id, id))
  }

  async remove(id: string): Promise<void> {
    await this.#db.delete(threadTable).where(eq(threadTable.id, id))
  }

  async messages(id: string): Promise<ThreadMessage[]> {
    const rows = await this.#rows(id)
    return rows.map((row) => ({
      id: `${id}_${row.position}`,
      role: row.role as ThreadMessage['role'],
      // What only a provider reads is left out by the schema.
      parts: z.array(MessagePart).parse(row.parts),
      at: row.at.toISOString(),
      traceId: row.traceId,
      usage: row.usage === null ? null : Usage.parse(row.usage),
      costUsd: row.costUsd,
    }))
  }

  /** What a model is given back. */
  async history(id: string): Promise<TurnMessage[]> {
    const rows = await this.#rows(id)
    return rows.map(({ role, parts }) => ({ role, parts }) as TurnMessage)
  }

  /** Keeps a whole turn, or nothing of it. */
  async keep(id: string, turn: FinishedTurn): Promise<void> {
    const at = new Date()
    await this.#db.transaction(async (tx) => {
      const [known] = await tx
        .update(threadTable)
        .set({
          updatedAt: at,
          title: sql`case when ${threadTable.title} = '' then ${turn.title} else ${threadTable.title} end`,
        })
        .where(eq(threadTable.id, id))
        .returning({ id: threadTable.id })
      // Removed meanwhile: there is nowhere to keep it.
      if (known === undefined) return
      const counted = await tx.execute<{ next: number }>(
        sql`select coalesce(max(position) + 1, 0)::int as next from thread_message where thread_id = ${id}`,
      )
      const first = counted.rows[0]!.next
      const last = turn.messages.length - 1
      await tx.insert(threadMessageTable).values(
        turn.messages.map(({ role, parts }, index) => ({
          threadId: id,
          position: first + index,
          role,
          parts,
          at,
          traceId: turn.traceId,
          usage: index === last ? turn.usage : null,
          costUsd: index === last ? turn.costUsd : null,
        })),
      )
    })
  }

  #rows(id: string) {
    return this.#db
      .select()
      .from(threadMessageTable)
      .where(eq(threadMessageTable.threadId, id))
      .orderBy(asc(threadMessageTable.position))
  }

  #select() {
    const of = sql`from thread_message where thread_id = ${threadTable.id}`
    const sum = (field: keyof Usage) =>
      sql`'${sql.raw(field)}', coalesce(sum((usage->>'${sql.raw(field)}')::float8), 0)`
    const fields = Object.keys(Usage.shape) as (keyof Usage)[]
    return this.#db
      .select({
        thread: threadTable,
        messageCount: sql<number>`(select count(*)::int ${of})`,
        costUsd: sql<number | null>`(select sum(cost_usd) ${of})`,
        usage: sql<Usage>`(select json_build_object(${sql.join(fields.map(sum), sql`, `)}) ${of})`,
      })
      .from(threadTable)
  }
}

function readThread({
  thread,
  ...sums
}: { thread: typeof threadTable.$inferSelect } & Pick<
  StoredThread,
  'messageCount' | 'usage' | 'costUsd'
>): StoredThread {
  const approved = z.array(z.string()).safeParse(thread.approved)
  return { ...thread, ...sums, approved: approved.success ? approved.data : [] }
}

function readCursor(cursor: string | undefined): { at: Date; id: string } | null {
  const match = cursor === undefined ? null : /^(\d{1,15})_([0-9a-f-]{36})$/.exec(cursor)
  return match === null ? null : { at: new Date(Number(match[1])), id: match[2]! }
}
