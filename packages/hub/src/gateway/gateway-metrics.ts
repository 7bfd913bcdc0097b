import type { Metric } from '../platform/metric/metrics.ts'
import type { ConnectionTable } from './connection/connection-table.ts'
import type { Fanout } from './subscription/fanout.ts'
import type { Parking } from './call/parking.ts'

/** What the inbound side tells about itself. */
export function gatewayMetrics(parts: {
  connections: ConnectionTable
  fanout: Fanout
  parking: Parking
  inFlight(): number
}): Metric[] {
  const { connections, fanout, parking } = parts
  const gauge = (name: string, help: string, read: () => number): Metric => ({ name, help, kind: 'gauge', read })
  const counter = (name: string, help: string, read: () => number): Metric => ({ name, help, kind: 'counter', read })
  return [
    gauge('connections', 'Legacy clients that are connected.', () => connections.size),
    gauge('listeners', 'Modern clients that listen for changes.', () => fanout.listenerCount),
    gauge('requests_in_flight', 'Requests of clients that are not answered yet.', () => parts.inFlight()),
    gauge('parked_calls', 'Calls that wait for input of a modern client.', () => parking.size),
    counter('parked_rounds_total', 'Times that a modern client was asked for input.', () => parking.counts.parked),
    counter('parked_resumed_total', 'Times that it came back with the input.', () => parking.counts.resumed),
    counter('parked_expired_total', 'Calls given up because it did not.', () => parking.counts.expired),
    counter('parked_refused_total', 'Questions refused because too many calls wait.', () => parking.counts.refused),
  ]
}
