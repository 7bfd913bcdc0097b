import { join } from 'node:path'
import { HubError, type Principal } from '@herma/contract'
import type { Catalog, OwnServer, Scopes } from '../../catalog/index.ts'
import { BoundDownstreams, type Connectors, type DownstreamEnvironment } from '../../downstream/index.ts'
import { beginTrace, ToolPort, type OwnServerFacts, type Rulings, type Servers } from '../../gateway/index.ts'
import type { Metric } from '../../platform/metric/metrics.ts'
import type { HiddenState } from '../../platform/hidden-state/hidden-state.ts'
import type { HostPolicy } from '../../platform/process/host-policy.ts'
import { Signal } from '../../platform/signal.ts'
import type { Store } from '../../platform/store/store.ts'
import type { KeyRing, Redactor, Secrets } from '../../secret/index.ts'
import {
  BindingDirectory,
  createProviderFetch,
  OpenAiApi,
  openSessionRegistries,
  readHubId,
  runWork,
  SessionDirectory,
  sessionServerOf,
  SessionTester,
  Threads,
  ThreadStore,
  TurnQueue,
  WorkFigures,
  type SessionRegistries,
  type StoredSession,
  type WorkEnvironment,
} from '../../session/index.ts'
import { chatCaller } from './chat-caller.ts'
import { openTeams, TeamDirectory, type OpenTeams } from '../../team/index.ts'
import { toTeamSessions } from './team-sessions.ts'
import { toSessionSecrets } from './to-session-secrets.ts'
import { enterServer, operator, sessionOf, sessionServer, type WorkContext, type CallPath } from '../../wire/index.ts'
import { compileGlobs, explainPlace, openWorkspaces, sweepFolder } from '../../workspace/index.ts'

interface AgentOptions extends Pick<
  DownstreamEnvironment,
  'watchdog' | 'isolator' | 'events' | 'log' | 'guard' | 'buffers' | 'signInLinks' | 'approvals'
> {
  readonly store: Store
  readonly hiddenState: HiddenState
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
  readonly hostPolicy: HostPolicy
  propagates(): boolean
}

/** Sessions and teams, wired to what they work with. */
export interface OpenAgents {
  readonly sessions: SessionRegistries['sessions']
  readonly bindings: SessionRegistries['bindings']
  readonly tester: SessionTester
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
export async function openAgents(options: AgentOptions): Promise<OpenAgents> {
  const { store, events, log, watchdog, redactor, servers, connectors, stateHome } = options
  const hub = await readHubId(store.db)
  const copyFolder = join(stateHome, 'working-copies')
  const testFolder = join(stateHome, 'test-runs')
  await Promise.all([sweepFolder(copyFolder, log), sweepFolder(testFolder, log)])
  const workspaces = await openWorkspaces({ stateHome, configHome: options.configHome, log })
  const provider = createProviderFetch(options.guard)
  const secrets = toSessionSecrets(options.secrets)
  const sessionDirectory = new SessionDirectory()
  const bindingDirectory = new BindingDirectory(sessionDirectory)
  const teamDirectory = new TeamDirectory()
  const sessionsChanged = new Signal()
  const bound = new BoundDownstreams({
    connectors,
    environment: { ...options, secretOf: (name) => options.secrets.valueOf(name) },
    redactor,
    bindingOf: (sessionId, connectorId) => bindingDirectory.bound(sessionId, connectorId),
    hopLimitOf: (sessionId) => teamDirectory.hopLimitOf(sessionId) ?? chatHopLimit,
    onDescriptors: () => servers.renew(),
  })
  const tools = new ToolPort({ ...options, connectors: () => connectors, boundDownstream: (place) => bound.for(place) })
  const turns = new TurnQueue()
  const figures = new WorkFigures()
  const registries = openSessionRegistries({
    db: store.db,
    directories: { sessions: sessionDirectory, bindings: bindingDirectory },
    sealer: options.sealer,
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
    listener: {
      onAdded: ({ name }) => servers.announce(sessionServer(name), 'session'),
      async onChanged({ name }, before) {
        if (name === before.name) servers.renew()
        else await servers.rename(sessionServer(before.name), sessionServer(name))
        bound.review()
        sessionsChanged.tell()
      },
      async onRemoved({ name }) {
        await servers.withdraw(sessionServer(name))
        bound.review()
        sessionsChanged.tell()
      },
      onBindings() {
        bound.review()
        servers.renew()
      },
    },
    explainPath: (policy, question) => workspaces.explain(policy, question),
    hostPolicy: options.hostPolicy,
    teamsOf: ({ id }) => teamDirectory.namesWith(id),
    teamFoldersOf: ({ id }) => teamDirectory.foldersOf(id),
  })
  const environment: WorkEnvironment = {
    tools,
    bindingsOf: (id) => registries.bindings.usableBy(id),
    secrets,
    workspaces,
    fetch: provider.fetch,
    machine: { watchdog, hiddenState: options.hiddenState, log, environment: process.env, testFolder, copyFolder },
    events,
    health: registries.health,
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
    const { text, route } = await runWork({ ...trial, session, workContext }, environment)
    return `${route} answered: ${text.slice(0, 200)}`
  }
  const tester = new SessionTester({
    sessions: sessionDirectory,
    bindings: registries.bindings,
    secrets,
    trials: {
      tryModel: async (session) => ({ detail: await tryModel(session) }),
      countTools: async (place) => (await tools.boundTools(place)).length,
    },
  })
  const threadStore = new ThreadStore(store.db)
  const redact = <T>(value: T) => redactor.redactValue(value, { byName: false }) as T
  const threads = new Threads({
    store: threadStore,
    session: (name) => registries.sessions.require(name),
    require(principal, session) {
      const server = sessionServer(session)
      const { allowed, why } = options.rulings.check({ ...chatQuestion, principal, server, target: session })
      if (!allowed) throw new HubError('FORBIDDEN', why)
    },
    workContextFor,
    work: (request) => runWork(request, environment),
    async approveAlways(name, tool) {
      const { approved } = registries.sessions.find(name).tools
      await registries.sessions.update(name, { tools: { approved: [...new Set([...approved, tool])] } })
    },
    redact,
    onChange: () => events.touch('thread'),
  })
  const openai = new OpenAiApi({
    store: threadStore,
    sessions: () => registries.sessions.all(),
    session: (name) => registries.sessions.require(name),
    workContextFor: workContextOf,
    work: (request) => runWork(request, environment),
    redact,
  })
  await registries.start()
  bound.start()
  const opened = await openTeams({
    db: store.db,
    directory: teamDirectory,
    sessionsChanged,
    events,
    hub,
    servers,
    hostPolicy: options.hostPolicy,
    sessions: toTeamSessions(registries, environment),
    paths: {
      checkGlob: (glob) => void compileGlobs([glob]),
      explain: (policy, question) => explainPlace(policy, question, (...asked) => workspaces.explain(...asked)),
    },
  })
  // Most changes of connectors mean nothing to sessions, and their clients shall not list again for them.
  const offers = () =>
    JSON.stringify(registries.sessions.all().map((session) => registries.sessions.abilitiesOf(session)))
  let offered = offers()
  const sessionFacts = (session: StoredSession) => ({
    hub,
    outside: environment,
    offered: registries.sessions.abilitiesOf(session),
    current: () => registries.sessions.require(registries.sessions.byId(session.id)?.name ?? session.name),
  })
  options.secrets.addUsers((secret) => [...registries.sessions.usersOf(secret), ...registries.bindings.usersOf(secret)])
  options.secrets.changed.listen((name) => {
    registries.sessions.renewUsersOf(name)
    registries.bindings.renewUsersOf(name)
    bound.renewUsersOf(name)
  })
  connectors.changed.listen(() => {
    bound.review()
    const now = offers()
    if (now !== offered) servers.renew()
    offered = now
  })
  connectors.removed.listen(({ stored }) => void registries.bindings.dropConnector(stored.id))

  return {
    sessions: registries.sessions,
    bindings: registries.bindings,
    tester,
    threads,
    openai,
    teams: opened.teams,
    sealedPlaces: registries.sealedPlaces,
    metrics: [
      ...registries.metrics,
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
      const known = registries.sessions.byName(session)
      return known === undefined ? undefined : sessionServerOf(known, sessionFacts(known))
    },
    factsOf(name) {
      const session = sessionOf(name)
      if (session === null) return opened.factsOf(name)
      const known = registries.sessions.byName(session)
      if (known === undefined) return undefined
      const { description, enabled } = known
      return { description, enabled, problem: registries.sessions.healthOf(known).problem }
    },
    async stop() {
      await threads.stop()
      await openai.stop()
      await opened.stop()
      await registries.stop()
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
