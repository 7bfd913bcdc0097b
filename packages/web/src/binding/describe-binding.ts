import type { BindingView } from '@herma/contract'
import { count } from '../ui/format.ts'
import type { Tone } from '../ui/status-dot.tsx'

/** How a connector is attached to a session, in a few words. */
export function describeBinding(binding: BindingView | undefined): { tone: Tone; text: string } {
  if (binding === undefined) return { tone: 'off', text: 'Not attached' }
  if (!binding.enabled) return { tone: 'off', text: 'Turned off' }
  if (binding.problem !== null) return { tone: 'bad', text: 'Cannot be used' }
  const overrides = countOverrides(binding)
  return { tone: 'ok', text: overrides === 0 ? 'Attached' : count(overrides, 'override') }
}

export function countOverrides({ headers, env, options, cwd, allowedTools }: BindingView): number {
  const own = (cwd === null ? 0 : 1) + (allowedTools === null ? 0 : 1)
  return headers.length + env.length + Object.keys(options).length + own
}
