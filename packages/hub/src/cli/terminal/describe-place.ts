import type { ConnectorView } from '@herma/contract'

/** Where a connector's server is, as a person would type it. */
export function describePlace({ transport, baseUrl, endpointPath, cmd, args }: ConnectorView): string {
  if (transport === 'stdio') return [cmd ?? '', ...args].map(quote).join(' ')
  return endpointPath ? new URL(endpointPath, baseUrl ?? 'http://localhost').href : (baseUrl ?? '')
}

/** A word as a shell takes it. */
export function quote(word: string): string {
  return /^[\w@%+=:,./{}~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
