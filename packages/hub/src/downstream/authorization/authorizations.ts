import { timingSafeEqual } from 'node:crypto'
import { HubError, type Connector } from '@herma/contract'
import type { Log } from '../../platform/log.ts'
import type { AddressGuard } from '../../platform/network/index.ts'
import type { Redactor } from '../../secret/index.ts'
import { Authorization } from './authorization.ts'
import { ConnectorCredentials, everybody, type Credentials } from './credential/connector-credentials.ts'
import { Records } from './records.ts'
import type { AuthorizationStore, StoredRecord } from './store.ts'

interface AuthorizationsOptions {
  readonly store: AuthorizationStore
  readonly redactor: Pick<Redactor, 'set' | 'remove' | 'redact'>
  readonly log: Log
  readonly guard: AddressGuard
  /** Locks that all hubs on the store respect. */
  readonly locks: { hold<T>(name: string, work: () => Promise<T>): Promise<T> }
  /** Where authorization servers send people back to; known once the hub listens. */
  redirectUrl(): string
}

interface Entry {
  readonly credentials: ConnectorCredentials
  /** What was granted is granted to one client, for one server. */
  readonly client: string
}

/** A sign-in that waits for a person. */
export interface WaitingSignIn {
  /** Of the connector. */
  readonly id: string
  /** Whose it will be; empty for everybody. */
  readonly principal: string
  /** Who began it, and so has to finish it. */
  readonly by: string
  readonly authorization: Authorization
}

/** What the hub has to show the servers of all connectors, and what is kept of it. */
export class Authorizations {
  readonly #options: AuthorizationsOptions
  readonly #entries = new Map<string, Entry>()
  /** The last write of each connector. */
  readonly #writes = new Map<string, Promise<boolean>>()
  #stored: StoredRecord[] = []

  constructor(options: AuthorizationsOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    this.#stored = await this.#options.store.loadAll()
  }

  /** The credentials of a connector as it is now. */
  of(id: string, connector: Connector, serverUrl: URL | null): ConnectorCredentials {
    const { oauth } = connector
    const place = serverUrl?.href ?? ''
    const client = JSON.stringify([place, oauth?.grant, oauth?.clientId, oauth?.clientMetadataUrl])
    const before = this.#entries.get(id)
    if (before?.client === client) {
      before.credentials.configure(connector)
      return before.credentials
    }
    if (before !== undefined) this.#retire(id, before.credentials)
    const create = (principal: string, initial: readonly StoredRecord[] = []) =>
      this.#create(connector, serverUrl, this.#createRecords({ connectorId: id, principal, serverUrl: place }, initial))
    const stored = before === undefined ? this.#takeStored(id, place) : new Map<string, StoredRecord[]>()
    if (before !== undefined) void this.#write(id, () => this.#options.store.removeAll(id))
    const kept = [...stored].map(([principal, records]) => [principal, create(principal, records)] as const)
    const credentials = new ConnectorCredentials({ connector, kept: new Map(kept), create })
    this.#entries.set(id, { credentials, client })
    return credentials
  }

  /** For a connector that is not stored: whatever it is granted is gone with it. */
  passing(owner: string, connector: Connector, serverUrl: URL | null): ConnectorCredentials {
    const create = () => {
      const records = new Records([], {
        save: () => Promise.resolve(),
        remove: () => Promise.resolve(),
        load: () => Promise.resolve(null),
        onChange: (secrets) => this.#options.redactor.set(ownerOf(owner, everybody), secrets),
      })
      return this.#create(connector, serverUrl, records)
    }
    return new ConnectorCredentials({ connector, kept: new Map(), create })
  }

  remove(id: string): void {
    const entry = this.#entries.get(id)
    this.#entries.delete(id)
    this.#writes.delete(id)
    if (entry !== undefined) this.#retire(id, entry.credentials)
    this.#options.redactor.remove(ownerOf(id, everybody))
  }

  /** The sign-in that waits for this state. */
  waitingFor(state: string): WaitingSignIn {
    for (const [id, { credentials }] of this.#entries) {
      for (const [principal, { authorization }] of credentials.all()) {
        const pending = authorization?.pending ?? null
        if (pending !== null && isSame(pending.state, state))
          return { id, principal, by: pending.by, authorization: authorization! }
      }
    }
    throw new HubError('SIGN_IN_FAILED', 'No sign-in waits for this answer: it was used, replaced or took too long.')
  }

  #create(connector: Connector, serverUrl: URL | null, records: Records): Credentials {
    if (serverUrl === null) return { authorization: null, records }
    const { redactor, redirectUrl, guard, locks } = this.#options
    const { name, oauth: settings } = connector
    const authorization = new Authorization({
      name,
      serverUrl: serverUrl.href,
      settings,
      records,
      guard,
      alone: (work) => (records.lockName === null ? work() : locks.hold(records.lockName, work)),
      redirectUrl,
      redact: (text) => redactor.redact(text),
    })
    return { authorization, records }
  }

  /** What was stored for the server that the connector leads to, by principal; the rest is forgotten. */
  #takeStored(id: string, serverUrl: string): Map<string, StoredRecord[]> {
    const stored = this.#stored.filter(({ connectorId }) => connectorId === id)
    this.#stored = this.#stored.filter(({ connectorId }) => connectorId !== id)
    const fitting = stored.filter((record) => record.serverUrl === serverUrl)
    if (fitting.length < stored.length) void this.#write(id, () => this.#options.store.removeOthers(id, serverUrl))
    const byPrincipal = new Map<string, StoredRecord[]>()
    for (const record of fitting)
      byPrincipal.set(record.principal, [...(byPrincipal.get(record.principal) ?? []), record])
    return byPrincipal
  }

  #createRecords(
    place: Pick<StoredRecord, 'connectorId' | 'principal' | 'serverUrl'>,
    initial: readonly StoredRecord[],
  ): Records {
    const { store, redactor } = this.#options
    const { connectorId, principal, serverUrl } = place
    let isBehind = false
    const write = async (action: () => Promise<void>) => {
      isBehind = !(await this.#write(connectorId, action))
    }
    return new Records(initial, {
      lockName: `herma authorization ${connectorId} ${principal}`,
      save: (kind, issuer, value) => write(() => store.save({ ...place, issuer, kind, value })),
      remove: (kind, issuer) => write(() => store.remove({ ...place, issuer, kind })),
      load: async () => {
        await this.#writes.get(connectorId)
        // What could not be stored is newer than what is.
        if (isBehind) return null
        const stored = await store.load(connectorId, principal)
        return stored.filter((record) => record.serverUrl === serverUrl)
      },
      onChange: (secrets) => redactor.set(ownerOf(connectorId, principal), secrets),
    })
  }

  /** One write after the other: a token must not be overtaken by its predecessor. False when it failed. */
  #write(connectorId: string, action: () => Promise<void>): Promise<boolean> {
    const { redactor, log } = this.#options
    const written = (this.#writes.get(connectorId) ?? Promise.resolve(true)).then(action).then(
      () => true,
      (error: unknown) => {
        // Calls go on with what is in memory; only a restart would miss it.
        const reason = redactor.redact(error instanceof Error ? error.message : String(error))
        log.error('a sign-in could not be stored', { connector: connectorId, reason })
        return false
      },
    )
    this.#writes.set(connectorId, written)
    return written
  }

  #retire(id: string, credentials: ConnectorCredentials): void {
    for (const [principal, { records }] of credentials.all()) {
      records.retire()
      this.#options.redactor.remove(ownerOf(id, principal))
    }
  }
}

/** Under which the redactor knows the secrets of a principal. */
function ownerOf(connectorId: string, principal: string): string {
  return `${connectorId} authorization ${principal}`.trimEnd()
}

function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}
