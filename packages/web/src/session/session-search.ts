/** What the address of the list of sessions says. */
export interface SessionSearch {
  readonly filter?: string
}

export function readSessionSearch(search: Record<string, unknown>): SessionSearch {
  return typeof search['filter'] === 'string' && search['filter'] !== '' ? { filter: search['filter'] } : {}
}

/** What the address of a new session says: the provider to begin with. */
export interface NewSessionSearch {
  readonly provider?: string
}

export function readNewSessionSearch(search: Record<string, unknown>): NewSessionSearch {
  return typeof search['provider'] === 'string' ? { provider: search['provider'] } : {}
}

/** What the address of a chat says: the open thread, and the trace whose events are shown beside it. */
export interface ChatSearch {
  readonly thread?: string
  readonly trace?: string
}

export function readChatSearch(search: Record<string, unknown>): ChatSearch {
  // An id of digits alone comes out of the address as a number.
  const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number'
  return {
    ...(isText(search['thread']) && { thread: String(search['thread']) }),
    ...(isText(search['trace']) && { trace: String(search['trace']) }),
  }
}
