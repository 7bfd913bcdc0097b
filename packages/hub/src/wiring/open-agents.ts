import { join } from 'node:path'
import { HubError, type Principal } from '@herma/contract'
import type { Catalog, OwnServer, Scopes } from '../catalog/index.ts'
import { BoundDownstreams, type Connectors, type DownstreamEnvironment } from '../downstream/index.ts'
import { beginTrace, ToolPort, type OwnServerFacts, type Rulings, type Servers } from '../gateway/index.ts'
import type { Metric } from '../platform/metric/metrics.ts'
import type { Store } from '../platform/store/store.ts'
import type { KeyRing, Redactor, Secrets } from '../secret/index.ts'
import {
  createProviderFetch,
  OpenAiApi,
  openSessionRegistries,
  readHubId,
  runWork,
  sessionServerOf,
  Threads,
  ThreadStore,
  TurnQueue,
  WorkFigures,
  type SessionRegistries,
  type StoredSession,
  type WorkEnvironment,
} from '../session/index.ts'
import { chatCaller } from './chat-caller.ts'
import { openTeams, type OpenTeams } from '../team/index.ts'
import { toTeamSessions } from './team-sessions.ts'
import { toSessionSecrets } from './to-session-secrets.ts'
import { enterServer, operator, sessionOf, sessionServer, type WorkContext, type CallPath } from '../wire/index.ts'
import { compileGlobs, explainPlace, openWorkspaces, sweepFolder } from '../workspace/index.ts'

interface AgentOptions extends Pick<DownstreamEnvironment, 'watchdog' | 'events' | 'log' | 'guard' | 'signInLinks'> {
  readonly store: Store
  readonly stateHome: string
  readonly configHome: string
  readonly sealer: KeyRing
  readonly redactor: Redactor
  readonly secrets: Secrets
  readonly connectors: Connectors
  readonly catalog: Catalog
  readonly scopes: Scopes
  readonly servers: Servers
  readonly rulings: Rulings
  propagates(): boolean
}

/** Sessions and teams, wired to what they work with. */
export interface OpenAgents {
  readonly sessions: SessionRegistries['sessions']
  readonly bindings: SessionRegistries['bindings']
  readonly threads: Threads
  /** For clients of OpenAI's APIs. */
  readonly openai: OpenAiApi
  readonly teams: OpenTeams['teams']
  readonly sealedPlaces: SessionRegistries['sealedPlaces']
  readonly metrics: readonly Metric[]
  /** The team or session that is served under this name. */
  serverOf(name: string): OwnServer | undefined
  factsOf(name: string): OwnServerFacts | undefined
  stop(): Promise<void>
}

/** A session may be asked for a word by whoever tests it. */
const trialText = 'This is a test of the connection. Answer with the single word: ok'
const chatHopLimit = 3

/** Opens sessions and teams. Connectors have to be there before, clients come after. */
export async function openAgents(parts: AgentOptions): Promise<OpenAgents> {
  const { store, events, log, watchdog, redactor, servers, connectors, stateHome } = parts
  const hub = await readHubId(store.db)
  const copyFolder = join(stateHome, 'working-copies')
  const testFolder = join(stateHome, 'test-runs')
  await Promise.all([sweepFolder(copyFolder, log), sweepFolder(testFolder, log)])
  const workspaces = await openWorkspaces({ stateHome, configHome: parts.configHome, log })
  const provider = createProviderFetch(parts.guard)
  const secrets = toSessionSecrets(parts.secrets)
  const bound: BoundDownstreams = new BoundDownstreams({
    connectors,
    environment: { ...parts, secretOf: (name) => parts.secrets.valueOf(name) },
    redactor,
    bindingOf: (sessionId, connectorId) => books.bindings.bound(sessionId, connectorId),
    hopLimitOf: (sessionId) => teams?.hopLimitOf(sessionId) ?? chatHopLimit,
    onDescriptors: () => servers.renew(),
  })
  const tools = new ToolPort({ ...parts, connectors: () => connectors, boundDownstream: (place) => bound.for(place) })
  const turns = new TurnQueue()
  const figures = new WorkFigures()
  let teams: OpenTeams | null = null
  const books: SessionRegistries = openSessionRegistries({
    db: store.db,
    sealer: parts.sealer,
    secrets,
    redactor,
    events,
    connectors: {
      byId(id) {
        const name = connectors.entryOf(id)?.stored.connector.name
        return name === undefined ? undefined : connectors.get(name)
      },
      byName: (name) => connectors.get(name),
      toolsOf: (place) => bound.toolNames(place),
      hasOwnDownstream: (place) => bound.isOwn(place),
    },
    trials: {
      tryModel: async (session) => ({ detail: await tryModel(session) }),
      countTools: async (place) => (await tools.boundTools(place)).length,
    },
    listener: {
      onAdded: ({ name }) => servers.announce(sessionServer(name), 'session'),
      async onChanged({ name }, before) {
        if (name === before.name) servers.renew()
        else await servers.rename(sessionServer(before.name), sessionServer(name))
        bound.review()
        teams?.onSessionsChanged()
      },
      async onRemoved({ name }) {
        await servers.withdraw(sessionServer(name))
        bound.review()
        teams?.onSessionsChanged()
      },
      onBindings() {
        bound.review()
        servers.renew()
      },
    },
    explainPath: (policy, question) => workspaces.explain(policy, question),
    teamsOf: ({ id }) => teams?.teamsOf(id) ?? [],
  })
  const outside: WorkEnvironment = {
    tools,
    bindingsOf: (id) => books.bindings.usableBy(id),
    secrets,
    workspaces,
    fetch: provider.fetch,
    machine: { watchdog, log, environment: process.env, testFolder, copyFolder },
    events,
    health: books.health,
    turns,
    figures,
  }
  const workContextOf = ({ principal, session, signal, trace, isLocal, cameBy }: Talk): WorkContext => {
    const { traceId, spanId } = trace
    const server = sessionServer(session)
    const path = enterServer(cameBy ?? { requestId: traceId, entries: [] }, { hub, server, limit: chatHopLimit })
    return { ...chatCaller(principal, server), isLocal, signal, traceId, spanId, path }
  }
  const workContextFor = (principal: Principal, session: string, signal: AbortSignal): WorkContext =>
    workContextOf({ principal, session, signal, trace: beginTrace(undefined), isLocal: false })
  const tryModel = async (session: StoredSession): Promise<string> => {
    const workContext = workContextFor(operator, session.name, AbortSignal.timeout(60_000))
    const { text, route } = await runWork({ ...trial, session, workContext }, outside)
    return `${route} answered: ${text.slice(0, 200)}`
  }
  const threadStore = new ThreadStore(store.db)
  const redact = <T>(value: T) => redactor.redactValue(value, { byName: false }) as T
  const threads = new Threads({
    store: threadStore,
    session: (name) => books.sessions.require(name),
    require(principal, session) {
      const server = sessionServer(session)
      const { allowed, why } = parts.rulings.check({ ...chatQuestion, principal, server, target: session })
      if (!allowed) throw new HubError('FORBIDDEN', why)
    },
    workContextFor,
    work: (request) => runWork(request, outside),
    async approveAlways(name, tool) {
      const { approved } = books.sessions.find(name).tools
      await books.sessions.update(name, { tools: { approved: [...new Set([...approved, tool])] } })
    },
    redact,
    onChange: () => events.touch('thread'),
  })
  const openai = new OpenAiApi({
    store: threadStore,
    sessions: () => books.sessions.all(),
    session: (name) => books.sessions.require(name),
    workContextFor: workContextOf,
    work: (request) => runWork(request, outside),
    redact,
  })
  await books.start()
  bound.start()
  teams = await openTeams({
    db: store.db,
    events,
    hub,
    servers,
    sessions: toTeamSessions(books, outside),
    paths: {
      checkGlob: (glob) => void compileGlobs([glob]),
      explain: (policy, question) => explainPlace(policy, question, (...asked) => workspaces.explain(...asked)),
    },
  })
  const opened = teams
  // Most changes of connectors mean nothing to sessions, and their clients shall not list again for them.
  const offers = () => JSON.stringify(books.sessions.all().map((session) => books.sessions.abilitiesOf(session)))
  let offered = offers()
  const sessionFacts = (session: StoredSession) => ({
    hub,
    outside,
    offered: books.sessions.abilitiesOf(session),
    current: () => books.sessions.require(books.sessions.byId(session.id)?.name ?? session.name),
  })
  parts.secrets.addUsers((secret) => [...books.sessions.usersOf(secret), ...books.bindings.usersOf(secret)])
  parts.secrets.changed.listen((name) => {
    books.sessions.renewUsersOf(name)
    books.bindings.renewUsersOf(name)
    bound.renewUsersOf(name)
  })
  connectors.changed.listen(() => {
    bound.review()
    const now = offers()
    if (now !== offered) servers.renew()
    offered = now
  })
  connectors.removed.listen(({ stored }) => void books.bindings.dropConnector(stored.id))

  return {
    sessions: books.sessions,
    bindings: books.bindings,
    threads,
    openai,
    teams: opened.teams,
    sealedPlaces: books.sealedPlaces,
    metrics: [
      ...books.metrics,
      ...opened.metrics,
      ...bound.metrics,
      ...turns.metrics,
      ...figures.metrics,
      ...workspaces.metrics,
      ...threads.metrics,
      ...openai.metrics,
    ],
    serverOf(name) {
      const session = sessionOf(name)
      if (session === null) return opened.serverOf(name)
      const known = books.sessions.byName(session)
      return known === undefined ? undefined : sessionServerOf(known, sessionFacts(known))
    },
    factsOf(name) {
      const session = sessionOf(name)
      if (session === null) return opened.factsOf(name)
      const known = books.sessions.byName(session)
      if (known === undefined) return undefined
      const { description, enabled } = known
      return { description, enabled, problem: books.sessions.healthOf(known).problem }
    },
    async stop() {
      await threads.stop()
      await openai.stop()
      await opened.stop()
      await books.stop()
      await bound.stop()
      await workspaces.stop()
      await provider.stop()
    },
  }
}

const trial = {
  ability: 'chat',
  input: { text: trialText, fields: {} },
  messages: [{ role: 'user', parts: [{ type: 'text', text: trialText }] }],
  extraInstructions: '',
  place: {},
  needs: 'none',
  limits: { maxSteps: 1 },
  onEvent: () => undefined,
} as const

const chatQuestion = {
  method: 'session/chat',
  arguments: undefined,
  loopback: false,
  connector: undefined,
  original: undefined,
  annotations: undefined,
}

/** Who talks to which session, and as a part of what. */
interface Talk {
  readonly principal: Principal
  readonly session: string
  readonly signal: AbortSignal
  readonly trace: { readonly traceId: string; readonly spanId: string }
  readonly isLocal: boolean
  /** Absent = straight from a client. */
  readonly cameBy?: CallPath | undefined
}
