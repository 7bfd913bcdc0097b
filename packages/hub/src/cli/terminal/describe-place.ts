import { quoteWord, type ConnectorView } from '@herma/contract'

/** Where a connector's server is, as a person would type it. */
export function describePlace({ transport, baseUrl, endpointPath, cmd, args }: ConnectorView): string {
  if (transport === 'stdio') return [cmd ?? '', ...args].map(quoteWord).join(' ')
  return endpointPath ? new URL(endpointPath, baseUrl ?? 'http://localhost').href : (baseUrl ?? '')
}
