import type { ConnectorEntry, Connectors } from '../downstream/index.ts'
import type { Gateway } from '../gateway/index.ts'
import type { Metric } from '../platform/metric/metrics.ts'

/** Everything that `/metrics` tells. */
export function hubMetrics(gateway: Gateway, connectors: Connectors): Metric[] {
  const perConnector =
    (value: (health: ReturnType<NonNullable<ConnectorEntry['downstream']>['health']>) => number) => () =>
      connectors
        .entries()
        .flatMap(({ downstream }) =>
          downstream === null ? [] : [{ labels: { connector: downstream.name }, value: value(downstream.health()) }],
        )
  return [
    ...gateway.metrics,
    {
      name: 'downstream_ready',
      help: 'Whether the downstream of a connector is ready.',
      kind: 'gauge',
      read: perConnector(({ state }) => (state === 'ready' ? 1 : 0)),
    },
    {
      name: 'downstream_in_flight',
      help: 'Calls under way at a downstream.',
      kind: 'gauge',
      read: perConnector(({ inFlight }) => inFlight),
    },
    {
      name: 'downstream_calls_total',
      help: 'Calls of clients that a downstream ended.',
      kind: 'counter',
      read: perConnector(({ callCount }) => callCount),
    },
    {
      name: 'downstream_errors_total',
      help: 'Faults of a downstream: crashes, timeouts, broken answers.',
      kind: 'counter',
      read: perConnector(({ errorCount }) => errorCount),
    },
    {
      name: 'downstream_left_out',
      help: 'Limits beyond which a server offers something that is left out.',
      kind: 'gauge',
      read: perConnector(({ leftOut }) => leftOut.length),
    },
    {
      name: 'downstream_restarts_total',
      help: 'Times that a lost link was opened again.',
      kind: 'counter',
      read: perConnector(({ restartCount }) => restartCount),
    },
    {
      name: 'process_resident_memory_bytes',
      help: 'Memory of the hub process.',
      kind: 'gauge',
      read: () => process.memoryUsage.rss(),
    },
  ]
}
