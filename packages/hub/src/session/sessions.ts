import {
  HubError,
  SessionInput,
  type Ability,
  type PathQuestion,
  type PathVerdict,
  type Session,
  type SessionHealth,
  type SessionPatch,
  type SessionView,
  keySecretOf,
} from '@herma/contract'
import type { Events } from '../platform/events.ts'
import type { HostPolicy } from '../platform/process/host-policy.ts'
import { pathOfServer, sessionServer } from '../wire/index.ts'
import { allowedTools } from './binding/allowed-tools.ts'
import type { Workspaces } from '../workspace/index.ts'
import type { Bindings } from './binding/bindings.ts'
import { changeSession, describeSessionChange, readSession } from './change/change-session.ts'
import { checkSession } from './change/check-session.ts'
import { explainSessionPath } from './explain-session-path.ts'
import { offeredAbilities } from './offered-abilities.ts'
import { requireHostWork } from './change/require-host-work.ts'
import type { SessionDirectory } from './session-directory.ts'
import type { SessionHealthRegistry } from './health/session-health.ts'
import { missingSecrets, secretsOf, type SessionSecrets } from './session-secrets.ts'
import type { SessionStore, StoredSession } from './store.ts'

/** What is told of sessions; hub.ts serves them under their names. */
export interface SessionListener {
  onAdded(session: StoredSession): void
  /** `before` has another name when the session was renamed. */
  onChanged(session: StoredSession, before: StoredSession): void | Promise<void>
  onRemoved(session: StoredSession): void | Promise<void>
}

export interface SessionsOptions {
  readonly directory: SessionDirectory
  readonly store: SessionStore
  readonly events: Events
  readonly health: SessionHealthRegistry
  readonly secrets: SessionSecrets
  readonly listener: SessionListener
  readonly bindings: Pick<Bindings, 'of' | 'usableBy' | 'dropSession'>
  /** Names of the connectors and their tools as a session sees them. */
  readonly connectors: {
    nameOf(connectorId: string): string | undefined
    toolsOf(place: { sessionId: string; connector: string }): readonly string[]
  }
  readonly explainPath: Workspaces['explain']
  /** Says who may choose programs and folders; absent where nobody asks. */
  readonly hostPolicy?: HostPolicy | undefined
  /** Names of the teams of which a session is a member. */
  teamsOf(session: StoredSession): readonly string[]
  /** Folders in which teams have it work. */
  teamFoldersOf?(session: StoredSession): readonly string[]
}

const maxSessions = 200

/** All sessions: their rows, what they offer, how they are, and every change of them. */
export class Sessions {
  readonly #options: SessionsOptions
  readonly #directory: SessionDirectory
  /** Changes are made one at a time, so that two of the same session cannot cross. */
  #changes: Promise<unknown> = Promise.resolve()

  constructor(options: SessionsOptions) {
    this.#options = options
    this.#directory = options.directory
  }

  async start(): Promise<void> {
    for (const session of await this.#options.store.loadAll()) this.#directory.set(session)
  }

  /** Once bindings are there too, so that what sessions offer is known. */
  announce(): void {
    for (const session of this.all()) this.#options.listener.onAdded(session)
  }

  async stop(): Promise<void> {
    await this.#changes
  }

  /** In the order of their creation. */
  all(): StoredSession[] {
    return this.#directory.all()
  }

  byId(id: string): StoredSession | undefined {
    return this.#directory.byId(id)
  }

  byName(name: string): StoredSession | undefined {
    return this.#directory.byName(name)
  }

  /** Throws SESSION_NOT_FOUND, naming those that there are. */
  find(name: string): StoredSession {
    return this.#directory.find(name)
  }

  /** The session, ready for work. Throws SESSION_NOT_FOUND, or SESSION_UNREADY with the next step. */
  require(name: string): StoredSession {
    const session = this.find(name)
    const unready = this.#unready(session)
    if (unready !== null) throw new HubError('SESSION_UNREADY', `'${name}' is not ready. ${unready}`)
    if (session.enabled) return session
    throw new HubError('SESSION_UNREADY', `'${name}' is disabled. Enable it: herma session enable ${name}`)
  }

  list(): SessionView[] {
    return this.all().map((session) => this.#view(session))
  }

  get(name: string): SessionView {
    return this.#view(this.find(name))
  }

  /** What a session offers; `hasPlace` = a team gives it a folder to work in. */
  abilitiesOf(session: StoredSession, { hasPlace = false }: { hasPlace?: boolean } = {}): Ability[] {
    return offeredAbilities(session, { boundTools: this.#boundTools(session), hasPlace })
  }

  healthOf(session: StoredSession): SessionHealth {
    const { health } = this.#options
    return health.describe(session.id, { isEnabled: session.enabled, unready: this.#unready(session) })
  }

  add(input: SessionInput): Promise<SessionView> {
    return this.#change(async () => {
      const { store, secrets, events, listener } = this.#options
      const session = readSession(input)
      requireHostWork(this.#options.hostPolicy, session, { teamFolders: [] })
      await checkSession(session, secrets)
      if (this.#directory.size >= maxSessions)
        throw new HubError('OVERLOADED', `There are ${maxSessions} sessions, the limit. Remove one first.`)
      const stored = await store.insert(session)
      this.#directory.set(stored)
      const { name, provider, model } = stored
      events.emit('session.added', null, { provider, model }, { session: name })
      listener.onAdded(stored)
      return this.#view(stored)
    })
  }

  /** It keeps its id, threads and bindings, under another name too. */
  update(name: string, patch: SessionPatch): Promise<SessionView> {
    return this.#change(async () => {
      const { store, secrets, events, listener, health } = this.#options
      const before = this.find(name)
      const session = changeSession(before, patch)
      const teamFolders = this.#options.teamFoldersOf?.(before) ?? []
      requireHostWork(this.#options.hostPolicy, session, { before, teamFolders })
      await checkSession(session, secrets, before)
      const stored = await store.update(before.id, session)
      this.#directory.set(stored)
      health.forgive(stored.id)
      events.emit('session.changed', null, describeSessionChange(before, stored), { session: stored.name })
      await listener.onChanged(stored, before)
      return this.#view(stored)
    })
  }

  /** Throws SESSION_IN_USE while it is a member of a team. */
  remove(name: string): Promise<void> {
    return this.#change(async () => {
      const { store, events, listener, health, bindings } = this.#options
      const session = this.find(name)
      const teams = this.#options.teamsOf(session)
      if (teams.length > 0) {
        const next = `herma team member remove ${teams[0]} ${name}`
        throw new HubError('SESSION_IN_USE', `'${name}' is a member of ${list(teams)}. Take it out first: ${next}`)
      }
      await store.remove(session.id)
      this.#directory.delete(session.id)
      bindings.dropSession(session.id)
      health.remove(session.id)
      events.emit('session.removed', null, {}, { session: name })
      await listener.onRemoved(session)
    })
  }

  explainPath(name: string, question: PathQuestion): Promise<PathVerdict> {
    return explainSessionPath(this.find(name), question, this.#options.explainPath)
  }

  /** Names of the sessions that use a secret. */
  usersOf(secret: string): string[] {
    const users = this.all().filter((session) => secretsOf(session, this.#options.secrets).has(secret))
    return users.map((session) => `session ${session.name}`)
  }

  /** A secret came, changed or went: what failed for want of it may work now. */
  renewUsersOf(secret: string): void {
    for (const session of this.all()) {
      if (!secretsOf(session, this.#options.secrets).has(secret)) continue
      this.#options.health.forgive(session.id)
      void this.#options.listener.onChanged(session, session)
    }
  }

  #boundTools(session: StoredSession): string[] {
    const { connectors, bindings } = this.#options
    return bindings
      .usableBy(session.id)
      .flatMap((binding) => {
        const tools = connectors.toolsOf({ sessionId: session.id, connector: binding.connector })
        return allowedTools({ ...binding, policy: session.tools, tools })
      })
      .map(({ tool }) => tool)
  }

  /** What is missing before it can work, and the next step. */
  #unready(session: StoredSession): string | null {
    if (session.problem !== null) return `${session.problem} Mend it: herma session edit ${session.name}`
    return missingSecrets(session, this.#options.secrets)
  }

  #view(session: StoredSession): SessionView {
    const { secrets, bindings, connectors } = this.#options
    const key = keySecretOf(session)
    const bound = bindings.of(session.id)
    return {
      ...settingsOf(session),
      id: session.id,
      offered: this.abilitiesOf(session),
      path: pathOfServer(sessionServer(session.name), 'stream'),
      openaiPath: `/v1/sessions/${session.name}`,
      hasKey: key === null || secrets.has(key),
      bindings: bound.flatMap(({ connectorId }) => connectors.nameOf(connectorId) ?? []),
      teams: [...this.#options.teamsOf(session)],
      health: this.healthOf(session),
      createdAt: session.createdAt.toISOString(),
      updatedAt: session.updatedAt.toISOString(),
    }
  }

  #change<T>(make: () => Promise<T>): Promise<T> {
    const made = this.#changes.then(make)
    this.#changes = made.catch(() => undefined)
    return made
  }
}

/** The settings alone, without what the store knows besides. */
function settingsOf(session: StoredSession): Session {
  const fields = Object.keys(SessionInput.shape) as (keyof Session)[]
  return Object.fromEntries(fields.map((field) => [field, session[field]])) as Session
}

function list(names: readonly string[]): string {
  return names.slice(0, 20).join(', ')
}
