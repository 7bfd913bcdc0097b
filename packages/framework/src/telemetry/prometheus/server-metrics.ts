import { Counter, Gauge, Histogram } from './metric-family.ts'

// Connections stay open for hours, which the buckets of requests cannot tell apart.
const connectionBuckets = [1, 10, 60, 300, 1800, 3600, 14_400, 86_400]

export type ServerMetrics = ReturnType<typeof serverMetrics>

/** Every metric that Prometheus gets, in the order of its text. The dashboard in docs/grafana uses these names. */
export function serverMetrics(prefix: string, buckets: readonly number[]) {
  const counter = (name: string, help: string, labels: readonly string[]) =>
    new Counter({ name: `${prefix}${name}_total`, help, labels })
  const gauge = (name: string, help: string, labels: readonly string[]) =>
    new Gauge({ name: prefix + name, help, labels })
  const seconds = (name: string, help: string, labels: readonly string[], bounds = buckets) =>
    new Histogram({ name: `${prefix}${name}_seconds`, help, labels }, bounds)

  return {
    serversUp: gauge('servers_up', 'Servers of this name that run in the process.', ['server']),
    requests: counter('requests', 'Requests answered.', ['server', 'method', 'outcome']),
    requestSeconds: seconds('request_duration', 'From a request to its answer.', ['server', 'method']),
    requestsInFlight: gauge('requests_in_flight', 'Requests not answered yet.', ['server']),
    toolCalls: counter('tool_calls', 'Calls of tools.', ['server', 'tool', 'outcome']),
    toolSeconds: seconds('tool_call_duration', 'How long tools ran.', ['server', 'tool']),
    resourceReads: counter('resource_reads', 'Reads of resources.', ['server', 'outcome']),
    promptGets: counter('prompt_gets', 'Prompts given out.', ['server', 'prompt', 'outcome']),
    clientRequests: counter('client_requests', 'Questions to clients.', ['server', 'method', 'outcome']),
    clientRequestSeconds: seconds('client_request_duration', 'From a question to its answer.', ['server', 'method']),
    connectionsOpen: gauge('connections_open', 'Connections open now.', ['server', 'kind']),
    connectionsOpened: counter('connections_opened', 'Connections opened.', ['server', 'kind', 'version']),
    connectionsRestored: counter('connections_restored', 'Connections taken over from the store.', ['server', 'kind']),
    connectionsClosed: counter('connections_closed', 'Connections ended.', ['server', 'kind', 'reason']),
    connectionSeconds: seconds(
      'connection_duration',
      'How long connections lasted.',
      ['server', 'kind'],
      connectionBuckets,
    ),
    notificationsReceived: counter('notifications_received', 'Notifications from clients.', ['server', 'method']),
    notificationsSent: counter('notifications_sent', 'Notifications to clients.', ['server', 'method']),
    progress: counter('progress', 'Reports of progress.', ['server']),
    batches: counter('batches', 'JSON-RPC batches received.', ['server']),
    batchMessages: counter('batch_messages', 'Messages within batches.', ['server']),
    auth: counter('auth', 'Decisions about who a request comes from.', ['server', 'outcome']),
    transportsOpen: gauge('transports_open', 'Transports that serve.', ['server', 'kind']),
    transportErrors: counter('transport_errors', 'Errors of transports.', ['server', 'kind']),
    clusterChanges: counter('cluster_changes', 'Nodes that came or went.', ['server', 'change']),
    restarts: counter('child_restarts', 'Restarts of supervised children.', ['child']),
    errors: counter('errors', 'Errors that only the operator sees; masked ones have a reference id.', [
      'server',
      'masked',
    ]),
    listenerFailures: counter('listener_failures', 'Errors thrown by listeners of events.', ['event']),
  }
}
