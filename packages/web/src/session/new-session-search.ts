/** What the address of a new session says: the provider to begin with. */
export interface NewSessionSearch {
  readonly provider?: string
}

export function readNewSessionSearch(search: Record<string, unknown>): NewSessionSearch {
  return typeof search['provider'] === 'string' ? { provider: search['provider'] } : {}
}
