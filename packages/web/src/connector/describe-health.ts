import type { ConnectorView } from '@herma/contract'
import type { Tone } from '../ui/status-dot.tsx'

export interface HealthText {
  readonly tone: Tone
  readonly text: string
  /** True when a person has to do or know something. */
  readonly needsAttention: boolean
}

/** The health of a connector in one line, with the reason when it is not well. */
export function describeHealth({ health, problem }: Pick<ConnectorView, 'health' | 'problem'>): HealthText {
  if (problem !== null) return { tone: 'bad', text: problem, needsAttention: true }
  const reason = health.lastError?.message
  switch (health.state) {
    case 'disabled':
      return { tone: 'off', text: 'Turned off', needsAttention: false }
    case 'idle':
      if (health.leftOut.length > 0) return { tone: 'warn', text: health.leftOut[0]!, needsAttention: true }
      return { tone: 'off', text: 'Idle, starts on first use', needsAttention: false }
    case 'starting':
      return { tone: 'warn', text: 'Starting…', needsAttention: false }
    case 'installing':
      return { tone: 'warn', text: 'Installing… The first start may take some minutes.', needsAttention: false }
    case 'ready':
      if (health.leftOut.length > 0) return { tone: 'warn', text: health.leftOut[0]!, needsAttention: true }
      return { tone: 'ok', text: 'Ready', needsAttention: false }
    case 'backoff':
      return { tone: 'warn', text: `Trying again soon. ${reason ?? 'It stopped.'}`, needsAttention: true }
    case 'failed':
      return { tone: 'bad', text: reason ?? 'It does not start.', needsAttention: true }
  }
}
