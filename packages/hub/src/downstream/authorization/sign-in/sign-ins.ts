import { HubError, type Principal, type SignInStep } from '@herma/contract'
import type { Events } from '../../../platform/events.ts'
import type { ConnectorEntry } from '../../connector/connectors.ts'
import type { Downstream } from '../../downstream.ts'
import type { DownstreamListener } from '../../downstream-environment.ts'
import type { Authorizations } from '../authorizations.ts'
import type { Authorization } from '../authorization.ts'
import { everybody } from '../credential/connector-credentials.ts'
import type { CallbackParams } from '../oauth-flow.ts'
import type { SignInLinks } from './sign-in-links.ts'

interface SignInsOptions {
  readonly authorizations: Authorizations
  readonly links: SignInLinks
  readonly events: Events
  /** Throws CONNECTOR_NOT_FOUND. */
  find(name: string): ConnectorEntry
  byId(id: string): ConnectorEntry | undefined
  /** Resolves when the server was looked at anew, or took too long. */
  lookAgain(downstream: Downstream): Promise<void>
  /** Tells clients something. */
  readonly notify: DownstreamListener['onNotification']
}

/** Signing in to the servers of connectors, for people and programs. */
export class SignIns {
  readonly #options: SignInsOptions

  constructor(options: SignInsOptions) {
    this.#options = options
  }

  /** Begins a sign-in for the one who asks, or for a key or client on its behalf. */
  signIn(name: string, asking: Principal, whose = asking.id): Promise<SignInStep> {
    const entry = this.#options.find(name)
    requireRight(entry, asking, whose)
    return this.#begin(entry, whose, asking.id)
  }

  async signOut(name: string, asking: Principal): Promise<void> {
    const entry = this.#options.find(name)
    requireRight(entry, asking, asking.id)
    await requireAuthorization(entry, asking.id).signOut()
    if (entry.credentials.isPersonal) await entry.downstream?.renewLinks(asking.id)
    this.#options.events.emit('connector.signed-out', entry.stored.connector.name)
  }

  /** Begins the sign-in of a link that a client was given. */
  async follow(id: string, asking: Principal): Promise<SignInStep & { name: string }> {
    const { connectorId, by } = this.#options.links.open(id, asking.id)
    const entry = this.#entryOf(connectorId)
    return { ...(await this.#begin(entry, by, by)), name: entry.stored.connector.name }
  }

  /** Takes what an authorization server sent a person back with; returns the name of the connector. */
  async finish(state: string, params: CallbackParams, asking: Principal): Promise<string> {
    const { id, principal, by, authorization } = this.#options.authorizations.waitingFor(state)
    const entry = this.#entryOf(id)
    const { name } = entry.stored.connector
    // Whoever was talked into somebody else's sign-in would lend that one an account.
    if (by !== asking.id)
      throw new HubError(
        'FORBIDDEN',
        `This sign-in to '${name}' was begun by somebody else. Begin one of your own, in a browser that is signed in to Herma.`,
      )
    try {
      await authorization.finish(params)
    } catch (error) {
      this.#options.events.emit('connector.sign-in-failed', name, { reason: (error as Error).message })
      throw error
    }
    await this.#signedIn(entry, principal)
    return name
  }

  async #begin(entry: ConnectorEntry, whose: string, by: string): Promise<SignInStep> {
    const authorization = requireAuthorization(entry, whose)
    // The one who comes back from the page has to be the one who began, and a browser is never a key.
    if (authorization.needsPerson && /^(key|client):/.test(by))
      throw new HubError('FORBIDDEN', `'${by}' is no person. Sign in as a user, or on the machine of the hub.`)
    // The refusal of the server says where to sign in and for what, so it is asked for one first.
    if (!authorization.isChallenged) await entry.downstream?.look(whose).catch(() => undefined)
    const step = await authorization.signIn(by)
    if (step.done) await this.#signedIn(entry, entry.credentials.isPersonal ? whose : everybody)
    return step
  }

  #entryOf(id: string): ConnectorEntry {
    const entry = this.#options.byId(id)
    if (entry === undefined) throw new HubError('CONNECTOR_NOT_FOUND', 'The connector was removed meanwhile.')
    return entry
  }

  async #signedIn({ stored, downstream }: ConnectorEntry, principal: string): Promise<void> {
    const { name } = stored.connector
    const whose = principal === everybody ? {} : { whose: principal }
    this.#options.events.emit('connector.signed-in', name, whose)
    if (downstream === null) return
    const look = this.#options.lookAgain(downstream)
    this.#tellClients(downstream, principal)
    await look
  }

  /** https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation */
  #tellClients(downstream: Downstream, principal: string): void {
    const wanted = this.#options.links.complete(downstream.id, principal)
    if (wanted === null) return
    const { elicitationId, watchers } = wanted
    const message = { jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } } as const
    this.#options.notify(downstream, message, ({ connectionId }) => connectionId !== null && watchers.has(connectionId))
  }
}

/** What everybody uses is for those who manage the hub; for another one only a key or client can be signed in. */
function requireRight({ credentials, stored }: ConnectorEntry, asking: Principal, whose: string): void {
  const { name } = stored.connector
  const manages = asking.role === 'owner' || asking.role === 'admin'
  if (!credentials.isPersonal && !manages)
    throw new HubError('FORBIDDEN', `Everybody uses one sign-in to '${name}'. Ask an admin to run: herma login ${name}`)
  if (whose !== asking.id && (!credentials.isPersonal || !manages || !/^(key|client):/.test(whose)))
    throw new HubError('FORBIDDEN', `'${whose}' signs in to '${name}' by itself.`)
}

function requireAuthorization({ credentials, stored }: ConnectorEntry, whose: string): Authorization {
  const { authorization } = credentials.for(whose)
  if (authorization !== null) return authorization
  const { name, transport } = stored.connector
  const why = transport === 'stdio' ? 'is a command on this machine' : 'has an Authorization header of its own'
  throw new HubError('CONNECTOR_INVALID', `'${name}' ${why}, so there is nothing to sign in to.`)
}
