import type { ConnectorView } from '@herma/contract'
import { quoteWord } from '@herma/contract/plain'

/** Where a connector's server is, as a person would type it. */
export function describePlace({ transport, baseUrl, endpointPath, cmd, args, isolation }: ConnectorView): string {
  if (transport === 'stdio') {
    // The image has a command of its own where the connector names none.
    const program = cmd ?? (isolation?.type === 'container' ? isolation.image : undefined) ?? ''
    return [program, ...args].map(quoteWord).join(' ')
  }
  return endpointPath ? new URL(endpointPath, baseUrl ?? 'http://localhost').href : (baseUrl ?? '')
}
