import type { SessionView } from '@herma/contract'
import { count, formatMs } from '../ui/format.ts'
import type { Tone } from '../ui/status-dot.tsx'

/** How a session is, in one line, with the reason when it is not well. */
export function describeSessionHealth({ health }: Pick<SessionView, 'health'>): { tone: Tone; text: string } {
  switch (health.state) {
    case 'unready':
      return { tone: 'bad', text: health.problem ?? 'Something is missing.' }
    case 'failing':
      return { tone: 'bad', text: health.problem ?? 'The last turns failed.' }
    case 'disabled':
      return { tone: 'off', text: 'Turned off' }
    case 'unknown':
      if (health.problem !== null) return { tone: 'warn', text: health.problem }
      return health.running > 0 ? { tone: 'ok', text: 'At work' } : { tone: 'off', text: 'Not used so far' }
    case 'healthy':
      if (health.failures > 0 && health.problem !== null) return { tone: 'warn', text: health.problem }
      if (health.running > 0) return { tone: 'ok', text: `At work on ${count(health.running, 'turn')}` }
      return { tone: 'ok', text: `Ready · about ${formatMs(health.latencyMs)} a turn` }
  }
}
