import type { EventOutcome, EventView } from '@herma/contract'
import type { Tone } from '../ui/status-dot.tsx'

/** How something ended, as a shape and in words. */
export const outcomes: Readonly<Record<EventOutcome, { tone: Tone; label: string }>> = {
  ok: { tone: 'ok', label: 'OK' },
  'tool-error': { tone: 'warn', label: 'Tool error' },
  error: { tone: 'bad', label: 'Error' },
  cancelled: { tone: 'off', label: 'Cancelled' },
  refused: { tone: 'warn', label: 'Refused' },
}

/** What an event is about, in a few words. */
export function nameOf({ kind, target, method, session }: EventView): string {
  switch (kind) {
    case 'call.finished':
    case 'step.finished':
    case 'message.received':
    case 'message.sent':
    case 'part.sent':
      return target ?? method ?? kind
    case 'turn.finished':
      return session === undefined ? (target ?? kind) : `${session}: ${target ?? 'turn'}`
    case 'team.routed':
      return `${session ?? 'a member'} for ${target ?? 'a call'}`
    default:
      return kind
  }
}

/** Whom the client asked. */
export function askedOf({ kind, server, connector, session }: EventView): string {
  if (kind === 'step.finished') return connector ?? server ?? ''
  return server ?? session ?? connector ?? ''
}
