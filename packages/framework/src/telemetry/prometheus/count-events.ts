import { BoundedNames } from '../bounded-names.ts'
import { on, type Events } from '../events.ts'
import { hasMethod, hasTarget, outcomeOf } from '../outcome.ts'
import type { ServerMetrics } from './server-metrics.ts'

const mostServers = 100
const mostMethods = 100
const mostOutcomes = 30
const mostChildren = 100

/** Counts events into the metrics until the returned function is called. */
export function countEvents(metrics: ServerMetrics, maxTargets: number): () => void {
  const names = new LabelNames(maxTargets)
  const started = new WeakSet<object>()

  const ends = [
    on('mcp.server.start', ({ server }) => metrics.serversUp.add([names.server(server)], 1)),
    on('mcp.server.stop', ({ server }) => metrics.serversUp.add([names.server(server)], -1)),
    on('mcp.request.start', ({ server, key }) => {
      started.add(key)
      metrics.requestsInFlight.add([names.server(server)], 1)
    }),
    on('mcp.request.end', (event) => {
      const server = names.server(event.server)
      const method = names.method(event)
      if (started.delete(event.key)) metrics.requestsInFlight.add([server], -1)
      metrics.requests.add([server, method, names.outcome(event)])
      metrics.requestSeconds.observe([server, method], event.ms / 1000)
    }),
    on('mcp.tool.call', (event) => {
      const server = names.server(event.server)
      const tool = names.target('tool', event)
      metrics.toolCalls.add([server, tool, names.outcome(event)])
      metrics.toolSeconds.observe([server, tool], event.ms / 1000)
    }),
    on('mcp.resource.read', (event) => metrics.resourceReads.add([names.server(event.server), names.outcome(event)])),
    on('mcp.prompt.get', (event) =>
      metrics.promptGets.add([names.server(event.server), names.target('prompt', event), names.outcome(event)]),
    ),
    on('mcp.client.request', (event) => {
      const labels = [names.server(event.server), names.method(event)]
      metrics.clientRequests.add([...labels, names.outcome(event)])
      metrics.clientRequestSeconds.observe(labels, event.ms / 1000)
    }),
    on('mcp.connection.opened', ({ server, kind, version }) => {
      metrics.connectionsOpened.add([names.server(server), kind, version])
      metrics.connectionsOpen.add([names.server(server), kind], 1)
    }),
    on('mcp.connection.restored', ({ server, kind }) => {
      metrics.connectionsRestored.add([names.server(server), kind])
      metrics.connectionsOpen.add([names.server(server), kind], 1)
    }),
    on('mcp.connection.closed', ({ server, kind, reason, ms }) => {
      const labels = [names.server(server), kind]
      metrics.connectionsClosed.add([...labels, typeof reason === 'string' ? reason : 'error'])
      metrics.connectionsOpen.add(labels, -1)
      metrics.connectionSeconds.observe(labels, ms / 1000)
    }),
    on('mcp.notification.received', (event) =>
      metrics.notificationsReceived.add([names.server(event.server), names.method(event)]),
    ),
    on('mcp.notification.sent', (event) =>
      metrics.notificationsSent.add([names.server(event.server), names.method(event)]),
    ),
    on('mcp.progress', ({ server }) => metrics.progress.add([names.server(server)])),
    on('mcp.batch', ({ server, size }) => {
      metrics.batches.add([names.server(server)])
      metrics.batchMessages.add([names.server(server)], size)
    }),
    // Whoever is refused may have named the server himself, with the Host header.
    on('mcp.auth', ({ server, outcome }) => metrics.auth.add([names.server(server, outcome === 'ok'), outcome])),
    on('mcp.transport.open', ({ server, kind }) => metrics.transportsOpen.add([names.server(server), kind], 1)),
    on('mcp.transport.close', ({ server, kind }) => metrics.transportsOpen.add([names.server(server), kind], -1)),
    on('mcp.transport.error', ({ server, kind }) => metrics.transportErrors.add([names.server(server), kind])),
    on('mcp.cluster.node', ({ server, change }) => metrics.clusterChanges.add([names.server(server), change])),
    on('mcp.child.restart', ({ child }) => metrics.restarts.add([names.child(child)])),
    on('mcp.error', ({ server, reference }) =>
      metrics.errors.add([names.server(server, server === ''), String(reference !== undefined)]),
    ),
  ]
  return () => {
    for (const end of ends.splice(0)) end()
  }
}

type Ended = Pick<Events['mcp.request.end'], 'server' | 'target' | 'failure' | 'isError'>

/** The label values that others choose, each kind of them bounded. */
class LabelNames {
  readonly #servers = new BoundedNames(mostServers)
  readonly #methods = new BoundedNames(mostMethods)
  readonly #outcomes = new BoundedNames(mostOutcomes)
  readonly #children = new BoundedNames(mostChildren)
  readonly #targets = new Map<string, BoundedNames>()
  readonly #maxTargets: number

  constructor(maxTargets: number) {
    this.#maxTargets = maxTargets
  }

  server(name: string, isReal = true): string {
    return this.#servers.of(name, isReal)
  }

  child(name: string): string {
    return this.#children.of(name)
  }

  method(event: { readonly method: string } & Pick<Ended, 'failure'>): string {
    return this.#methods.of(event.method, hasMethod(event))
  }

  outcome(event: Ended): string {
    return this.#outcomes.of(outcomeOf(event))
  }

  target(kind: 'tool' | 'prompt', event: Ended): string {
    const scope = `${kind} ${this.server(event.server)}`
    let names = this.#targets.get(scope)
    if (names === undefined) this.#targets.set(scope, (names = new BoundedNames(this.#maxTargets)))
    return names.of(event.target ?? '', hasTarget(event))
  }
}
