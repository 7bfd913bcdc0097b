import type { EventView } from '@herma/contract'
import { StatusDot } from '../ui/status-dot.tsx'
import { outcomes } from './describe-event.ts'

/** How an event ended; what has no end says nothing. */
export function OutcomeMark({ event }: { event: Pick<EventView, 'outcome'> }) {
  if (event.outcome === undefined) return null
  const { tone, label } = outcomes[event.outcome]
  return <StatusDot tone={tone}>{label}</StatusDot>
}
