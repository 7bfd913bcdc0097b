import type { BindingView } from '@herma/contract'
import { count } from '../ui/format.ts'
import type { Tone } from '../ui/status-dot.tsx'
import { countOverrides } from './bindings-query.ts'

/** How a connector is attached to a session, in a few words. */
export function describeBinding(binding: BindingView | undefined): { tone: Tone; text: string } {
  if (binding === undefined) return { tone: 'off', text: 'Not attached' }
  if (!binding.enabled) return { tone: 'off', text: 'Turned off' }
  if (binding.problem !== null) return { tone: 'bad', text: 'Cannot be used' }
  const overrides = countOverrides(binding)
  return { tone: 'ok', text: overrides === 0 ? 'Attached' : count(overrides, 'override') }
}
