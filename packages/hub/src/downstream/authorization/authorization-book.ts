import { timingSafeEqual } from 'node:crypto'
import { HubError, type Connector } from '@herma/contract'
import type { Log } from '../../platform/log.ts'
import type { Redactor } from '../../secret/index.ts'
import { Authorization } from './authorization.ts'
import { Records } from './records.ts'
import type { AuthorizationStore, StoredRecord } from './store.ts'

interface AuthorizationBookOptions {
  readonly store: AuthorizationStore
  readonly redactor: Redactor
  readonly log: Log
  /** Where authorization servers send people back to; known once the hub listens. */
  redirectUrl(): string
}

interface Entry {
  readonly authorization: Authorization
  readonly records: Records
  readonly client: string
}

/** The authorizations of all connectors, and what they keep. */
export class AuthorizationBook {
  readonly #options: AuthorizationBookOptions
  readonly #entries = new Map<string, Entry>()
  #stored: StoredRecord[] = []

  constructor(options: AuthorizationBookOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    this.#stored = await this.#options.store.loadAll()
  }

  /** The authorization of a connector as it is now; null where a header of its own takes its place, or none can be. */
  of(id: string, connector: Connector, serverUrl: URL | null): Authorization | null {
    if (serverUrl === null || connector.headers.some(({ name }) => name.toLowerCase() === 'authorization')) return null
    const { name, oauth: settings } = connector
    // What was granted is granted to one client, for one server.
    const client = JSON.stringify([serverUrl.href, settings?.grant, settings?.clientId, settings?.clientMetadataUrl])
    const before = this.#entries.get(id)
    if (before?.client === client) {
      before.authorization.configure({ name, settings })
      return before.authorization
    }
    before?.records.retire()
    const records = this.#createRecords(id, serverUrl.href, before !== undefined)
    const authorization = this.#create(name, serverUrl, settings, records)
    this.#entries.set(id, { authorization, records, client })
    return authorization
  }

  /** For a connector that is not stored: whatever it is granted is gone with it. */
  passing(owner: string, connector: Connector, serverUrl: URL | null): Authorization | null {
    if (serverUrl === null || connector.headers.some(({ name }) => name.toLowerCase() === 'authorization')) return null
    const records = new Records([], {
      save: () => Promise.resolve(),
      remove: () => Promise.resolve(),
      onChange: (secrets) => this.#options.redactor.set(`${owner} authorization`, secrets),
    })
    return this.#create(connector.name, serverUrl, connector.oauth, records)
  }

  remove(id: string): void {
    this.#entries.get(id)?.records.retire()
    this.#entries.delete(id)
    this.#options.redactor.remove(`${id} authorization`)
  }

  /** The id of the connector whose sign-in waits for this state. */
  waitingFor(state: string): { id: string; authorization: Authorization } {
    for (const [id, { authorization }] of this.#entries) {
      if (isSame(authorization.pendingState, state)) return { id, authorization }
    }
    throw new HubError('SIGN_IN_FAILED', 'No sign-in waits for this answer: it was used, replaced or took too long.')
  }

  #create(name: string, serverUrl: URL, settings: Connector['oauth'], records: Records): Authorization {
    const { redactor, redirectUrl } = this.#options
    return new Authorization({
      name,
      serverUrl: serverUrl.href,
      settings,
      records,
      redirectUrl,
      redact: (text) => redactor.redact(text),
    })
  }

  #createRecords(connectorId: string, serverUrl: string, isReplacing: boolean): Records {
    const { store, redactor, log } = this.#options
    const stored = this.#stored.filter((record) => record.connectorId === connectorId)
    this.#stored = this.#stored.filter((record) => record.connectorId !== connectorId)
    const fitting = stored.filter((record) => record.serverUrl === serverUrl)
    // One write after the other: a token must not be overtaken by its predecessor.
    let writes: Promise<unknown> = Promise.resolve()
    const write = (action: () => Promise<void>) => {
      const written = writes.then(action).catch((error: unknown) => {
        // Calls go on with what is in memory; only a restart would miss it.
        const reason = redactor.redact(error instanceof Error ? error.message : String(error))
        log.error('a sign-in could not be stored', { connector: connectorId, reason })
      })
      writes = written
      return written
    }
    if (isReplacing || fitting.length < stored.length) void write(() => store.removeAll(connectorId))
    return new Records(isReplacing ? [] : fitting, {
      save: (kind, issuer, value) => write(() => store.save({ connectorId, issuer, kind, serverUrl, value })),
      remove: (kind, issuer) => write(() => store.remove({ connectorId, issuer, kind })),
      onChange: (secrets) => redactor.set(`${connectorId} authorization`, secrets),
    })
  }
}

function isSame(expected: string | null, given: string): boolean {
  if (expected === null) return false
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}
