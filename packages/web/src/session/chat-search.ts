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
