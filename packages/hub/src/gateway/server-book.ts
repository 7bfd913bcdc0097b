import { HubError, ServerPatch, type ServerView } from '@herma/contract'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Events } from '../platform/events.ts'
import { servedServerTable } from './table.ts'

/** The whole curated catalog, at `/mcp`. */
export const facadeName = 'facade'

/** The servers that Herma serves, and what people set about each. */
export class ServerBook {
  readonly #db: NodePgDatabase
  readonly #events: Events
  readonly #servers = new Map<string, { sse: boolean }>([[facadeName, { sse: false }]])

  constructor(db: NodePgDatabase, events: Events) {
    this.#db = db
    this.#events = events
  }

  async start(): Promise<void> {
    for (const { name, sse } of await this.#db.select().from(servedServerTable)) {
      if (this.#servers.has(name)) this.#servers.set(name, { sse })
    }
  }

  /** Whether clients may use HTTP+SSE of 2024-11-05. Undefined for a server that does not exist. */
  offersSse(name: string): boolean | undefined {
    return this.#servers.get(name)?.sse
  }

  list(): ServerView[] {
    return [...this.#servers.keys()].map((name) => this.get(name))
  }

  get(name: string): ServerView {
    const { sse } = this.#find(name)
    const base = `/api/mcp/servers/${name}`
    return {
      name,
      kind: 'facade',
      path: name === facadeName ? '/mcp' : `${base}/stream`,
      sse,
      ssePath: name === facadeName ? '/sse' : `${base}/sse`,
    }
  }

  async update(name: string, patch: ServerPatch): Promise<ServerView> {
    const server = { ...this.#find(name), ...ServerPatch.parse(patch) }
    const row = { name, sse: server.sse, updatedAt: new Date() }
    await this.#db
      .insert(servedServerTable)
      .values(row)
      .onConflictDoUpdate({ target: servedServerTable.name, set: { sse: row.sse, updatedAt: row.updatedAt } })
    this.#servers.set(name, server)
    this.#events.emit('server.changed', null, { server: name, ...patch })
    return this.get(name)
  }

  #find(name: string): { sse: boolean } {
    const server = this.#servers.get(name)
    if (server !== undefined) return server
    throw new HubError(
      'SERVER_NOT_FOUND',
      `No server is named '${name}'. There are: ${[...this.#servers.keys()].join(', ')}`,
    )
  }
}
