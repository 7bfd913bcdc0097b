import { createHash } from 'node:crypto'
import type { ConnectorView } from '@herma/contract'

/** Tells whether a connector still does what it did. Words, and whether it is enabled, are no change of what it does. */
export function hashConnector(connector: ConnectorView): string {
  const { transport, baseUrl, endpointPath, headers, cmd, args, env, workingDir, isolation, oauth, options } = connector
  // When a secret was changed says nothing of what the connector does.
  const plain = (rows: ConnectorView['env']) => rows.map(({ changedAt: _, ...row }) => row)
  // Connectors that were installed before there was isolation keep their hash.
  const isolated = isolation === null ? [] : [isolation]
  const parts = [
    transport,
    baseUrl,
    endpointPath,
    plain(headers),
    cmd,
    args,
    plain(env),
    workingDir,
    oauth,
    ...isolated,
  ]
  const sorted = Object.entries(options).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([...parts, sorted]))
    .digest('hex')
}
