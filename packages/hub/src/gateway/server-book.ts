import { HubError, ServerInput, ServerPatch, type ServerView } from '@herma/contract'
import { eq } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Entrance } from '../access/index.ts'
import type { Events } from '../platform/events.ts'
import { facadeName, pathOfServer } from '../wire/index.ts'
import { servedServerTable } from './table.ts'

type Switches = Required<ServerPatch>

const asItComes: Switches = {
  sse: false,
  mode: 'full',
  view: null,
  metadata: true,
  schemas: 'auto',
  fallbacks: 'auto',
  access: 'auto',
  keyHeader: 'authorization',
}
/** Who manages the hub can make it run any command, so that being on this machine is not enough. */
const ownSwitches: Switches = { ...asItComes, access: 'required' }
const maxServers = 200

/** The servers that Herma serves, and what people set about each. Servers of the hub's own come after them. */
export class ServerBook {
  readonly #db: NodePgDatabase
  readonly #events: Events
  readonly #servers = new Map<string, Switches>([[facadeName, asItComes]])
  readonly #own: ReadonlySet<string>
  readonly #entrances = new Map<string, Entrance>()
  /** Teams and sessions that are served now. */
  readonly #announced = new Map<string, 'team' | 'session'>()
  /** What was set about teams and sessions that are not announced so far. */
  readonly #kept = new Map<string, Switches>()
  /** Called when what clients see may have changed. */
  onChange: () => void = () => {}

  /** `own` names the servers that the hub answers itself: they are as they are. */
  constructor(db: NodePgDatabase, events: Events, own: readonly string[] = []) {
    this.#db = db
    this.#own = new Set(own)
    for (const name of own) this.#entrances.set(name, managementEntranceOf(name))
    this.#entrances.set(facadeName, entranceOf(facadeName, asItComes))
    this.#events = events
  }

  async start(): Promise<void> {
    for (const { name, kind, updatedAt: _, ...row } of await this.#db.select().from(servedServerTable)) {
      const read = ServerPatch.safeParse(row)
      // A row that a newer version wrote serves with what is understood of it.
      const known = read.success ? read.data : { view: row.view, access: 'required' as const }
      const switches = { ...asItComes, ...known }
      if (kind === 'custom') this.#set(name, switches)
      else this.#kept.set(name, switches)
    }
  }

  /** Throws when the name is taken. */
  requireFree(name: string): void {
    if (this.#servers.has(name) || this.#own.has(name))
      throw new HubError('SERVER_EXISTS', `There is a server '${name}' already.`)
  }

  /** A team or session is there to be served. */
  announce(name: string, kind: 'team' | 'session'): void {
    this.requireFree(name)
    this.#announced.set(name, kind)
    this.#set(name, this.#kept.get(name) ?? asItComes)
    this.onChange()
  }

  /** What a team or session offers has changed. */
  renew(): void {
    this.onChange()
  }

  /** A team or session is gone, and what was set about its server with it. */
  async withdraw(name: string): Promise<void> {
    if (!this.#announced.delete(name)) return
    this.#servers.delete(name)
    this.#kept.delete(name)
    this.#entrances.delete(name)
    this.onChange()
    await this.#db.delete(servedServerTable).where(eq(servedServerTable.name, name))
  }

  #kindOf(name: string): ServerView['kind'] {
    if (name === facadeName) return 'facade'
    return this.#own.has(name) ? 'management' : (this.#announced.get(name) ?? 'custom')
  }

  /** Whether clients may use HTTP+SSE of 2024-11-05. Undefined for a server that does not exist. */
  offersSse(name: string): boolean | undefined {
    return this.#own.has(name) ? false : this.#servers.get(name)?.sse
  }

  /** What a client of this server has to show. Undefined for a server that does not exist. */
  entranceOf(name: string): Entrance | undefined {
    return this.#entrances.get(name)
  }

  settingsOf(name: string): Switches | undefined {
    return this.#servers.get(name)
  }

  list(): ServerView[] {
    return [...this.#servers.keys(), ...this.#own].map((name) => this.get(name))
  }

  get(name: string): ServerView {
    return {
      name,
      kind: this.#kindOf(name),
      path: pathOfServer(name, 'stream'),
      ssePath: pathOfServer(name, 'sse'),
      ...(this.#own.has(name) ? ownSwitches : this.#find(name)),
    }
  }

  async add(input: ServerInput): Promise<ServerView> {
    const { name, ...switches } = ServerInput.parse(input)
    this.requireFree(name)
    if (this.#servers.size >= maxServers)
      throw new HubError('OVERLOADED', `Herma serves ${maxServers} servers, its limit. Remove one first.`)
    await this.#save(name, { ...asItComes, ...switches })
    this.#events.emit('server.added', null, { server: name })
    return this.get(name)
  }

  async update(name: string, patch: ServerPatch): Promise<ServerView> {
    this.#refuseOwn(name)
    await this.#save(name, { ...this.#find(name), ...ServerPatch.parse(patch) })
    this.#events.emit('server.changed', null, { server: name, ...patch })
    return this.get(name)
  }

  async remove(name: string): Promise<void> {
    this.#refuseOwn(name)
    this.#find(name)
    if (name === facadeName) throw new HubError('FORBIDDEN', 'The facade is always there. Set its view instead.')
    const kind = this.#announced.get(name)
    if (kind !== undefined) throw new HubError('FORBIDDEN', `'${name}' is a ${kind}. Remove that: herma ${kind} remove`)
    await this.#db.delete(servedServerTable).where(eq(servedServerTable.name, name))
    this.#servers.delete(name)
    this.#entrances.delete(name)
    this.onChange()
    this.#events.emit('server.removed', null, { server: name })
  }

  async #save(name: string, switches: Switches): Promise<void> {
    const set = { ...switches, kind: this.#announced.get(name) ?? 'custom', updatedAt: new Date() }
    await this.#db
      .insert(servedServerTable)
      .values({ name, ...set })
      .onConflictDoUpdate({ target: servedServerTable.name, set })
    this.#set(name, switches)
    this.onChange()
  }

  #set(name: string, switches: Switches): void {
    this.#servers.set(name, switches)
    this.#entrances.set(name, entranceOf(name, switches))
  }

  #refuseOwn(name: string): void {
    if (this.#own.has(name)) throw new HubError('FORBIDDEN', `'${name}' belongs to Herma: there is nothing to set.`)
  }

  #find(name: string): Switches {
    const server = this.#servers.get(name)
    if (server !== undefined) return server
    throw new HubError(
      'SERVER_NOT_FOUND',
      `No server is named '${name}'. There are: ${[...this.#servers.keys(), ...this.#own].join(', ')}`,
    )
  }
}

function entranceOf(server: string, { access, keyHeader }: Switches): Entrance {
  return { server, opens: opensFor[access], keyHeader, takesCookies: false, scopes: ['mcp', 'mcp:read'] }
}

/** Who adds a connector makes the hub run a command, so that the scope alone is not enough. */
function managementEntranceOf(server: string): Entrance {
  return { ...entranceOf(server, ownSwitches), scopes: ['admin'], role: 'admin' }
}

const opensFor = { auto: 'unless-public', local: 'locally', required: 'never' } as const
