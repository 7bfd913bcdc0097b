import { HubError, type SignInStep } from '@herma/contract'
import type { Events } from '../../platform/events.ts'
import type { BookEntry } from '../connector-book.ts'
import type { AuthorizationBook } from './authorization-book.ts'
import type { Authorization } from './authorization.ts'
import type { CallbackParams } from './oauth-flow.ts'

/** Signing in to the servers of connectors, for people and programs. */
export interface SignInService {
  signIn(name: string): Promise<SignInStep>
  signOut(name: string): Promise<void>
  /** Takes what an authorization server sent a person back with; returns the name of the connector. */
  finish(state: string, params: CallbackParams): Promise<string>
}

interface SignInDeskOptions {
  readonly authorizations: AuthorizationBook
  readonly events: Events
  /** Throws CONNECTOR_NOT_FOUND. */
  find(name: string): BookEntry
  byId(id: string): BookEntry | undefined
}

const firstLookMs = 5000

export class SignInDesk implements SignInService {
  readonly #options: SignInDeskOptions

  constructor(options: SignInDeskOptions) {
    this.#options = options
  }

  async signIn(name: string): Promise<SignInStep> {
    const entry = this.#options.find(name)
    const authorization = requireAuthorization(entry)
    // The refusal of the server says where to sign in and for what, so it is asked for one first.
    if (!authorization.isChallenged) await entry.downstream?.start().catch(() => undefined)
    const step = await authorization.signIn()
    if (step.done) await this.#signedIn(entry)
    return step
  }

  async signOut(name: string): Promise<void> {
    const entry = this.#options.find(name)
    await requireAuthorization(entry).signOut()
    this.#options.events.emit('connector.signed-out', entry.stored.connector.name)
  }

  async finish(state: string, params: CallbackParams): Promise<string> {
    const { id, authorization } = this.#options.authorizations.waitingFor(state)
    const entry = this.#options.byId(id)
    if (entry === undefined) throw new HubError('CONNECTOR_NOT_FOUND', 'The connector was removed meanwhile.')
    const { name } = entry.stored.connector
    try {
      await authorization.finish(params)
    } catch (error) {
      this.#options.events.emit('connector.sign-in-failed', name, { reason: (error as Error).message })
      throw error
    }
    await this.#signedIn(entry)
    return name
  }

  /** The server is looked at anew, and not waited for too long: how it goes shows in its health. */
  async #signedIn(entry: BookEntry): Promise<void> {
    this.#options.events.emit('connector.signed-in', entry.stored.connector.name)
    const look = entry.downstream?.retry().catch(() => undefined)
    await Promise.race([look, new Promise((resolve) => setTimeout(resolve, firstLookMs).unref())])
  }
}

function requireAuthorization({ authorization, stored }: BookEntry): Authorization {
  if (authorization !== null) return authorization
  const { name, transport } = stored.connector
  const why = transport === 'stdio' ? 'is a command on this machine' : 'has an Authorization header of its own'
  throw new HubError('CONNECTOR_INVALID', `'${name}' ${why}, so there is nothing to sign in to.`)
}
