/** What the address of the list of sessions says. */
export interface SessionSearch {
  readonly filter?: string
}

export function readSessionSearch(search: Record<string, unknown>): SessionSearch {
  return typeof search['filter'] === 'string' && search['filter'] !== '' ? { filter: search['filter'] } : {}
}
