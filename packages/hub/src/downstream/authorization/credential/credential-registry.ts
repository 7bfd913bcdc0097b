import {
  HubError,
  type Connector,
  type CredentialHolder,
  type CredentialsInput,
  type CredentialsView,
  type Principal,
} from '@herma/contract'
import type { Events } from '../../../platform/events.ts'
import type { ConnectorEntry } from '../../connector/connectors.ts'
import type { Downstream } from '../../downstream.ts'
import { personalNames } from './connector-credentials.ts'
import type { PersonalValues } from '../records.ts'

interface CredentialsOptions {
  readonly events: Events
  /** Throws CONNECTOR_NOT_FOUND. */
  find(name: string): ConnectorEntry
  entries(): readonly ConnectorEntry[]
  /** Resolves when the server was looked at anew, or took too long. */
  lookAgain(downstream: Downstream): Promise<void>
}

/** A name may be given away once more: whoever gets it starts with nothing, even if its end was missed. */
const newcomers: Readonly<Record<string, (data: EventData) => string>> = {
  'key.added': ({ name }) => `key:${String(name)}`,
  'key.removed': ({ name }) => `key:${String(name)}`,
  'user.added': ({ user }) => `user:${String(user)}`,
  'user.removed': ({ user }) => `user:${String(user)}`,
}

type EventData = Readonly<Record<string, unknown>>

/** Credentials of one's own for the servers of connectors. */
export class CredentialRegistry {
  readonly #options: CredentialsOptions

  constructor(options: CredentialsOptions) {
    this.#options = options
  }

  /** Forgets what principals had that are gone. Returns the function that stops it. */
  start(): () => void {
    return this.#options.events.listen(({ kind, data }) => {
      const principalOf = newcomers[kind]
      if (principalOf !== undefined) void this.#forget(principalOf(data))
    })
  }

  async #forget(principal: string): Promise<void> {
    for (const { credentials, downstream } of this.#options.entries()) {
      // What cannot be removed from the store is said by the one who writes.
      await credentials.remove(principal)
      if (credentials.isPersonal) await downstream?.renewLinks(principal)
    }
  }

  /** Of the one who asks, or for those who manage the hub of a principal. */
  get(name: string, asking: Principal, whose = asking.id): CredentialsView {
    requireRight(asking, whose)
    const { stored, credentials } = this.#options.find(name)
    const { connector } = stored
    const names = personalNames(connector)
    const given = credentials.valuesOf(whose)
    const view = (place: 'headers' | 'env') =>
      names[place].map((each) => ({ place, name: each, stored: Object.hasOwn(given[place], each) }))
    return {
      connector: connector.name,
      principal: credentials.isPersonal ? whose : 'everybody',
      credentials: connector.options.credentials,
      signIn: credentials.for(whose).authorization?.view() ?? null,
      values: [...view('headers'), ...view('env')],
    }
  }

  /**
   * Resolves when the server was looked at with them, or took too long. Throws CONNECTOR_INVALID for a name that the
   * connector does not mark, or a value that cannot be sent.
   */
  async set(name: string, asking: Principal, input: CredentialsInput): Promise<CredentialsView> {
    const entry = this.#options.find(name)
    const { connector } = entry.stored
    requirePersonal(entry)
    const before = entry.credentials.valuesOf(asking.id)
    const values: PersonalValues = {
      headers: change(connector, 'headers', before.headers, input.headers),
      env: change(connector, 'env', before.env, input.env),
    }
    await entry.credentials.for(asking.id).records.set('values', '', values)
    await this.#changed(entry, asking.id, 'connector.credentials-set')
    // Its lists may be known from now on, and whoever stored this is about to use them.
    if (entry.downstream !== null) await this.#options.lookAgain(entry.downstream)
    return this.get(name, asking)
  }

  /** Forgets the values and the sign-in of the one who asks, or for those who manage the hub of a principal. */
  async remove(name: string, asking: Principal, whose = asking.id): Promise<void> {
    requireRight(asking, whose)
    const entry = this.#options.find(name)
    requirePersonal(entry)
    await entry.credentials.remove(whose)
    await this.#changed(entry, whose, 'connector.credentials-removed')
    // Its lists may be those of somebody else from now on.
    if (entry.downstream !== null) void this.#options.lookAgain(entry.downstream)
  }

  /** For those who manage the hub. */
  holders(name: string, asking: Principal): CredentialHolder[] {
    requireRight(asking)
    const { credentials } = this.#options.find(name)
    return credentials.holders().map((principal) => {
      const { authorization, records } = credentials.all().get(principal)!
      const { headers, env } = records.get('values') ?? { headers: {}, env: {} }
      const values = Object.keys(headers).length + Object.keys(env).length
      return { principal, signedIn: authorization?.isSignedIn === true, values }
    })
  }

  async #changed({ stored, downstream }: ConnectorEntry, whose: string, event: string): Promise<void> {
    this.#options.events.emit(event, stored.connector.name, { whose })
    await downstream?.renewLinks(whose)
  }
}

function requireRight(asking: Principal, whose?: string): void {
  if (whose === asking.id || asking.role === 'owner' || asking.role === 'admin') return
  throw new HubError('FORBIDDEN', 'What others have is for owners and admins only.')
}

function requirePersonal({ credentials, stored }: ConnectorEntry): void {
  if (credentials.isPersonal) return
  const { name } = stored.connector
  throw new HubError(
    'CONNECTOR_INVALID',
    `Everybody uses the same credentials of '${name}'. Change that with: herma edit ${name} --option credentials=personal`,
  )
}

type Values = Readonly<Record<string, string>>

/** An absent value stays, null clears. */
function change(
  connector: Connector,
  place: 'headers' | 'env',
  before: Values,
  changes: Readonly<Record<string, string | null>> = {},
): Values {
  const known = personalNames(connector)[place]
  const after = new Map(Object.entries(before))
  for (const [given, value] of Object.entries(changes)) {
    const name = known.find((each) => isSameName(place, each, given))
    if (name === undefined) throw unknownName(connector.name, place, given, known)
    if (value === null) after.delete(name)
    else if (isSendable(place, value)) after.set(name, value)
    else throw new HubError('CONNECTOR_INVALID', `The value of '${name}' holds a sign that cannot be sent.`)
  }
  return Object.fromEntries(after)
}

function isSameName(place: 'headers' | 'env', a: string, b: string): boolean {
  return place === 'env' ? a === b : a.toLowerCase() === b.toLowerCase()
}

function isSendable(place: 'headers' | 'env', value: string): boolean {
  return place === 'env' ? !value.includes('\0') : /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

function unknownName(connector: string, place: string, given: string, known: readonly string[]): HubError {
  const there = known.length === 0 ? 'It marks none' : `It marks: ${known.join(', ')}`
  const text = `'${connector}' does not mark '${given}' of its ${place} as personal. ${there}.`
  return new HubError('CONNECTOR_INVALID', text)
}
