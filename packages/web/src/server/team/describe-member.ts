import type { SessionHealth } from '@herma/contract'
import type { Tone } from '../../ui/status-dot.tsx'

/** How a member is, in one line. */
export function describeMember(health: SessionHealth | null, isEnabled: boolean): { tone: Tone; text: string } {
  if (health === null) return { tone: 'bad', text: 'Its session was deleted' }
  if (!isEnabled) return { tone: 'off', text: 'Off in this team' }
  if (health.failures > 0 && (health.state === 'healthy' || health.state === 'unknown'))
    return { tone: 'warn', text: health.problem ?? 'Its last call failed' }
  switch (health.state) {
    case 'healthy':
      return { tone: 'ok', text: 'Ready' }
    case 'unknown':
      return { tone: 'off', text: 'Not used so far' }
    case 'disabled':
      return { tone: 'off', text: 'Session is off' }
    case 'failing':
      return { tone: 'bad', text: health.problem ?? 'The last calls failed' }
    case 'unready':
      return { tone: 'bad', text: health.problem ?? 'Something is missing' }
  }
}
