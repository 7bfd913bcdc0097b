import { randomBytes } from 'node:crypto'
import {
  GenerateSecretInput,
  type GeneratedSecret,
  HubError,
  SecretName,
  type SecretInput,
  type SecretView,
  type StoreSecretInput,
  freeName,
  replaceSecrets,
} from '@herma/contract'
import type { Events } from '../platform/events.ts'
import { Signal } from '../platform/signal.ts'
import type { Redactor } from './redaction/redactor.ts'
import type { SecretStore, StoredSecret } from './store.ts'

interface SecretsOptions {
  readonly store: SecretStore
  readonly redactor: Redactor
  readonly events: Events
}

/** A value on its way to be stored. */
export interface NewSecret {
  readonly name: string
  readonly value: string
  readonly description: string
}

const maxSecrets = 10_000
/** Room for a number behind it. */
const maxProposal = 56
/** Values that were replaced or removed, and are masked all the same. */
const maxPast = 100

/** The named secrets: values come in, and only links to servers get them out. */
export class Secrets {
  readonly #options: SecretsOptions
  readonly #secrets = new Map<string, StoredSecret>()
  readonly #users: ((name: string) => string[])[] = []
  /** A value came, changed or went: whatever uses it has to begin anew. */
  readonly changed = new Signal<[name: string]>()
  #past: string[] = []
  /** Changes are made one at a time, so that two of the same secret cannot cross. */
  #changes: Promise<unknown> = Promise.resolve()

  constructor(options: SecretsOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    for (const secret of await this.#options.store.loadAll()) this.#keep(secret)
  }

  /** Whoever may refer to secrets says what does, in words for people. */
  addUsers(usersOf: (name: string) => string[]): void {
    this.#users.push(usersOf)
  }

  has(name: string): boolean {
    return this.#secrets.has(name)
  }

  /** Throws SECRET_NOT_FOUND, saying how to store it. */
  valueOf(name: string): string {
    const { value, problem } = this.#find(name)
    if (value === null) throw new HubError('INTERNAL', `The secret '${name}' cannot be used. ${problem}`)
    return value
  }

  /** A text with its references replaced. Throws when a secret is missing. */
  resolve(text: string): string {
    return replaceSecrets(text, (name) => this.valueOf(name))
  }

  get size(): number {
    return this.#secrets.size
  }

  list(): SecretView[] {
    const byName = (a: StoredSecret, b: StoredSecret) => (a.name < b.name ? -1 : 1)
    return [...this.#secrets.values()].toSorted(byName).map((secret) => this.#view(secret))
  }

  set(name: string, input: SecretInput): Promise<SecretView> {
    return this.#change(() => this.#set(name, input))
  }

  /** Stores a value under the proposed name, or one made from it; no stored secret is replaced. */
  async store({ name, value, description = '' }: StoreSecretInput): Promise<SecretView> {
    const { secrets } = await this.storeNew((isTaken) => ({
      secrets: [{ name: freeName(name.slice(0, maxProposal), (each) => !isTaken(each)), value, description }],
    }))
    return this.#view(this.#find(secrets[0]!.name))
  }

  /**
   * Stores values under free names, which are chosen and taken in one step: all of them, or none. A name that something
   * refers to is not free, or what waits for another secret would get this one.
   */
  storeNew<Chosen extends { readonly secrets: readonly NewSecret[] }>(
    choose: (isTaken: (name: string) => boolean) => Chosen,
  ): Promise<Chosen> {
    return this.#change(async () => {
      const chosen = choose((name) => this.#secrets.has(name) || this.#usersOf(name).length > 0)
      const stored: string[] = []
      try {
        for (const { name, value, description } of chosen.secrets) {
          const secret = await this.#create(name, value, description)
          this.#keep(secret)
          stored.push(name)
          this.#options.events.emit('secret.added', null, { name, fields: ['value', 'description'] })
        }
      } catch (error) {
        await Promise.allSettled(stored.map((name) => this.#remove(name, [])))
        throw error
      }
      return chosen
    })
  }

  /** Throws SECRET_IN_USE for one that is there: a value that others use is not replaced by accident. */
  generate(name: string, input: GenerateSecretInput): Promise<GeneratedSecret> {
    const { bytes, description = '' } = GenerateSecretInput.parse(input)
    return this.#change(async () => {
      if (this.#secrets.has(name)) {
        const next = `herma secret remove ${name}, or choose another name.`
        throw new HubError('SECRET_IN_USE', `There is a secret '${name}' already. To replace it: ${next}`)
      }
      const value = randomBytes(bytes).toString('base64url')
      return { ...(await this.#set(name, { value, description })), value }
    })
  }

  /** Throws SECRET_IN_USE while connectors refer to it, unless it is forced. */
  remove(name: string, force = false): Promise<void> {
    return this.#change(async () => {
      this.#find(name)
      const users = this.#usersOf(name)
      if (users.length > 0 && !force) {
        throw new HubError(
          'SECRET_IN_USE',
          `'${name}' is used by ${users.slice(0, 20).join(', ')}, which would fail without it. Change them first, or: ` +
            `herma secret remove ${name} --force`,
        )
      }
      await this.#remove(name, users)
    })
  }

  async #remove(name: string, users: readonly string[]): Promise<void> {
    const secret = this.#find(name)
    await this.#options.store.remove(secret.id)
    this.#remember(secret)
    this.#secrets.delete(name)
    this.#options.redactor.remove(ownerOf(name))
    this.#options.events.emit('secret.removed', null, { name, usedBy: users })
    this.changed.tell(name)
  }

  #usersOf(name: string): string[] {
    return this.#users.flatMap((usersOf) => usersOf(name))
  }

  async #set(name: string, { value, description }: SecretInput): Promise<SecretView> {
    const { store, events } = this.#options
    const before = this.#secrets.get(name)
    let stored = before ?? (await this.#create(name, value, description))
    if (before !== undefined && value !== undefined) stored = await store.setValue(stored, value)
    if (before !== undefined && description !== undefined) stored = await store.setDescription(stored, description)
    this.#keep(stored)
    const given = Object.entries({ value, description }).filter(([, each]) => each !== undefined)
    const data = { name, fields: given.map(([field]) => field) }
    events.emit(before === undefined ? 'secret.added' : 'secret.changed', null, data)
    if (stored.value !== before?.value) {
      this.#remember(before)
      this.changed.tell(name)
    }
    return this.#view(stored)
  }

  async #create(name: string, value: string | undefined, description = ''): Promise<StoredSecret> {
    const parsed = SecretName.safeParse(name)
    if (!parsed.success) throw new HubError('INVALID_PARAMS', `name: ${parsed.error.issues[0]!.message}`)
    if (value === undefined) throw new HubError('INVALID_PARAMS', `'${name}' has no value and none is stored.`)
    if (this.#secrets.size >= maxSecrets)
      throw new HubError('OVERLOADED', `There are ${maxSecrets} secrets already. Remove some: herma secret list`)
    return await this.#options.store.insert(name, value, description)
  }

  #find(name: string): StoredSecret {
    const secret = this.#secrets.get(name)
    if (secret !== undefined) return secret
    throw new HubError('SECRET_NOT_FOUND', `No secret is named '${name}'. Store it with: herma secret set ${name}`)
  }

  #keep(secret: StoredSecret): void {
    this.#secrets.set(secret.name, secret)
    this.#options.redactor.set(ownerOf(secret.name), secret.value === null ? [] : [secret.value])
  }

  /** A message about a call under way may still hold what was replaced. */
  #remember(before: StoredSecret | undefined): void {
    if (before === undefined || before.value === null) return
    this.#past = [...this.#past, before.value].slice(-maxPast)
    this.#options.redactor.set('past secrets', this.#past)
  }

  #view({ name, description, createdAt, updatedAt, problem }: StoredSecret): SecretView {
    return {
      name,
      description,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
      usedBy: this.#usersOf(name),
      problem,
    }
  }

  #change<T>(make: () => Promise<T>): Promise<T> {
    const made = this.#changes.then(make)
    this.#changes = made.catch(() => undefined)
    return made
  }
}

function ownerOf(name: string): string {
  return `secret ${name}`
}
