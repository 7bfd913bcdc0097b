import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isLoopbackName, openAccess } from './access/index.ts'
import { catalogKinds, openCatalog } from './catalog/index.ts'
import { hubInfo } from './downstream/index.ts'
import { connectionIdLifeMs, createGateway, createWebFiles } from './gateway/index.ts'
import { limitsOf, type Hub, type HubOptions } from './hub-options.ts'
import { Lifecycle } from './platform/lifecycle.ts'
import { renderMetrics } from './platform/metric/metrics.ts'
import { isSecretName, redactLog, Redactor } from './secret/index.ts'
import { openTrace } from './trace/index.ts'
import { AgentDirectory } from './wiring/agent/agent-directory.ts'
import { describeHub } from './wiring/describe-hub.ts'
import { announce, findWebFolder } from './wiring/hub-files.ts'
import { hubMetrics } from './wiring/hub-metrics.ts'
import { openAgents } from './wiring/agent/open-agents.ts'
import { openConnectors } from './wiring/open-connectors.ts'
import { openFoundation } from './wiring/open-foundation.ts'
import { openManagement } from './wiring/open-management.ts'
import { findCallTarget, recentCalls } from './wiring/policy-environment.ts'

export type { Hub, HubOptions } from './hub-options.ts'

/** A `requestState` that a client holds for longer than this may not open any more. */
const stateRotationMs = 24 * 60 * 60_000

/** Builds the hub from top to bottom, each part with what is there already, and stops it in reverse. */
export async function startHub(options: HubOptions): Promise<Hub> {
  const redactor = new Redactor()
  const log = redactLog(options.log, redactor)
  const lifecycle = new Lifecycle(log)
  try {
    return await build({ ...options, log }, lifecycle, redactor)
  } catch (error) {
    await lifecycle.stop()
    throw error
  }
}

async function build(options: HubOptions, lifecycle: Lifecycle, redactor: Redactor): Promise<Hub> {
  const { host, port, log } = options
  const startedAt = new Date()
  const foundation = await openFoundation({ ...options, lifecycle, redactor })
  const { store, sealer, events, secrets, servers, address, metrics, homes, buffers, isHttpFast } = foundation
  const redact = (text: string) => redactor.redact(text)

  const { version } = hubInfo
  const recorded = { store, events, log, version, seals: sealer }
  const trace = await openTrace({
    ...recorded,
    masks: { redact, redactValue: (value) => redactor.redactValue(value) },
    servers: () => servers.list().map(({ name }) => name),
    onSecrets: (values) => redactor.set('trace settings', values),
    resolveSecrets: (text) => secrets.resolve(text),
    metrics: () => metrics.all(),
  })
  lifecycle.add(trace)

  const directory = new AgentDirectory()
  const curated = await openCatalog({
    ...foundation,
    ...homes,
    redact,
    onCustomTools: (tools) => redactor.set('custom_tools.json', tools.flatMap(secretVariables)),
    settingsOf: (server) => servers.settingsOf(server),
    ownServer: (server) => directory.serverOf(server),
  })
  lifecycle.add(curated)
  servers.changed.listen(() => curated.scopes.forget())

  const opened = await openAccess({
    ...foundation,
    origin: () => address.url,
    findTarget: (question) => findCallTarget(question, curated),
    recentCalls: (limit) => recentCalls(trace.management.traces, limit),
  })
  lifecycle.add(opened)
  const { access, addresses, rulings, hostPolicy } = opened

  const outbound = await openConnectors({ ...foundation, host, curated, access, hostPolicy, agents: directory })
  const { connectors, clients, ownHub } = outbound

  const propagates = () => trace.propagates()
  const agents = await openAgents({ ...foundation, ...homes, ...curated, ...outbound, rulings, hostPolicy, propagates })
  lifecycle.add(agents)
  directory.enter(agents)

  const inbound = {
    ...curated,
    events,
    log,
    servers,
    connectors,
    rulings,
    addresses,
    propagates,
    buffers,
    isHttpFast,
    openai: agents.openai,
  }
  const gateway = createGateway({
    ...inbound,
    gatekeeper: access,
    masks: redactor,
    db: store.db,
    graceMs: options.graceMs ?? 30_000,
    ...(options.onDrain !== undefined && { onDrain: options.onDrain }),
    captureOf: (server) => trace.captureOf(server),
    redact: (error) => redactor.redactValue(error, { byName: false }) as typeof error,
    whyNotReady: () => store.problem(),
    metrics: () => renderMetrics(metrics.all()),
    announce: (server) => ownHub.announce(server),
    sealer: sealer.tokens('request-state', stateRotationMs),
    connectionSealer: sealer.tokens('connection', connectionIdLifeMs),
    limits: limitsOf(options),
  })
  clients.connect(gateway.listener)
  curated.listsChanged.listen((kinds) => gateway.onListsChanged(kinds))
  servers.changed.listen(() => gateway.onListsChanged(catalogKinds))
  metrics.add(...hubMetrics(gateway, connectors), ...curated.metrics, ...trace.metrics, ...opened.metrics)
  metrics.add(...agents.metrics)

  const status = () =>
    describeHub({ ...homes, startedAt, access, store, connectors, catalog: curated.catalog, gateway })
  const stop = (graceMs?: number) => {
    if (graceMs !== undefined) gateway.limitGrace(graceMs)
    return lifecycle.stop()
  }
  const managed = { ...foundation, ...outbound, opened, curated, trace, agents, gateway, status }
  const management = await openManagement({
    ...managed,
    keyFile: options.keyFile,
    stop: (graceMs) => void stop(graceMs),
  })

  connectors.start()
  curated.watchDrift(connectors)
  lifecycle.add(gateway)
  const web = createWebFiles(options.webFolder ?? findWebFolder())
  const { api, own } = management
  address.announce(await gateway.start(host, port, { api, own, web }))
  management.start()
  await announce(homes.stateHome, address.url, startedAt)
  lifecycle.add(() => rm(join(homes.stateHome, 'hub.json'), { force: true }))
  if (!isLoopbackName(host) && access.settings.get().publicUrl?.startsWith('https:') !== true)
    log.warn('keys travel unencrypted: put TLS in front and say where with: herma access --public-url https://…')
  events.emit('hub.started', null, { url: address.url, version })
  return { url: address.url, stop, stopped: lifecycle.stopped }
}

function secretVariables({ env }: { readonly env: Readonly<Record<string, string>> }): string[] {
  return Object.entries(env).flatMap(([name, value]) => (isSecretName(name) ? [value] : []))
}
