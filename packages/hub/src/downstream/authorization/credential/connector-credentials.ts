import { HubError, type Connector } from '@herma/contract'
import { localOperator } from '../../../wire/index.ts'
import type { LinkSettings } from '../../link/link-settings.ts'
import type { Authorization } from '../authorization.ts'
import type { PersonalValues, Records } from '../records.ts'

/** What the hub shows the server of a connector on behalf of one principal, or of all. */
export interface Credentials {
  /** Null where a header of the connector takes its place, or there is nowhere to sign in. */
  readonly authorization: Authorization | null
  readonly records: Records
}

interface CredentialsOptions {
  readonly connector: Connector
  /** Of those who have some. */
  readonly kept: ReadonlyMap<string, Credentials>
  create(principal: string): Credentials
}

/** Whose the credentials are that everybody uses. */
export const everybody = ''
/** Principals that are remembered although they have nothing. */
const maxEmpty = 1000

/** The credentials of one connector: one set for everybody, or one for each principal. */
export class ConnectorCredentials {
  readonly #create: (principal: string) => Credentials
  #entries: Map<string, Credentials>
  #connector: Connector
  #isSignInOff = false

  constructor({ connector, kept, create }: CredentialsOptions) {
    this.#connector = connector
    this.#create = create
    this.#entries = new Map(kept)
  }

  /** Takes over what a person changed of the connector without giving up what was granted. */
  configure(connector: Connector): void {
    const { name, oauth: settings } = connector
    this.#connector = connector
    for (const { authorization } of this.#entries.values()) authorization?.configure({ name, settings })
  }

  /** The same credentials for the connector with overrides; a token must not reach another address than its own. */
  withOverrides(connector: Connector, { isSameAddress }: { isSameAddress: boolean }): ConnectorCredentials {
    const overridden = new ConnectorCredentials({ connector, kept: new Map(), create: this.#create })
    overridden.#entries = this.#entries
    overridden.#isSignInOff = !isSameAddress
    return overridden
  }

  get isPersonal(): boolean {
    return this.#connector.options.credentials === 'personal'
  }

  for(principal: string): Credentials {
    const whose = this.isPersonal ? principal : everybody
    const entry = this.#entries.get(whose) ?? this.#add(whose)
    const hasHeader = this.#connector.headers.some(({ name }) => name.toLowerCase() === 'authorization')
    return hasHeader || this.#isSignInOff ? { ...entry, authorization: null } : entry
  }

  all(): ReadonlyMap<string, Credentials> {
    return this.#entries
  }

  /** The principals with credentials of their own. */
  holders(): string[] {
    const held = [...this.#entries].filter(([principal, { records }]) => principal !== everybody && !records.isEmpty)
    return held.map(([principal]) => principal).toSorted()
  }

  /** On whose behalf the lists of the server are read: the operator, or who else has credentials. */
  get reader(): string {
    const ready = [...this.#entries].filter(([, { records }]) => !records.isEmpty).map(([principal]) => principal)
    return ready.includes(localOperator) ? localOperator : (ready.find((each) => each !== everybody) ?? localOperator)
  }

  /** The settings of a link with the personal values in. Throws SIGN_IN_REQUIRED, naming what is missing. */
  complete(settings: LinkSettings, principal: string): LinkSettings {
    if (!this.isPersonal) return settings
    const missing = this.missing(principal)
    if (missing.length > 0) throw missingValues(settings.name, missing)
    const values = this.valuesOf(principal)
    const { headers, env } = this.#personal
    return {
      ...settings,
      // As they are: a reference in them would bring a principal what it may not read.
      headers: [...settings.headers, ...headers.flatMap((name) => [name, values.headers[name]!])],
      env: { ...settings.env, ...Object.fromEntries(env.map((name) => [name, values.env[name]!])) },
    }
  }

  /** Names of personal values that a principal has not given. */
  missing(principal: string): string[] {
    const { headers, env } = this.#personal
    const values = this.valuesOf(principal)
    const lacks = (names: readonly string[], given: Readonly<Record<string, string>>) =>
      names.filter((name) => !Object.hasOwn(given, name))
    return [...lacks(headers, values.headers), ...lacks(env, values.env)]
  }

  valuesOf(principal: string): PersonalValues {
    return this.for(principal).records.get('values') ?? { headers: {}, env: {} }
  }

  get #personal(): { headers: string[]; env: string[] } {
    return personalNames(this.#connector)
  }

  /** Forgets what a principal has. */
  async remove(principal: string): Promise<void> {
    const entry = this.#entries.get(principal)
    await entry?.authorization?.signOut()
    await entry?.records.clear()
  }

  #add(principal: string): Credentials {
    if (this.#entries.size >= maxEmpty) this.#forgetEmpty()
    const made = this.#create(principal)
    this.#entries.set(principal, made)
    return made
  }

  #forgetEmpty(): void {
    for (const [principal, { records }] of this.#entries) if (records.isEmpty) this.#entries.delete(principal)
  }
}

/** The headers and variables that each principal gives a value for. */
export function personalNames({ headers, env }: Connector): { headers: string[]; env: string[] } {
  const names = (values: Connector['headers']) => values.flatMap(({ name, personal }) => (personal ? [name] : []))
  return { headers: names(headers), env: names(env) }
}

function missingValues(name: string, missing: readonly string[]): HubError {
  const what = missing.join(', ')
  return new HubError('SIGN_IN_REQUIRED', `'${name}' wants ${what} of yours. Run: herma credentials set ${name}`)
}
