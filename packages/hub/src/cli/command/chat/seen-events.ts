import type { ChatEvent } from '@herma/contract'

/** What was told of a turn, for a stream that breaks and is told again from its begin. */
export interface SeenEvents {
  /** From now on the turn is told again. */
  restart(): void
  /** What is new of an event; null when all of it was told before. */
  pass(event: ChatEvent): ChatEvent | null
}

/** Pieces of text may come joined the second time, so that they are counted by their length, all else by its number. */
export function createSeenEvents(): SeenEvents {
  const seen: Partial<Record<ChatEvent['type'], number>> = {}
  let passed: typeof seen = {}
  return {
    restart() {
      passed = {}
    },
    pass(event) {
      const { type } = event
      const isPiece = type === 'text-delta' || type === 'reasoning-delta'
      const now = (passed[type] ?? 0) + (isPiece ? event.text.length : 1)
      passed[type] = now
      const fresh = now - (seen[type] ?? 0)
      if (fresh <= 0) return null
      seen[type] = now
      return isPiece ? { ...event, text: event.text.slice(-fresh) } : event
    },
  }
}
