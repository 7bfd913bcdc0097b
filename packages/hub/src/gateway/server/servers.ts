import { HubError, ServerInput, ServerPatch, type ServerView } from '@herma/contract'
import { eq } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Entrance } from '../../access/index.ts'
import type { Events } from '../../platform/events.ts'
import { Signal } from '../../platform/signal.ts'
import { facadeName, pathOfServer, sessionOf } from '../../wire/index.ts'
import { noFacts, type OwnServerFacts, type ServerFacts } from './server-facts.ts'
import { servedServerTable } from './table.ts'

/** What is set about a server; a connector is known by its id, which stays when it is renamed. */
type Switches = Required<Omit<ServerPatch, 'connector'>> & { readonly host: string | undefined }

const asItComes: Switches = {
  description: '',
  enabled: true,
  host: undefined,
  sse: false,
  mode: 'full',
  view: null,
  metadata: true,
  schemas: 'auto',
  fallbacks: 'auto',
  access: 'auto',
  keyHeader: 'authorization',
}
/** Who manages the hub as its owner can make it run any command, so that being on this machine is not enough. */
const ownSwitches: Switches = { ...asItComes, access: 'required' }
const maxServers = 200

/** The servers that Herma serves, and what people set about each. Servers of the hub's own come after them. */
export class Servers {
  readonly #db: NodePgDatabase
  readonly #events: Events
  readonly #servers = new Map<string, Switches>([[facadeName, asItComes]])
  readonly #own: ReadonlySet<string>
  readonly #entrances = new Map<string, Entrance>()
  /** Teams and sessions that are served now. */
  readonly #announced = new Map<string, 'team' | 'session'>()
  /** What was set about teams and sessions that are not announced so far. */
  readonly #kept = new Map<string, Switches>()
  /** Servers that people have switched off. */
  readonly #disabled = new Set<string>()
  readonly #greetedAt = new Map<string, Date>()
  /** What clients see may have changed. */
  readonly changed = new Signal()
  #facts: ServerFacts = noFacts

  /** `own` names the servers that the hub answers itself: they are as they are. */
  constructor(db: NodePgDatabase, events: Events, own: readonly string[] = []) {
    this.#db = db
    this.#own = new Set(own)
    for (const name of own) this.#entrances.set(name, managementEntranceOf(name))
    this.#entrances.set(facadeName, entranceOf(facadeName, asItComes))
    this.#events = events
  }

  async start(): Promise<void> {
    const rows = await this.#db.select().from(servedServerTable)
    for (const { name, kind, connectorId, updatedAt: _, ...row } of rows) {
      const read = ServerPatch.omit({ connector: true }).safeParse(row)
      // A row that a newer version wrote serves with what is understood of it.
      const known = read.success ? read.data : { view: row.view, enabled: row.enabled, access: 'required' as const }
      const switches = { ...asItComes, ...known, host: connectorId ?? undefined }
      if (kind === 'custom') this.#set(name, switches)
      else this.#kept.set(name, switches)
    }
  }

  /** What the others know of servers, once they are there. */
  learn(facts: ServerFacts): void {
    this.#facts = facts
  }

  /** How a team or session is. */
  ownFacts(name: string): OwnServerFacts | undefined {
    return this.#facts.own(name)
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
    this.changed.tell()
  }

  /** What a team or session offers has changed. */
  renew(): void {
    this.changed.tell()
  }

  /** A team or session has another name; what was set about its server stays. */
  async rename(before: string, name: string): Promise<void> {
    this.requireFree(name)
    const kind = this.#announced.get(before)
    const switches = this.#servers.get(before)
    if (kind === undefined || switches === undefined) return
    this.#announced.delete(before)
    this.#forget(before)
    this.#announced.set(name, kind)
    this.#set(name, switches)
    this.changed.tell()
    await this.#db.update(servedServerTable).set({ name }).where(eq(servedServerTable.name, before))
  }

  /** A team or session is gone, and what was set about its server with it. */
  async withdraw(name: string): Promise<void> {
    if (!this.#announced.delete(name)) return
    this.#kept.delete(name)
    this.#forget(name)
    await this.#db.delete(servedServerTable).where(eq(servedServerTable.name, name))
  }

  kindOf(name: string): ServerView['kind'] {
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

  /** Why nobody is served here now; null when all are. */
  refusalOf(name: string): HubError | null {
    const kind = this.#announced.size === 0 ? undefined : this.#announced.get(name)
    const isOff = kind === undefined ? this.#disabled.has(name) : this.#facts.own(name)?.enabled === false
    return isOff ? new HubError('SERVER_DISABLED', disabledText(name, kind)) : null
  }

  /** A client has introduced itself. */
  greeted(name: string): void {
    this.#greetedAt.set(name, new Date())
  }

  list(): ServerView[] {
    return [...this.#servers.keys(), ...this.#own].map((name) => this.get(name))
  }

  get(name: string): ServerView {
    const { host, ...switches } = this.#own.has(name) ? ownSwitches : this.#find(name)
    const { description, enabled } = this.#facts.own(name) ?? switches
    return {
      name,
      kind: this.kindOf(name),
      path: pathOfServer(name, 'stream'),
      ssePath: pathOfServer(name, 'sse'),
      rpcPath: pathOfServer(name, 'rpc'),
      healthPath: pathOfServer(name, 'health'),
      ...switches,
      description,
      enabled,
      connector: host === undefined ? null : (this.#facts.connectorName(host) ?? removedConnector),
      tools: this.#facts.toolCount(name),
      lastHandshake: this.#greetedAt.get(name)?.toISOString() ?? null,
    }
  }

  /** The connector that a server hosts. */
  hostOf(name: string): string | undefined {
    return this.#servers.get(name)?.host
  }

  /** The server that hosts a connector alone, the first by its name where there are several. */
  hosting(connectorId: string): string | undefined {
    const names = [...this.#servers].flatMap(([name, { host }]) => (host === connectorId ? [name] : []))
    return names.toSorted()[0]
  }

  async add(input: ServerInput): Promise<ServerView> {
    const { name, ...switches } = ServerInput.parse(input)
    this.requireFree(name)
    if (this.#servers.size >= maxServers)
      throw new HubError('OVERLOADED', `Herma serves ${maxServers} servers, its limit. Remove one first.`)
    await this.#save(name, this.#merge(name, asItComes, switches))
    this.#events.emit('server.added', null, { server: name })
    return this.get(name)
  }

  async update(name: string, patch: ServerPatch): Promise<ServerView> {
    this.#refuseOwn(name)
    await this.#save(name, this.#merge(name, this.#find(name), ServerPatch.parse(patch)))
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
    this.#forget(name)
    this.#events.emit('server.removed', null, { server: name })
  }

  #forget(name: string): void {
    this.#servers.delete(name)
    this.#entrances.delete(name)
    this.#disabled.delete(name)
    this.#greetedAt.delete(name)
    this.changed.tell()
  }

  /** What was set before with the changes, as far as they suit this kind of server. */
  #merge(name: string, before: Switches, { connector, ...changes }: ServerPatch): Switches {
    const kind = this.kindOf(name)
    if ((kind === 'team' || kind === 'session') && (changes.enabled ?? changes.description) !== undefined)
      throw new HubError('SERVER_INVALID', `'${name}' is a ${kind}. Set that: herma ${kind} edit`)
    if (kind === 'facade' && changes.enabled === false)
      throw new HubError('SERVER_INVALID', 'The facade is always there. Set its view instead.')
    if (kind !== 'custom' && connector != null)
      throw new HubError('SERVER_INVALID', `Only a custom server can host a connector, and '${name}' is none.`)
    const host =
      connector === undefined ? before.host : connector === null ? undefined : this.#facts.connectorId(connector)
    const after = { ...before, ...changes, host }
    if (host !== undefined && after.mode !== 'full')
      throw new HubError('SERVER_INVALID', `A server that hosts a connector lists its tools: use --mode full.`)
    return after
  }

  async #save(name: string, switches: Switches): Promise<void> {
    const { host, ...columns } = switches
    const kind = this.#announced.get(name) ?? 'custom'
    const set = { ...columns, connectorId: host ?? null, kind, updatedAt: new Date() }
    await this.#db
      .insert(servedServerTable)
      .values({ name, ...set })
      .onConflictDoUpdate({ target: servedServerTable.name, set })
    this.#set(name, switches)
    this.changed.tell()
  }

  #set(name: string, switches: Switches): void {
    this.#servers.set(name, switches)
    this.#entrances.set(name, entranceOf(name, switches))
    if (switches.enabled) this.#disabled.delete(name)
    else this.#disabled.add(name)
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

/** What is shown in place of the name of a connector that a server hosted. */
const removedConnector = '(removed)'

function disabledText(name: string, kind: 'team' | 'session' | undefined): string {
  if (kind === undefined) return `The server '${name}' is disabled. Enable it with: herma server enable ${name}`
  return `The ${kind} '${sessionOf(name) ?? name}' is disabled. Enable it with: herma ${kind} enable ${sessionOf(name) ?? name}`
}

function entranceOf(server: string, { access, keyHeader }: Switches): Entrance {
  return { server, opens: opensFor[access], keyHeader, takesCookies: false, scopes: ['mcp', 'mcp:read'] }
}

/** Who adds a connector makes the hub run a command, so that the scope alone is not enough. */
function managementEntranceOf(server: string): Entrance {
  return { ...entranceOf(server, ownSwitches), scopes: ['admin'], role: 'admin' }
}

const opensFor = { auto: 'unless-public', local: 'locally', required: 'never' } as const
