import { HubError, type BindingInput, type BindingPatch, type BindingView, type ConnectorView } from '@herma/contract'
import type { StoredSession } from '../store.ts'
import type { BindingDirectory } from './binding-directory.ts'
import type { BindingEnvironment } from './binding-environment.ts'
import { toBindingView } from './binding-view.ts'
import { changeOverrides, readOverrides } from './change-binding.ts'
import { checkBinding } from './check-binding.ts'
import { requireHostOverrides } from './require-host-overrides.ts'
import { describeBindingChange } from './describe-binding-change.ts'
import type { BindingStore, Overrides, StoredBinding } from './store.ts'

/** Connectors that may be bound to one session. */
const maxBindings = 100

/** Which connectors are attached to which sessions, and what differs there. By ids, so that both may be renamed. */
export class Bindings {
  readonly #store: BindingStore
  readonly #outside: BindingEnvironment
  readonly #directory: BindingDirectory
  /** Changes are made one at a time, so that two of the same binding cannot cross. */
  #changes: Promise<unknown> = Promise.resolve()

  constructor(store: BindingStore, outside: BindingEnvironment) {
    this.#store = store
    this.#outside = outside
    this.#directory = outside.directory
  }

  /** Connectors and sessions have to be there already. */
  async start(): Promise<void> {
    const { connectors, sessions } = this.#outside
    for (const binding of await this.#store.loadAll()) {
      if (sessions.byId(binding.sessionId) === undefined) continue
      if (connectors.byId(binding.connectorId) === undefined) await this.#store.remove(binding.id)
      else this.#keep(binding)
    }
  }

  async stop(): Promise<void> {
    await this.#changes
  }

  list(): BindingView[] {
    return this.#directory.all().flatMap((binding) => this.#view(binding))
  }

  listOf(session: string): BindingView[] {
    return this.of(this.#outside.sessions.find(session).id).flatMap((binding) => this.#view(binding))
  }

  /** Attaches a connector to a session, or replaces how it is. A secret without a value keeps the stored one. */
  put(input: BindingInput): Promise<{ view: BindingView; isNew: boolean }> {
    return this.#change(async () => {
      const { connectors, sessions, secrets, events } = this.#outside
      const session = sessions.find(input.session)
      const connector = connectors.byName(input.connector)
      const before = this.#directory.get(session.id, connector.id)
      const overrides = readOverrides(input, before, (name) => secrets.isSecretName(name))
      checkBinding(overrides, connector)
      requireHostOverrides(this.#outside.hostPolicy, connector, { after: overrides, before })
      if (before !== undefined)
        return { view: await this.#save(before, overrides, { session, connector }), isNew: false }
      if (this.of(session.id).length >= maxBindings)
        throw new HubError('OVERLOADED', `'${session.name}' has ${maxBindings} bindings, the limit. Remove one first.`)
      const stored = await this.#store.insert(session.id, connector.id, overrides)
      this.#keep(stored)
      events.emit('binding.added', connector.name, {}, { session: session.name })
      this.#outside.onChange(session.id)
      return { view: this.#show(stored, session, connector), isNew: true }
    })
  }

  update(session: string, connector: string, patch: BindingPatch): Promise<BindingView> {
    return this.#change(async () => {
      const found = this.#find(session, connector)
      const { isSecretName } = this.#outside.secrets
      const overrides = changeOverrides(found.binding, patch, (name) => isSecretName(name))
      checkBinding(overrides, found.connector)
      requireHostOverrides(this.#outside.hostPolicy, found.connector, { after: overrides, before: found.binding })
      return await this.#save(found.binding, overrides, found)
    })
  }

  remove(session: string, connector: string): Promise<void> {
    return this.#change(async () => {
      const found = this.#find(session, connector)
      await this.#store.remove(found.binding.id)
      this.#forget(found.binding)
      this.#outside.events.emit('binding.removed', found.connector.name, {}, { session: found.session.name })
      this.#outside.onChange(found.session.id)
    })
  }

  /** The bindings of a session, disabled ones too. */
  of(sessionId: string): StoredBinding[] {
    return this.#directory.of(sessionId)
  }

  /** The connectors that a session may use now. */
  usableBy(sessionId: string): { connector: string; allowedTools: readonly string[] | null }[] {
    return this.of(sessionId).flatMap(({ connectorId, enabled, allowedTools }) => {
      const connector = enabled ? this.#outside.connectors.byId(connectorId) : undefined
      const isServed = connector?.enabled === true && connector.problem === null
      return isServed ? [{ connector: connector.name, allowedTools }] : []
    })
  }

  /** The bindings that refer to a secret, for people. */
  usersOf(secret: string): string[] {
    return this.#using(secret).flatMap(({ sessionId, connectorId }) => {
      const session = this.#outside.sessions.byId(sessionId)
      const connector = this.#outside.connectors.byId(connectorId)
      return session && connector ? [`binding of ${connector.name} to ${session.name}`] : []
    })
  }

  /** A secret is another one: it is masked wherever bindings put it. */
  renewUsersOf(secret: string): void {
    for (const binding of this.#using(secret)) this.#mask(binding)
  }

  #using(secret: string): StoredBinding[] {
    return this.#directory
      .all()
      .filter(({ headers, env }) =>
        [...headers, ...env].some(({ value = '' }) => this.#outside.secrets.namesIn(value).includes(secret)),
      )
  }

  /** A connector is gone, and with it what was attached to sessions. */
  dropConnector(connectorId: string): Promise<void> {
    return this.#change(async () => {
      const dropped = this.#directory.all().filter((binding) => binding.connectorId === connectorId)
      for (const binding of dropped) this.#forget(binding)
      // Rows that stay because the store is away are swept when the hub starts again.
      await this.#store.removeConnector(connectorId).catch(() => undefined)
      for (const { sessionId } of dropped) this.#outside.onChange(sessionId)
    })
  }

  /** A session is gone, and its rows with it. */
  dropSession(sessionId: string): void {
    for (const binding of this.of(sessionId)) this.#forget(binding)
  }

  get size(): number {
    return this.#directory.all().length
  }

  async #save(
    before: StoredBinding,
    overrides: Overrides,
    { session, connector }: { session: StoredSession; connector: ConnectorView },
  ): Promise<BindingView> {
    const stored = await this.#store.update(before, overrides)
    this.#keep(stored)
    const data = describeBindingChange(before, stored)
    this.#outside.events.emit('binding.changed', connector.name, data, { session: session.name })
    this.#outside.onChange(session.id)
    return this.#show(stored, session, connector)
  }

  #find(sessionName: string, connectorName: string) {
    const session = this.#outside.sessions.find(sessionName)
    const connector = this.#outside.connectors.byName(connectorName)
    const binding = this.#directory.get(session.id, connector.id)
    if (binding !== undefined) return { session, connector, binding }
    const next = `herma session bind ${session.name} ${connector.name}`
    throw new HubError(
      'BINDING_NOT_FOUND',
      `'${connector.name}' is not bound to '${session.name}'. Bind it with: ${next}`,
    )
  }

  /** Nothing for a binding whose connector is on its way out. */
  #view(binding: StoredBinding): BindingView[] {
    const session = this.#outside.sessions.byId(binding.sessionId)
    const connector = this.#outside.connectors.byId(binding.connectorId)
    return session === undefined || connector === undefined ? [] : [this.#show(binding, session, connector)]
  }

  #show(binding: StoredBinding, session: StoredSession, connector: ConnectorView): BindingView {
    return toBindingView(binding, { session, connector, connectors: this.#outside.connectors })
  }

  #keep(binding: StoredBinding): void {
    this.#directory.set(binding)
    this.#mask(binding)
  }

  #mask(binding: StoredBinding): void {
    const secrets = [...binding.headers, ...binding.env].filter(({ secret }) => secret)
    this.#outside.redactor.set(
      ownerOf(binding),
      secrets.flatMap(({ value = '' }) => this.#resolve(value)),
    )
  }

  #forget(binding: StoredBinding): void {
    this.#directory.delete(binding)
    this.#outside.redactor.remove(ownerOf(binding))
  }

  #resolve(value: string): string[] {
    try {
      return [this.#outside.secrets.resolve(value)]
    } catch {
      // A secret is missing: whoever uses the binding is told, and there is no value to mask.
      return []
    }
  }

  #change<T>(make: () => Promise<T>): Promise<T> {
    const made = this.#changes.then(make)
    this.#changes = made.catch(() => undefined)
    return made
  }
}

function ownerOf({ id }: StoredBinding): string {
  return `binding ${id}`
}
