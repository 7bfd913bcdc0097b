import { createHash } from 'node:crypto'
import type { ConnectorView } from '@herma/contract'

/** Tells whether a connector still does what it did. Words, and whether it is enabled, are no change of what it does. */
export function hashConnector(connector: ConnectorView): string {
  const { transport, baseUrl, endpointPath, headers, cmd, args, env, workingDir, oauth, options } = connector
  const parts = [transport, baseUrl, endpointPath, headers, cmd, args, env, workingDir, oauth]
  const sorted = Object.entries(options).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([...parts, sorted]))
    .digest('hex')
}
